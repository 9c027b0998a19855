import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Written by hand, as people do: comments, quotes, uneven spaces, a flow list, a date, a block list. */
export const FRONTMATTER = [
  '---',
  '# kept by hand',
  'title: "Alpha: a plan"   # quoted for the colon',
  'tags: [boat,  hull]',
  'date: 2024-03-01',
  'status:   open    # was: idea',
  'aliases:',
  "    - 'First plan'",
  '    - Second plan',
  '---',
];

const BODY = [
  '',
  '# Plan',
  '',
  'See [[Beta]] and *this* or __that__.',
  '',
  '- one',
  '* two',
  '',
  '| a | b |',
  '|--|:-:|',
  '',
];

export const ODD_NOTE = `${[...FRONTMATTER, ...BODY].join('\n')}`;
export const CRLF_NOTE = `${[...FRONTMATTER, ...BODY].join('\r\n')}`;
export const CRLF_LINES = 'first line\r\nsecond line\r\nthird line\r\n';
export const OPEN_END = 'first line\nlast line';
/** `é` as one character, as people type it; the file is named with `e` and a combining accent, as macOS writes it. */
export const NFC_NAME = 'Caf\u00e9.md';
const NFD_NAME = 'Cafe\u0301.md';
export const CAFE_MARK = 'espresso-mark';
export const OUTSIDE_MARK = 'outside-mark';

const FILES: Readonly<Record<string, string>> = {
  '.obsidian/app.json': '{}\n',
  'Odd.md': ODD_NOTE,
  'Windows.md': CRLF_NOTE,
  'Lines.md': CRLF_LINES,
  'Open end.md': OPEN_END,
  'Parallel.md': '# Log\n',
  'Projects/Alpha.md': '# Alpha\n\nThe boat.\n',
  'Beta.md': '# Beta\n\nPart of [[Projects/Alpha]].\n',
  'Daily/2024-03-01.md': 'Worked on [[Alpha]].\n',
  'Gamma.md': 'As in [the plan](Projects/Alpha.md).\n',
  'Home.md': '# Home\n\nStart at [[Beta]].\n',
  'map.canvas': JSON.stringify({
    nodes: [{ id: '1', type: 'file', file: 'Projects/Alpha.md', x: 0, y: 0, width: 400, height: 300 }],
    edges: [],
  }),
  'Rig.md': 'The blue paint is for the hull. Nobody has looked at the old rudder yet.\n',
  '会議.md': '昨日の打合せで来月の計画を決めた。\n',
  [NFD_NAME]: `${CAFE_MARK}\n`,
};

/** The notes, in this order, that link to `Projects/Alpha.md`, as they would be named in an answer. */
export const LINKING = ['Daily/2024-03-01', 'Beta', 'Gamma', 'map.canvas'];

/** Writes the small vault that every probe starts from, with a link to a file beside it. */
export function writeProbeVault(vault: string, outside: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  writeFileSync(outside, `${OUTSIDE_MARK}\n`);
  symlinkSync(outside, join(vault, 'link.md'));
}
