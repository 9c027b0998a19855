import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Random } from '../support/random.ts';
import { linkMaker } from './links.ts';
import { noteText } from './note-text.ts';
import { planNotes } from './plan.ts';
import { Language } from './words.ts';

export interface GeneratedVault {
  readonly notes: number;
  /** Of all notes together. */
  readonly bytes: number;
  readonly medianBytes: number;
  readonly largestBytes: number;
  /** Paths of some notes, spread over the vault. */
  readonly samplePaths: readonly string[];
}

const NOTES_PER_TOPIC = 60;
const NOTES_PER_ATTACHMENT = 50;
/** The smallest PNG: one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The words a vault of this size and seed is written with; queries are drawn from them. */
export function languageOf(notes: number, seed: number): Language {
  return new Language(seed, Math.max(4, Math.ceil(notes / NOTES_PER_TOPIC)));
}

/** Writes the vault into `folder`, which should be empty. */
export function generateVault(folder: string, notes: number, seed = 1): GeneratedVault {
  const language = languageOf(notes, seed);
  const random = new Random(seed + 1);
  const plans = planNotes(random, language, notes);
  const attachments = Array.from(
    { length: Math.max(1, Math.floor(notes / NOTES_PER_ATTACHMENT)) },
    (_, at) => `picture-${at}.png`,
  );
  const link = linkMaker(plans, language, attachments);
  const write = fileWriter(folder);
  const sizes = plans.map((plan, at) => {
    const bytes = Buffer.from(noteText(random.fork(at), language, plan, link));
    write(plan.path, bytes, Date.parse(plan.day) / 1000 + at);
    return bytes.length;
  });
  for (const name of attachments) write(`Attachments/${name}`, PIXEL, 0);
  write('.obsidian/app.json', Buffer.from('{"alwaysUpdateLinks": true}\n'), 0);
  sizes.sort((a, b) => a - b);
  return {
    notes,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    medianBytes: sizes[sizes.length >> 1] ?? 0,
    largestBytes: sizes.at(-1) ?? 0,
    samplePaths: Array.from({ length: Math.min(20, notes) }, () => random.pick(plans).path),
  };
}

function fileWriter(root: string): (path: string, bytes: Uint8Array, mtimeSeconds: number) => void {
  const made = new Set<string>();
  return (path, bytes, mtimeSeconds) => {
    const file = join(root, path);
    const folder = dirname(file);
    if (!made.has(folder)) {
      mkdirSync(folder, { recursive: true });
      made.add(folder);
    }
    writeFileSync(file, bytes);
    utimesSync(file, mtimeSeconds, mtimeSeconds);
  };
}
