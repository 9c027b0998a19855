import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSpans } from './check-spans.testing.ts';
import { ours, reference } from './micromark.testing.ts';
import type { Dialect, ParsedNote } from './model.ts';
import { parseNote } from './parse.ts';
import { decodeText } from './text.ts';

/** Real vaults, when they are present, with constructs that no generator produces. */
const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
const VAULTS: readonly (readonly [string, Dialect])[] = [
  ['kepano', 'obsidian'],
  ['dataview-test', 'obsidian'],
  ['tasks-docs', 'obsidian'],
  ['foam-docs', 'obsidian'],
  ['logseq-docs', 'logseq'],
  ['silverbullet-docs', 'silverbullet'],
];

const unpacked = mkdtempSync(join(tmpdir(), 'lectern-vaults-'));
afterAll(() => rmSync(unpacked, { recursive: true, force: true }));

function notesOf(vault: string): string[] {
  const folder = join(unpacked, vault);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    execFileSync('tar', ['-xzf', join(SHARED, 'vaults', `${vault}.tar.gz`), '-C', folder]);
  }
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));
}

function read(path: string): string | undefined {
  const decoded = decodeText(readFileSync(path));
  return decoded.ok ? decoded.text : undefined;
}

/** An independent implementation that knows only fences, code spans, comments and HTML comments. */
function plainText(note: ParsedNote): string {
  let fence: string | undefined;
  const lines = note.text
    .slice(note.bodyStart)
    .split(/\r?\n/)
    .map((line) => {
      const mark = /^[\s>]*(?:[-*+] |\d+\. )?[\s>]*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined ? line : '';
      }
      if (mark?.startsWith(fence) === true) fence = undefined;
      return '';
    });
  return lines
    .join('\n')
    .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/%%[\s\S]*?%%/g, '');
}

describe.runIf(existsSync(join(SHARED, 'vaults')))('real vaults', () => {
  it.each(VAULTS)('%s: every span holds what it claims', (vault, dialect) => {
    const notes = notesOf(vault).flatMap((path) => read(path) ?? []);
    expect(notes.length).toBeGreaterThan(0);
    for (const text of notes) checkSpans(parseNote(text, { dialect }));
  });

  it.each([['kepano'], ['foam-docs']])('%s: the parser sees what micromark sees', (vault) => {
    const bodies = notesOf(vault).flatMap((path) => {
      const note = parseNote(read(path) ?? '', { dialect: 'obsidian' });
      return note.text.length < 6_000 ? [note.text.slice(note.bodyStart)] : [];
    });
    expect(bodies.length).toBeGreaterThan(20);
    for (const body of bodies.slice(0, 60)) expect(ours(body)).toEqual(reference(body));
  });

  it.each([['kepano'], ['dataview-test']])('%s: as many links and tags as plain counting finds', (vault) => {
    for (const path of notesOf(vault)) {
      const text = read(path);
      if (text === undefined) continue;
      const note = parseNote(text, { dialect: 'obsidian' });
      const plain = plainText(note);
      const wiki = note.links.filter((link) => link.syntax === 'wiki' && link.property === undefined);
      expect([path, wiki.length]).toEqual([path, plain.match(/\[\[[^[\]\n]+\]\]/g)?.length ?? 0]);
      const tags = note.tags.filter((tag) => tag.property === undefined);
      expect([path, tags.length]).toEqual([path, plain.match(/(?<=^|\s)#[^\s#\d/][^\s#]*/gm)?.length ?? 0]);
    }
  });
});

it.skipIf(existsSync(join(SHARED, 'vaults')))('real vaults are absent', () => {
  console.log('skipped: no vaults under LECTERN_SHARED or ../shared');
});
