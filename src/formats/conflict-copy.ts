import { dirName, joinPath } from '../notes/path.ts';

/** A file name that a sync program gives to a conflict copy, made when two computers changed the same file. */
export interface CopyName {
  /** Candidate paths of the original file, most likely first. */
  readonly originals: readonly string[];
  /**
   * Whether only sync programs use such a name. People use the other names too (`Chapter 2`, `Plan-B`): such a
   * file is a copy only when the original is in the same folder and {@link isVersionOf} holds.
   */
  readonly isCertain: boolean;
}

/** Patterns of names that only sync programs write. Group 1 is the original's name without its extension. */
const CERTAIN: readonly RegExp[] = [
  // Syncthing: `Pad.sync-conflict-20230112-003022-ABCDEFG`
  /^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{1,7})?$/,
  // Dropbox, Nextcloud, Box, Obsidian Sync: `Pad (Ann's conflicted copy 2026-07-10)`, `Pad (Conflicted copy Laptop 202607101200)`
  /^(.+?) ?[([](?:[^()[\]]* )?conflict(?:ed|ing) copy\b[^()[\]]*[)\]](?: \(?\d{1,3}\)?)?$/i,
  // The same in German, French, Spanish, Italian, Portuguese
  /^(.+?) \((?:In Konflikt stehende Kopie|Copie en conflit|Copia en conflicto|Copia in conflitto|Cópia em conflito)\b[^()]*\)$/i,
  // Lectern, Obsidian Sync and others with a time: `Pad (conflict 2026-11-27 221530)`
  /^(.+?) \((?:[^()]* )?conflict(?:ed)?\b[^()]*(?:\d{4}-\d{2}-\d{2}|\d{8})[^()]*\)(?: \(?\d{1,3}\)?)?$/i,
  // ownCloud: `Pad_conflict-20170101-123456`
  /^(.+)_conflict-\d{8}-\d{6}$/,
  // Google Drive: `Pad_conf(1)`
  /^(.+)_conf\(\d{1,3}\)$/,
  // Seafile: `Pad (SFConflict ann@example.org 2015-03-07-11-30-28)`
  /^(.+?) \(SFConflict [^()]+\)$/,
];

/** Patterns of names that people write too. Group 1 is the original's name without its extension. */
const POSSIBLE: readonly RegExp[] = [
  // Obsidian Sync, pCloud, Google Drive: `Pad (Conflict)`, `Pad [conflicted]`
  /^(.+?) ?[([](?:[^()[\]]* )?conflict(?:ed)?\b[^()[\]]*[)\]](?: \d{1,3})?$/i,
  // Resilio Sync: `Pad.Conflict`
  /^(.+)\.conflict\d{0,3}$/i,
  // iCloud: `Pad 2`
  /^(.+) [2-9]\d?$/,
  // QOwnNotes, Google Drive: `Pad (1)`
  /^(.+?) ?\(\d{1,2}\)$/,
];

/** OneDrive appends the computer's name: `Pad-DESKTOP-AB12CD3`, `Pad-Anns-MacBook-Pro`. */
const MACHINE = /^(?:[A-Z][A-Z0-9-]{2,14}|[\w-]*(?:MacBook|iMac|Mac|PC|Laptop|Desktop)(?:-[\w-]*)?)$/;

/**
 * Reads a conflict copy's name.
 *
 * @param path vault-relative
 * @returns the candidate originals in the same folder; undefined when the name matches no pattern
 */
export function copyName(path: string): CopyName | undefined {
  const folder = dirName(path);
  const name = path.slice(folder === '' ? 0 : folder.length + 1);
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const named = (original: string) => joinPath(folder, original + name.slice(stem.length));
  for (const pattern of CERTAIN) {
    const original = pattern.exec(stem)?.[1];
    if (original !== undefined) return { originals: [named(original)], isCertain: true };
  }
  const originals = POSSIBLE.flatMap((pattern) => pattern.exec(stem)?.[1] ?? []);
  for (let at = stem.lastIndexOf('-'); at > 0; at = stem.lastIndexOf('-', at - 1))
    if (MACHINE.test(stem.slice(at + 1))) originals.push(stem.slice(0, at));
  if (originals.length === 0) return undefined;
  return { originals: [...new Set(originals)].map(named), isCertain: false };
}

/** Lowest Dice coefficient of the word bigrams of two texts that counts as the same text, 0 to 1. */
const MIN_SIMILARITY = 0.7;
const WORDS = /[\p{L}\p{N}]+/gu;
/** Number of words compared, from the start of each text. */
const MAX_WORDS = 5000;

/**
 * Whether two texts are likely versions of the same note: both have at least two words, and the Dice
 * coefficient of their word bigrams is 0.7 or more. A note whose first heading equals its own file name is a
 * note in its own right.
 *
 * @param name file name of the possible copy, without extension
 */
export function isVersionOf(copy: string, original: string, name: string): boolean {
  const heading = /^(?:---\n[\s\S]*?\n---\s*)?#[ \t]+(.+?)[ \t]*$/m.exec(copy.slice(0, 4000))?.[1];
  if (heading?.toLowerCase() === name.toLowerCase()) return false;
  const a = pairs(copy);
  const b = pairs(original);
  if (a.size === 0 || b.size === 0) return false;
  let shared = 0;
  let all = 0;
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return (2 * shared) / all >= MIN_SIMILARITY;
}

/** Counts of the lower-cased word bigrams of a text. */
function pairs(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  let previous: string | undefined;
  let words = 0;
  for (const [word] of text.toLowerCase().matchAll(WORDS)) {
    if (previous !== undefined)
      counts.set(`${previous} ${word}`, (counts.get(`${previous} ${word}`) ?? 0) + 1);
    previous = word;
    words += 1;
    if (words === MAX_WORDS) break;
  }
  return counts;
}
