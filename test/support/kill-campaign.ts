import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../patch/random.ts';
import { Died, LecternProcess } from './lectern-process.ts';
import { seeVault } from './link-oracle.ts';
import { auditNotes, type Ground, litterIn, newLedger, shareGround, writeLine } from './parallel-writers.ts';
import { textsOf, vaultHash } from './rename-fuzz.ts';

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Notes that link to each note that moves. */
  readonly referrers: number;
  readonly log?: (message: string) => void;
}

export interface KillOutcome {
  readonly kills: number;
  readonly acknowledged: number;
  /** Lines whose writer died before the answer. */
  readonly unknown: number;
  readonly moves: number;
  /** Moves that were cut short; how many of them were found done. */
  readonly cutMoves: number;
  readonly cutMovesDone: number;
}

const HUBS = 3;
/** The longest a victim works before it is killed, ms; a move of the campaign takes a good part of it. */
const LONGEST_MS = 900;

interface Hub {
  /** Where it is known to be. */
  path: string;
  /** Where a move that got no answer would have taken it. */
  wanted: string | undefined;
}

/**
 * Kills writers with SIGKILL at random moments, in the middle of line writes and of moves with many
 * backlinks, and looks at the vault after each: every acknowledged line is there once, each cut move is
 * wholly done or wholly undone, no link leads astray. In two of three rounds another process that lives on
 * has to recover what the dead one left; in the third that one is killed too and a new one has to.
 * At the end everything is undone.
 * @throws Error that says what broke and in which round
 */
export async function killCampaign(options: KillOptions): Promise<KillOutcome> {
  const random = new Random(options.seed);
  const ground = shareGround(10);
  const hubs = plantHubs(ground, options.referrers);
  const firstHash = vaultHash(ground.vault);
  const firstLinks = seeVault(textsOf(ground.vault)).links.length;
  const start = new Date(Date.now() - 1).toISOString();
  const ledger = newLedger();
  const count = { kills: 0, moves: 0, cutMoves: 0, cutMovesDone: 0 };
  let line = 0;
  let survivor = await new LecternProcess(ground.vault, ground.state).start();
  while (count.kills < options.kills) {
    const victim = await new LecternProcess(ground.vault, ground.state).start();
    // The first calls open vault and index: the moment of death shall fall into the work.
    await victim.call('note_move', { from: hubs[0]?.path, to: 'Warm.md', dry_run: true });
    let over = false;
    const lines = async (lectern: LecternProcess, who: string) => {
      while (!over)
        await writeLine(lectern, random, random.pick(ground.notes) ?? '', `${who} ${line++}`, ledger);
    };
    const moves = async () => {
      while (!over) {
        const hub = random.pick(hubs);
        if (!hub) return;
        hub.wanted = `${random.pick(['', 'a/', 'a/b/', 'c d/'])}Hub ${hubs.indexOf(hub)} v${random.below(1e6)}.md`;
        await victim.call('note_move', { from: hub.path, to: hub.wanted });
        count.moves++;
        hub.path = hub.wanted;
        hub.wanted = undefined;
      }
    };
    const work = [lines(victim, 'v'), lines(victim, 'v'), moves(), lines(survivor, 's')].map((lane) =>
      lane.catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      }),
    );
    await pause(random.below(LONGEST_MS));
    await victim.kill();
    count.kills++;
    over = true;
    if (random.chance(1 / 3)) {
      await survivor.kill();
      count.kills++;
      survivor = await new LecternProcess(ground.vault, ground.state).start();
    }
    await Promise.all(work);
    // Any write first finishes or takes back what the dead process left.
    await writeLine(survivor, random, ground.notes[0] ?? '', `r ${line++}`, ledger);
    for (const hub of hubs) settle(hub, ground, count);
    const wrong = [...auditNotes(ground, ledger), ...auditLinks(ground, hubs, firstLinks)];
    if (wrong.length > 0)
      throw new Error(
        `After kill ${count.kills} in ${ground.vault}:\n${wrong.slice(0, 20).join('\n')}\n${survivor.stderr}`,
      );
    if (count.kills % 20 === 0) options.log?.(`${count.kills} kills, ${line} lines, ${count.moves} moves`);
  }
  await survivor.end();
  await takeAllBack(ground, start, firstHash);
  return { ...count, acknowledged: ledger.acknowledged.size, unknown: ledger.unknown.size };
}

/** Notes that move, and many notes that link to each in every form. */
function plantHubs(ground: Ground, referrers: number): Hub[] {
  const hubs = Array.from({ length: HUBS }, (_, at) => ({ path: `Hub ${at}.md`, wanted: undefined }));
  for (const [at, { path }] of hubs.entries()) {
    writeFileSync(join(ground.vault, path), `# Hub ${at}\n\n[[Hub ${at}]] [self](Hub%20${at}.md)\n`);
  }
  mkdirSync(join(ground.vault, 'from'));
  for (let at = 0; at < referrers; at++) {
    const links = hubs.map((_, hub) => `[[Hub ${hub}]] [h](../Hub%20${hub}.md#Hub) ![[Hub ${hub}.md|x]]`);
    writeFileSync(
      join(ground.vault, `from/R${at}.md`),
      `---\nup: "[[Hub ${at % HUBS}]]"\n---\n${links.join('\n')}\n`,
    );
  }
  return hubs;
}

/** A move without an answer is done or not; which, the files tell. */
function settle(
  hub: Hub,
  ground: Ground,
  count: { moves: number; cutMoves: number; cutMovesDone: number },
): void {
  if (hub.wanted === undefined) return;
  const files = textsOf(ground.vault);
  count.cutMoves++;
  if (files.has(hub.wanted) && files.has(hub.path))
    throw new Error(`${hub.path} and ${hub.wanted} are both there`);
  if (files.has(hub.wanted)) {
    count.cutMovesDone++;
    hub.path = hub.wanted;
  }
  hub.wanted = undefined;
}

function auditLinks(ground: Ground, hubs: readonly Hub[], expected: number): string[] {
  const files = textsOf(ground.vault);
  const wrong: string[] = [];
  for (const { path } of hubs) if (!files.has(path)) wrong.push(`${path} is gone`);
  const { links } = seeVault(files);
  if (links.length !== expected) wrong.push(`${links.length} links, not ${expected}`);
  for (const { note, written, opens } of links) {
    const hub = hubs[Number(/Hub (\d)/.exec(written)?.[1] ?? -1)];
    if (opens !== hub?.path) wrong.push(`${note}: ${written} opens ${opens}, not ${hub?.path}`);
  }
  return wrong;
}

/** A new process sweeps, finds a journal without open groups and undoes the whole campaign. */
async function takeAllBack(ground: Ground, since: string, firstHash: string): Promise<void> {
  const last = await new LecternProcess(ground.vault, ground.state).start();
  while ((await last.call('vault_status', {})).index !== 'ready') await pause(50);
  const litter = litterIn(ground.vault);
  if (litter.length > 0) throw new Error(`Left behind: ${litter.join(', ')}`);
  await last.call('note_undo', { since });
  await last.end();
  if (vaultHash(ground.vault) !== firstHash) throw new Error('Undo left another vault.');
}
