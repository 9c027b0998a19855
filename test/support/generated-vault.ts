import type { Random } from '../patch/random.ts';

const FOLDERS = [
  '',
  'Projects',
  'Projects/Äpfel & Birnen',
  'Projects/old (2019)',
  'Journal/2024',
  '日本語',
  'a/b/c',
];
const NAMES = [
  'Foo',
  'foo bar',
  "It's",
  'R&D $1',
  'v1.2',
  'Notes (draft)',
  '会議メモ',
  '🚀 Launch',
  'Cafe\u0301',
  'Index',
  '100% sure',
  'a+b=c',
  'Ünïcode',
  '_under_score_',
  'README',
];

const wiki = (path: string): string => path.replace(/\.md$/, '');
const bare = (path: string): string => wiki(path.slice(path.lastIndexOf('/') + 1));
const encoded = (path: string): string =>
  encodeURI(path).replace(/[()?#&]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

function relative(from: string, to: string): string {
  const source = from.split('/').slice(0, -1);
  const target = to.split('/');
  let same = 0;
  while (same < source.length && same < target.length - 1 && source[same] === target[same]) same++;
  return [...source.slice(same).map(() => '..'), ...target.slice(same)].join('/');
}

/** About `notes` notes with every form of link there is, namesakes among them, attachments and a canvas; always the same for one seed. */
export function generatedVault(random: Random, notes: number): Record<string, string> {
  const paths = new Set<string>();
  while (paths.size < notes) {
    const folder = random.pick(FOLDERS) ?? '';
    const name = random.chance(0.7)
      ? (random.pick(NAMES) ?? '')
      : `${random.pick(NAMES)} ${random.below(40)}`;
    paths.add(`${folder === '' ? '' : `${folder}/`}${name}.md`);
  }
  const attachments = ['img/pic one.png', 'Projects/pic one.png', 'img/data.pdf', 'sound (1).mp3'];
  const all = [...paths, ...attachments, 'Board.canvas'];
  const files: Record<string, string> = {};
  for (const path of paths) files[path] = noteText(random, path, all);
  for (const path of attachments) files[path] = `not text ${path}`;
  const nodes = Array.from({ length: 8 }, (_, at) => {
    const target = random.pick(all) ?? '';
    return at % 2 === 0
      ? { id: `f${at}`, type: 'file', file: target, x: 0, y: 0, width: 1, height: 1 }
      : {
          id: `t${at}`,
          type: 'text',
          text: `say "[[${wiki(target)}|x]]"\n[m](${encoded(target)})`,
          x: 0,
          y: 0,
          width: 1,
          height: 1,
        };
  });
  files['Board.canvas'] = JSON.stringify({ nodes, edges: [] }, null, '\t');
  return files;
}

function noteText(random: Random, path: string, all: readonly string[]): string {
  const any = () => random.pick(all) ?? '';
  const up = any();
  const refs = [any(), any()];
  const eol = random.chance(0.2) ? '\r\n' : '\n';
  const lines = [
    ...(random.chance(0.5)
      ? [
          '---',
          `up: "[[${wiki(up)}]]" # kept`,
          'related:',
          `  - '[[${bare(any()).replaceAll("'", "''")}|of old]]'`,
          `  - "[[${bare(any())}#Part]]"`,
          'tags: [a, b/c]',
          '---',
        ]
      : []),
    `# ${bare(path)}`,
    `See [[${bare(any())}]], [[${wiki(any())}]] and [[${any()}|shown]].`,
    `Embedded: ![[${bare(any())}#Part]] ![[${any()}|300x200]] and [[#Part]] and [[nowhere ${random.below(9)}]].`,
    `Markdown: [one](${encoded(any())}) [two](<${relative(path, any())}>) [three](/${encoded(any())} "a title") ![p](${encoded(relative(path, any()))}).`,
    `Same words: [[${wiki(up)}|${bare(up)}]] [${bare(up)}](${encoded(relative(path, up))}#Part) \`[[${bare(up)}]]\``,
    '',
    `| a | b |`,
    `| - | - |`,
    `| [[${wiki(any())}\\|cell]] | ![[${bare(any())}\\|30]] |`,
    '',
    '## Part',
    `A [reference][r] and [another] one, outside: [x](https://example.org/${encoded(bare(up))}.md). ^id`,
    '',
    `[r]: ${encoded(relative(path, refs[0] ?? ''))} "t"`,
    `[another]: <${refs[1]}>`,
    '',
    '```',
    `[[${bare(up)}]] [x](${encoded(up)})`,
    '```',
    `%% [[${bare(up)}]] %%`,
    `- [ ] task [[${bare(any())}#^id|block]] [![pic](img/pic%20one.png)](${encoded(any())})`,
  ];
  return `${lines.join(eol)}${eol}`;
}
