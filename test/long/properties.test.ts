import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { isLecternError } from '../../src/errors.ts';
import { findFencedBlock } from '../../src/notes/frontmatter/block.ts';
import { applySplices, deleteProperty, setProperty } from '../../src/notes/frontmatter/edit.ts';
import { parseFrontmatter } from '../../src/notes/frontmatter/frontmatter.ts';
import { readQuick } from '../../src/notes/frontmatter/quick.ts';
import { readYaml } from '../../src/notes/frontmatter/yaml.ts';
import type { Dialect, Property } from '../../src/notes/model.ts';
import { decodeText } from '../../src/notes/text.ts';
import { archivesIn, filesOfArchive } from '../patch/vault-archives.ts';

/**
 * Every note with properties in the real vaults: each property is replaced by values of several kinds and
 * deleted, a new one is added and taken out again, and every other byte is compared.
 */
const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
const VAULTS = join(SHARED, 'vaults');
const VALUES: readonly unknown[] = ['plain', '[[Link]]: "x" # y', -60, ['a', '[[b]]'], null];
/** Logseq's lists are split by commas and brackets; what they cannot hold is refused. */
const LOGSEQ_REFUSES = 'Logseq cannot hold the list item';

interface Note {
  readonly path: string;
  readonly text: string;
  readonly dialect: Dialect;
}

function notesWithProperties(): readonly Note[] {
  return archivesIn(VAULTS).flatMap((archive) => {
    const dialect = archive.includes('logseq') ? 'logseq' : 'obsidian';
    return filesOfArchive(archive).flatMap(({ path, bytes }): Note[] => {
      const decoded = path.endsWith('.md') ? decodeText(bytes) : undefined;
      if (decoded?.ok !== true || parseFrontmatter(decoded.text, dialect) === undefined) return [];
      return [{ path, text: decoded.text, dialect }];
    });
  });
}

const outside = (text: string, { span }: Property) => text.slice(0, span.start) + text.slice(span.end);
const named = (text: string, dialect: Dialect, key: string) =>
  parseFrontmatter(text, dialect)?.properties.find((one) => one.key === key);

/** What is wrong with one edit, or undefined. */
function setOne({ text, dialect }: Note, before: Property, value: unknown): string | undefined {
  const after = applySplices(text, setProperty(text, dialect, before.key, value));
  const now = named(after, dialect, before.key);
  if (now === undefined) return `${before.key} is gone`;
  if (dialect !== 'logseq' && !isDeepStrictEqual(now.value, value))
    return `${before.key} is ${JSON.stringify(now.value)}`;
  return outside(after, now) === outside(text, before) ? undefined : `${before.key}: other bytes changed`;
}

function deleteOne({ text, dialect }: Note, before: Property): string | undefined {
  const after = applySplices(text, deleteProperty(text, dialect, before.key));
  const frontmatter = parseFrontmatter(text, dialect);
  const last = frontmatter?.properties.length === 1;
  const wanted = outside(text, before);
  if (after === wanted || (last && after === withoutBlock(text, dialect))) return undefined;
  // In JSON the comma beside the pair goes too.
  const json = text[before.keySpan.start] === '"' && squeezed(after) === squeezed(wanted);
  return json ? undefined : `${before.key}: deleting changed other bytes`;
}

function addOne({ text, dialect }: Note): string | undefined {
  const added = applySplices(text, setProperty(text, dialect, 'lectern-test', 'x: y'));
  const after = applySplices(added, deleteProperty(added, dialect, 'lectern-test'));
  // An empty block goes with the property that was the only one in it.
  const empty = parseFrontmatter(text, dialect)?.properties.length === 0;
  return after === text || (empty && after === withoutBlock(text, dialect))
    ? undefined
    : 'adding and deleting changed bytes';
}

function withoutBlock(text: string, dialect: Dialect): string {
  const span = parseFrontmatter(text, dialect)?.span ?? { start: 0, end: 0 };
  return text.slice(0, span.start) + text.slice(span.end);
}

const squeezed = (text: string) => text.replace(/[,\s]/g, '');

it.skipIf(!existsSync(VAULTS))('edits every property of the real vaults and changes no other byte', () => {
  const failures: string[] = [];
  const refused = new Map<string, number>();
  let edits = 0;
  const notes = notesWithProperties();
  for (const note of notes) {
    const frontmatter = parseFrontmatter(note.text, note.dialect);
    const unreadable = frontmatter?.problems.some((one) => one.severity === 'error') === true;
    const properties = frontmatter?.properties ?? [];
    const tries = [
      () => addOne(note),
      ...properties.flatMap((one) => [
        ...VALUES.map((value) => () => setOne(note, one, value)),
        () => deleteOne(note, one),
      ]),
    ];
    for (const attempt of tries) {
      edits += 1;
      try {
        const wrong = attempt();
        if (wrong !== undefined) failures.push(`${note.path}: ${wrong}`);
      } catch (error) {
        if (!isLecternError(error)) throw error;
        const expected = unreadable || error.message.includes(LOGSEQ_REFUSES);
        if (!expected) failures.push(`${note.path}: refused, ${error.message}`);
        refused.set(error.message, (refused.get(error.message) ?? 0) + 1);
      }
    }
  }
  console.log(`${edits} property edits in ${notes.length} notes`, Object.fromEntries(refused));
  expect(failures).toEqual([]);
});

it.skipIf(!existsSync(VAULTS))('reads real front matter quickly, and as the YAML reader does', () => {
  let quick = 0;
  const notes = notesWithProperties().filter(({ text }) => findFencedBlock(text) !== undefined);
  for (const { path, text } of notes) {
    const content = findFencedBlock(text)?.contentSpan ?? { start: 0, end: 0 };
    const reading = readQuick(text, content);
    if (reading === undefined) continue;
    quick += 1;
    expect(reading, path).toEqual(readYaml(text, content));
  }
  console.log(`${quick} of ${notes.length} blocks needed no YAML parser`);
  expect(quick / notes.length).toBeGreaterThan(0.9);
});

if (!existsSync(VAULTS)) console.log('properties: skipped, no folder of vaults (set LECTERN_SHARED)');
