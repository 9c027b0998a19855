import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { openVault } from '../src/app/open-vault.ts';

/**
 * Wall time of the two writes that people wait for, on a real folder with its indexer thread, journal
 * and every fsync: the move of a note that 2,000 notes of a 20,000-note vault link to, and a patch
 * of a 50 KB note. And of small ones in a large vault: a note with a link or two, a heading, a new note of a name
 * that another has.
 *
 *   npx esbuild bench/move.ts --bundle --platform=node --format=esm --packages=external --splitting --outdir=dist \
 *     --entry-names=bench-[name] --chunk-names=bench-[hash] && node dist/bench-move.js 20000 2000; rm dist/bench-*
 *
 * (into dist/, beside the indexer's worker). One JSON object per line on stdout. `probe` is the median of
 * one write and fsync of 4 KB: what the drive itself takes on this computer at this moment; `cpuMs` is processor
 * time over all threads, which other programs on the computer do not stretch.
 */
const notes = Number(process.argv[2] ?? 20_000);
const referrers = Number(process.argv[3] ?? 2_000);
const MOVES = 3;
const PATCHES = 50;
const SMALL = 9;
const tool = 'bench';

const root = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
const folder = join(root, 'vault');
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => ((seed * 7919 + at * 104_729) % 46_655).toString(36)).join(' ');
for (let at = 0; at < 200; at++) mkdirSync(join(folder, `Folder ${at}`), { recursive: true });
for (let at = 0; at < notes; at++) {
  const link = at < referrers ? '[[Hub]] and [hub](../Hub.md#Part)' : `[[Note ${(at * 31) % notes}]]`;
  writeFileSync(
    join(folder, `Folder ${at % 200}`, `Note ${at}.md`),
    `---\ntags: [t${at % 50}]\n---\n# Note ${at}\n\n${words(at, 120)}\n\n${link}\n\n${words(at + 1, 120)}\n`,
  );
}
writeFileSync(join(folder, 'Hub.md'), '# Hub\n\n## Part\n');
writeFileSync(join(folder, 'Long.md'), `# Long\n\n## Log\n\n${words(1, 10_000).slice(0, 50 * 1024)}\n`);

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const round = (ms: number) => Math.round(ms * 10) / 10;
const report = (facts: object) => console.log(JSON.stringify(facts));
const quiet = { warn: () => {}, error: (fields: object, message: string) => console.error(message, fields) };

async function probe(): Promise<number> {
  const { open } = await import('node:fs/promises');
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const start = performance.now();
    const handle = await open(join(root, `probe-${at}`), 'w');
    await handle.writeFile(Buffer.alloc(4096));
    await handle.sync();
    await handle.close();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Vectors are learned in the background after the first indexing; a running vault has done that long ago. */
async function quietProcess(): Promise<void> {
  const limit = performance.now() + 300_000;
  for (let quietSeconds = 0; quietSeconds < 3 && performance.now() < limit; ) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { user, system } = process.cpuUsage(before);
    quietSeconds = user + system < 100_000 ? quietSeconds + 1 : 0;
  }
}

// Threads of the vault do not keep a process alive.
const alive = setInterval(() => {}, 60_000);
const vault = await openVault({
  place: { kind: 'folder', location: folder },
  stateDir: join(root, 'state'),
  log: quiet,
});
await vault.indexed();
await quietProcess();
const session = vault.session({ kind: 'cli', name: 'bench', session: 'bench' });

const delay = monitorEventLoopDelay({ resolution: 1 });
const moves: number[] = [];
const caughtUp: number[] = [];
let from = 'Hub.md';
for (let at = 0; at < MOVES; at++) {
  const to = `Folder ${at}/Hub ${at}.md`;
  delay.reset();
  delay.enable();
  const start = performance.now();
  const cpu = process.cpuUsage();
  const { links } = await session.move(from, to, { tool });
  moves.push(performance.now() - start);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  report({
    move: round(moves.at(-1) ?? 0),
    cpuMs: round((user + system) / 1000),
    links,
    longestStallMs: round(delay.max / 1e6),
  });
  // What the next question to the index waits for.
  const answered = performance.now();
  await session.backlinks(to, { limit: 1 });
  caughtUp.push(performance.now() - answered);
  from = to;
}

/** Writes that look for links all over the vault and find one or two. */
const small = async (work: (at: number) => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < SMALL; at++) {
    const start = performance.now();
    await work(at);
    times.push(performance.now() - start);
  }
  return round(median(times));
};
const note = (at: number) => `Folder ${(referrers + at) % 200}/Note ${referrers + at}.md`;
report({
  smallMoveMs: await small((at) => session.move(note(at), `Folder ${at}/Moved ${at}.md`, { tool })),
  headingMs: await small((at) =>
    session.patch(
      note(20 + at),
      [{ op: 'rename_heading', from: `Note ${referrers + 20 + at}`, to: 'Other' }],
      { tool },
    ),
  ),
  namesakeMs: await small((at) =>
    session.write(`New/Note ${referrers + 40 + at}.md`, { body: 'x' }, { tool }),
  ),
  newNoteMs: await small((at) => session.write(`New/Fresh ${at}.md`, { body: 'x' }, { tool })),
});

const patches: number[] = [];
for (let at = 0; at < PATCHES; at++) {
  const start = performance.now();
  await session.patch('Long.md', [{ op: 'append_to_section', heading: 'Log', markdown: `- entry ${at}` }], {
    tool,
  });
  patches.push(performance.now() - start);
}
report({
  notes,
  referrers,
  moveMedianMs: round(median(moves)),
  indexFollowsMedianMs: round(median(caughtUp)),
  patchMedianMs: round(median(patches)),
  patchWorstMs: round(Math.max(...patches)),
  probe: round(await probe()),
});
await vault.close();
clearInterval(alive);
rmSync(root, { recursive: true });
