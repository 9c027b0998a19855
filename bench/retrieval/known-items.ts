import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Collection } from './collection.ts';

/** One line of a known-item file: a question, the notes that answer it (copies of one text), and the section. */
interface KnownItem {
  readonly question: string;
  readonly paths: readonly string[];
  readonly section?: string;
}

export const KNOWN_ITEM_SETS = ['silverbullet-docs', 'powershell-docs', 'oldwinter'] as const;

export function readKnownItems(name: string): KnownItem[] {
  const file = fileURLToPath(new URL(`${name}.jsonl`, import.meta.url));
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as KnownItem);
}

/** A vault of Markdown notes with the questions asked of it. @param folder the unpacked vault */
export function loadVault(name: string, folder: string): Collection {
  const notes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.split('/').some((segment) => segment.startsWith('.')))
    .sort()
    .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }));
  const queries = readKnownItems(name).map(({ question, paths, section }, at) => ({
    id: String(at + 1),
    text: question,
    relevant: new Set(paths),
    knownItem: true,
    ...(section !== undefined && { section }),
  }));
  return { name, notes, queries };
}
