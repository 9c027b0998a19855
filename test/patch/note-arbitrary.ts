import fc from 'fast-check';

const FRONT_MATTER = [
  '',
  '---\ntitle: T  # comment\ntags: [a, "b c"]\n\nlist:\n  - one\n  - "[[Two]]"\nn: 012\n---\n',
  '---\nTags: solo\nempty:\n---\n',
  '---\n---\n',
  '---\nnot closed\n',
  "---\n\"quoted key\": 'it''s'\nfold: >\n  some\n  text\nmap: {a: 1, b: [x, y]}\n--- \n\n",
] as const;

const BLOCKS = [
  '# One',
  '## Two',
  '## Two',
  '### **Bold** [[x]] 中文 #',
  '#### With id ^head-id',
  'Setext\n===',
  'Setext two\n---',
  'A paragraph with `code #no`, #tag/sub, [[Note#Two|alias]] and [l](#Two).',
  'Text of two\nlines ^para-id',
  '- item ^item-id\n  - child\n  - [ ] child task\n- [x] done 😀',
  '1. one\n2. [/] half #todo',
  '| a | b |\n| --- | --- |\n| [[x\\|y]] | `## no` |\n\n^table-id',
  '```sh\n# no heading\n~~~\n```',
  '~~~~\n#notag\n~~~\n~~~~',
  '> quote\n> ## quoted\n> - a',
  '> [!note] Callout\n> text\n\n^callout-id',
  '    indented # code',
  '$$\n# math\n$$',
  '%%\n# hidden\n%%',
  '<!-- # hidden\n\n# too -->',
  '<div>\n# html\n</div>',
  '---',
  '[[#One]] [[#Two]] [m](#Two) [[#One#Two]]',
  '日本語の文章。#タグ と 絵文字 👩‍👩‍👧 é',
  'Trailing spaces  \nhard break\\\nend',
  '\\# escaped \\#tag #real',
  '',
] as const;

/** Notes with every construct an edit may meet, in all line endings, with and without BOM and final newline. */
export const noteText: fc.Arbitrary<string> = fc
  .record({
    bom: fc.boolean(),
    frontMatter: fc.constantFrom(...FRONT_MATTER),
    blocks: fc.array(fc.tuple(fc.constantFrom(...BLOCKS), fc.constantFrom('\n', '\n\n', '\n\n\n', '\n \n')), {
      maxLength: 10,
    }),
    final: fc.constantFrom('', '\n', '\n\n', '\n  '),
    eol: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  })
  .map(({ bom, frontMatter, blocks, final, eol }) => {
    const body = blocks.map(([block, gap], index) => (index === 0 ? block : gap + block)).join('');
    return (bom ? '\ufeff' : '') + (frontMatter + body + final).replaceAll('\n', eol);
  });
