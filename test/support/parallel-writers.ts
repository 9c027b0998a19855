import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../patch/random.ts';
import { Died, LecternProcess, Refused } from './lectern-process.ts';

/** Ten notes of three parts; writers put one line each into one of them. */
export const NOTE = '---\ntitle: shared # kept\n---\n# Shared\n\n## Log\nlog\n\n## Rest\nrest\n';
const SECTIONS = ['log', 'rest'];

export interface Ground {
  readonly vault: string;
  readonly state: string;
  readonly notes: readonly string[];
}

/** A vault with `notes` equal notes in a new folder. */
export function shareGround(notes: number): Ground {
  const root = mkdtempSync(join(tmpdir(), 'lectern-writers-'));
  const vault = join(root, 'vault');
  mkdirSync(vault);
  const paths = Array.from({ length: notes }, (_, at) => `Shared ${at}.md`);
  for (const path of paths) writeFileSync(join(vault, path), NOTE);
  return { vault, state: join(root, 'state'), notes: paths };
}

/** What became of each line that was to be written. */
export interface Ledger {
  readonly acknowledged: Map<string, string>;
  /** The process died before it answered. */
  readonly unknown: Map<string, string>;
  conflicts: number;
}

export const newLedger = (): Ledger => ({ acknowledged: new Map(), unknown: new Map(), conflicts: 0 });

/**
 * Writes one line by one of the three ways: append, patch of a section, or read and replace under
 * `if_match`, again after every conflict. Notes the outcome in the ledger.
 */
export async function writeLine(
  lectern: LecternProcess,
  random: Random,
  note: string,
  line: string,
  ledger: Ledger,
): Promise<void> {
  try {
    switch (random.below(3)) {
      case 0:
        await lectern.call('note_patch', { path: note, ops: [{ op: 'append_body', markdown: line }] });
        break;
      case 1:
        await lectern.call('note_patch', {
          path: note,
          ops: [{ op: 'append_to_section', heading: 'Log', markdown: line }],
        });
        break;
      default:
        await replaceUntilWon(lectern, note, line, ledger);
    }
    ledger.acknowledged.set(line, note);
  } catch (error) {
    if (!(error instanceof Died)) throw error;
    ledger.unknown.set(line, note);
    throw error;
  }
}

async function replaceUntilWon(
  lectern: LecternProcess,
  note: string,
  line: string,
  ledger: Ledger,
): Promise<void> {
  for (;;) {
    const { body, etag } = await lectern.call('note_read', { path: note });
    try {
      await lectern.call('note_write', { path: note, body: `${body}${line}\n`, if_match: etag });
      return;
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'conflict') throw error;
      ledger.conflicts++;
    }
  }
}

/**
 * What the notes hold against what was acknowledged.
 * @returns what is wrong, in words; empty when every acknowledged line is there exactly once and every
 *   other line is one that was there before or that a killed process was writing
 */
export function auditNotes(ground: Ground, ledger: Ledger): readonly string[] {
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  for (const note of ground.notes) {
    const text = readFileSync(join(ground.vault, note), 'utf8');
    if (!text.startsWith('---\ntitle: shared # kept\n---\n# Shared\n'))
      wrong.push(`${note}: its head is damaged`);
    if (!text.endsWith('\n')) wrong.push(`${note}: its end is torn`);
    for (const line of text.split('\n').slice(4)) {
      if (line === '' || line.startsWith('## ') || SECTIONS.includes(line)) continue;
      counts.set(line, (counts.get(line) ?? 0) + 1);
      if ((ledger.acknowledged.get(line) ?? ledger.unknown.get(line)) !== note)
        wrong.push(`${note}: nobody wrote ${JSON.stringify(line)} here`);
    }
  }
  for (const line of ledger.acknowledged.keys())
    if (counts.get(line) !== 1)
      wrong.push(`${line} was acknowledged and is there ${counts.get(line) ?? 0} times`);
  for (const line of ledger.unknown.keys())
    if ((counts.get(line) ?? 0) > 1) wrong.push(`${line} is there ${counts.get(line)} times`);
  return wrong;
}

/** Files that Lectern left behind while writing, and copies it made because of a conflict. */
export function litterIn(vault: string): readonly string[] {
  return readdirSync(vault, { recursive: true })
    .map(String)
    .filter((path) => /(^|\/)\.lectern-|conflict/i.test(path));
}

/** Processes that write to the same notes at once, each with several calls under way. */
export async function writeInParallel(
  ground: Ground,
  options: { processes: number; writesEach: number; atOnce: number; seed: number },
): Promise<Ledger> {
  const ledger = newLedger();
  const processes = await Promise.all(
    Array.from({ length: options.processes }, () => new LecternProcess(ground.vault, ground.state).start()),
  );
  await Promise.all(
    processes.map(async (lectern, process) => {
      const random = new Random(options.seed * 1000 + process);
      let next = 0;
      const lane = async () => {
        while (next < options.writesEach) {
          const line = `p${process} w${next++}`;
          await writeLine(lectern, random, random.pick(ground.notes) ?? '', line, ledger);
        }
      };
      await Promise.all(Array.from({ length: options.atOnce }, lane));
    }),
  );
  await Promise.all(processes.map((lectern) => lectern.end()));
  return ledger;
}
