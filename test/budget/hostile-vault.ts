/** A vault in which everything is too much: long lines, deep nesting, tens of thousands of tags, links, nodes. */
export function hostileVault(scale: number): Record<string, string> {
  const many = (count: number, make: (at: number) => string, between = '') =>
    Array.from({ length: Math.max(1, Math.round(count * scale)) }, (_, at) => make(at)).join(between);
  const files: Record<string, string> = {
    'Target.md': '# Target\n\n## Part\n\ntext ^block\n',
    'Small.md': '---\ntags: [small]\nstatus: open\n---\n# Small\n\n[[Target]] eeee\n\n- [ ] task\n',
    'Eeee.md': 'eeee\n',
    'One line.md': `${many(800_000, () => 'word ')}end\n`,
    'No space.md': `${many(2_000_000, () => 'a')}!\n`,
    'Tags.md': many(60_000, (at) => `#t${at}`, ' '),
    'Headings.md': many(20_000, (at) => `${'#'.repeat(1 + (at % 6))} Head ${at}\n\ntext\n\n`),
    'Same headings.md': many(20_000, () => '## Same\n\n'),
    'Links.md': many(60_000, (at) => `[[Target]] [[Target#Part|p${at}]] [[n${at}]]\n`),
    'Heading links.md': many(300, () => '# See [[Target]]\n\n'),
    'Tasks.md': many(40_000, (at) => `- [ ] do ${at} ^b${at}\n`),
    'Quotes.md': `${many(5000, () => '> ')}deep\n`,
    'List.md': many(2000, (at) => `${'  '.repeat(at)}- item\n`),
    'Brackets.md': `${many(200_000, () => '[[')}\n${many(100_000, () => '[a](')}\n`,
    'Marks.md': many(50_000, (at) => ['`', '*', '**', '_', '$$', '%%', '~~', '<', '&'][at % 9] ?? '', 'a'),
    'Fence.md': `${many(200_000, () => '```\n')}text [[Target]]\n`,
    'Table.md': `| ${many(2000, () => 'a | ')}\n| ${many(2000, () => '- | ')}\n${many(2000, () => '| a | b |\n')}`,
    'References.md': `${many(20_000, (at) => `[x${at}][r${at % 50}] `)}\n\n${many(50, (at) => `[r${at}]: Target.md\n`)}`,
    'Properties.md': `---\n${many(5000, (at) => `key${at}: [value ${at}, "[[Target]]"]\n`)}---\nbody\n`,
    'Deep property.md': `---\nkey: ${many(5000, () => '[')}${many(5000, () => ']')}\n---\nbody\n`,
    'Anchors.md': `---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]\n`).join('')}---\nbomb\n`,
    'Open quote.md': `---\nkey: "${many(100_000, () => 'x\n')}---\nbody\n`,
    'Words.md': many(100_000, (at) => `w${at} `),
    'Scripts.md': many(20_000, () => '系統 かな 한국어 שלום 👩‍🚀 e\u0301 '),
    'Board.canvas': JSON.stringify({
      nodes: Array.from({ length: Math.round(20_000 * scale) }, (_, at) =>
        at % 2 === 0
          ? { id: `${at}`, type: 'file', file: 'Target.md', x: at, y: 0, width: 1, height: 1 }
          : { id: `${at}`, type: 'text', text: `[[Target]] ${at}`, x: at, y: 1, width: 1, height: 1 },
      ),
      edges: [],
    }),
    'Deep.canvas': `{"nodes":${'['.repeat(100_000 * scale)}`,
    'All.base':
      'formulas:\n  a: file.backlinks.length + file.links.length\nviews:\n  - type: table\n    name: All\n    order: [file.name, formula.a, status]\n',
    'Huge.base': `views:\n${many(5000, (at) => `  - type: table\n    name: V${at}\n    filters: 'status == "v${at}"'\n`)}`,
    'Deep.base': `filters:\n${many(60, (at) => `${'  '.repeat(at + 1)}and:\n${'  '.repeat(at + 1)}-\n`)}`,
    'Bomb.base': `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'
      .split('')
      .map((key, at) => `${key}: &${key} [${`*${'abcdefg'[at]}, `.repeat(9)}]\n`)
      .join('')}`,
  };
  for (let at = 0; at < 24 * scale; at += 1)
    files[`many/Large ${at}.md`] =
      `# Large ${at}\n\n${'[[Target]] and words to read #large\n'.repeat(25_000)}`;
  for (let at = 0; at < 600 * scale; at += 1)
    files[`plain/Note ${at}.md`] =
      `---\nstatus: s${at % 5}\ntags: [plain/p${at % 40}]\n---\n# Note ${at}\n\n[[Note ${(at * 7) % 600}]] [[Target]]\n\nword${at % 70} lorem ipsum\n`;
  for (let at = 0; at < 20; at += 1)
    files[`scratch/S${at}.md`] = `# S${at}\n\ntext [[S${(at + 1) % 20}]] #scratch\n`;
  return files;
}

/** Notes that a hostile call is aimed at. */
export const HOSTILE_FILES = Object.keys(hostileVault(0.01));
