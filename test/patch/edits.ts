import type { ParsedNote } from '../../src/notes/model.ts';
import { LINE_PLACES, PATCH_OP_NAMES, type PatchOp, type PatchOpName } from '../../src/notes/patch/op.ts';
import type { Random } from './random.ts';

/** Markdown that no place should refuse. */
const BENIGN = [
  'plain text',
  '- item',
  '- [ ] task 任务',
  'para one\n\npara two',
  '> quote 😀',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  '```js\n# no heading\n```',
  'text with [[link|名]] and #tag',
  '\n\nsurrounded\n\n',
  'crlf\r\nlines\r\n',
  '1. one\n2. two',
  '日本語のテキスト',
] as const;

/** Markdown that reaches beyond its place when it is not watched. */
const HOSTILE = [
  '---',
  '===',
  '---\nk: v\n---',
  '```\nopen',
  '~~~~\nopen\n~~~',
  '<!-- open',
  '<div>',
  '%%\nopen',
  '$$\nopen',
  '# New heading',
  '## Sub\n\ntext\n\n### Deeper',
  'Setext\n---',
  'text ^own-id',
  '^lone-id',
  '    indented code',
  '\t- deep',
  'costs $5 and',
  '[ref]: x.md',
  '\ufeffwith bom',
  '$1 $& $` \\1',
  'key:: value',
  'a\rb',
  '',
  '  ',
] as const;

const VALUES: readonly [unknown, ...unknown[]] = [
  'text',
  '',
  '-5 o’clock: totals #hot',
  '[[Link]]',
  'true',
  '2024-01-01',
  '01234',
  'multi\nline',
  ' padded ',
  'it\'s "q"',
  true,
  false,
  null,
  0,
  -60,
  1.5,
  12345678901,
  [],
  ['a', 'b c'],
  [1, true, 'x: y'],
  ['[[A]]'],
  { a: 1, b: ['c'] },
  '😀 emoji',
  '日本: 語',
  '# hash',
  '@at',
  '`tick',
  '%pct',
  '{brace',
  '- dash',
  '? q',
  '~',
  '*star',
  '&amp',
];

/** One edit that fits the note: it names headings, blocks, tasks and text that are there, most of the time. */
export function randomEdit(random: Random, note: ParsedNote): PatchOp {
  const hostile = random.chance(0.4);
  const markdown = hostile ? random.pick(HOSTILE) : random.pick(BENIGN);
  const names = PATCH_OP_NAMES.filter((name) => fits(name, note));
  const name = random.pick(names) ?? 'append_body';
  const heading = random.pick(note.headings);
  const occurrence =
    heading === undefined
      ? undefined
      : note.headings.filter((one) => one.text === heading.text).indexOf(heading) + 1;
  const address = { heading: heading?.text ?? 'none', ...(occurrence !== undefined && { occurrence }) };
  const section = random.chance(0.3) ? { keep_subsections: true } : {};
  switch (name) {
    case 'append_body':
    case 'prepend_body':
      return { op: name, markdown };
    case 'insert_lines': {
      const at = random.pick(LINE_PLACES) ?? 'end';
      return { op: name, markdown, at, ...(random.chance(0.5) && { blank_line: true }) };
    }
    case 'insert_before_heading':
    case 'insert_after_heading':
      return { op: name, markdown, ...address };
    case 'replace_section':
    case 'append_to_section':
      return { op: name, markdown, ...address, ...section };
    case 'replace_block':
      return { op: name, markdown, block_id: random.pick(note.blocks)?.id ?? 'none' };
    case 'rename_heading': {
      const to = random.pick([
        'New name',
        'B & "C"',
        'x: y',
        '中文 😀',
        'With [[link]]',
        '# marks',
        '1. one',
        'A #',
      ]);
      return { op: name, from: address.heading, to, ...(occurrence !== undefined && { occurrence }) };
    }
    case 'replace_text': {
      const from = random.chance(0.15) ? 0 : note.bodyStart;
      const start = from + random.below(Math.max(1, note.text.length - from));
      const old =
        [...note.text.slice(start, start + 1 + random.below(40))].join('').replace(/\p{Surrogate}/gu, '') ||
        'x';
      const unix = random.chance(0.5) ? old.replaceAll('\r\n', '\n') : old;
      const how = random.pick([{}, { all: true }, { occurrence: 1 }, { expected_count: 2 }]);
      return { op: name, old: unix, new: markdown, ...how, ...(from === 0 && { include_frontmatter: true }) };
    }
    case 'set_task': {
      const task = random.pick(note.tasks);
      const status = random.pick(['x', ' ', '/', 'done', 'todo', '😀', '-']);
      const by = random.chance(0.5) ? { line: task?.line ?? 1 } : { task: task?.text.trim() || 'none' };
      return { op: name, status, ...by };
    }
    case 'add_tag':
    case 'remove_tag': {
      const existing = random.pick(note.tags)?.name;
      const tag =
        existing !== undefined && random.chance(0.6)
          ? existing
          : random.pick(['new-tag', 'proj/sub', 'true', '日本']);
      return { op: name, tag };
    }
    case 'set_frontmatter':
    case 'delete_frontmatter': {
      const known = random.pick(note.frontmatter?.properties ?? [])?.key;
      const key =
        known !== undefined && random.chance(0.6)
          ? known
          : random.pick(['status', 'New Key', 'ключ', 'a.b', 'x: y']);
      if (name === 'delete_frontmatter') return { op: name, key };
      return { op: name, key, value: random.pick(VALUES) };
    }
  }
}

function fits(name: PatchOpName, note: ParsedNote): boolean {
  switch (name) {
    case 'replace_block':
      return note.blocks.length > 0;
    case 'set_task':
      return note.tasks.length > 0;
    case 'insert_before_heading':
    case 'insert_after_heading':
    case 'replace_section':
    case 'append_to_section':
    case 'rename_heading':
      return note.headings.length > 0;
    default:
      return true;
  }
}
