import type { Question } from './compare.ts';
import { NAMES, TAGS, WORDS } from './vaults.ts';

type Input = Question[1];

/** Asks of every file what its links and those to it are. */
const BASE = `formulas:
  backlinks: file.backlinks.length
  links: file.links.length
  up: file.asLink(up)
views:
  - type: table
    name: All
    order: [file.path, formula.backlinks, formula.links, formula.up, file.tags]
    summaries:
      formula.links: Sum
`;

/** What every read is asked, to reach what may be hidden. A new operation that reads has to be asked here, too. */
export const READS: Readonly<Record<string, (paths: readonly string[]) => readonly Input[]>> = {
  vault_status: () => [{}],
  vault_search: () => [
    ...WORDS.map((q) => ({ q, limit: 50 })),
    { q: 'quoka' },
    { q: 'walaby', mode: 'hybrid' },
    { q: 'alpha bravo zulu', mode: 'semantic', limit: 50 },
    { q: 'alpha bravo zulu', mode: 'hybrid', limit: 50 },
    { q: 'alpha bravo charlie zulu quokka part', limit: 50 },
    { q: 'alp', limit: 50 },
    { q: '"part alpha"', limit: 50 },
    { q: 'alpha OR zulu OR quokka', limit: 50 },
    { q: 'alpha -zulu', limit: 50 },
    { q: '-alpha', limit: 50 },
    { q: '/[aeiou]lpha|Secret/', limit: 50 },
    { q: 'path:secret', limit: 50 },
    { q: 'path:open alpha', limit: 50 },
    { q: 'tag:#hidden', limit: 50 },
    { q: 'line:(alpha bravo)', limit: 50 },
    { q: '[up]', limit: 50 },
    { q: 'alpha OR zulu', path_glob: '**/Secret/**' },
    { q: 'alpha', tag: 'open' },
  ],
  note_read: each((path) => [
    { path, include: ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] },
  ]),
  note_outline: each((path) => [{ path }]),
  note_list: () => [
    {},
    { path_glob: '**/Secret/**' },
    { path_glob: '!Open/**', sort: '-title' },
    { limit: 2, sort: 'size' },
    { frontmatter: { up: '[[Home]]' } },
  ],
  note_exists: each((path) => [{ path }]),
  note_related: each((path) => [{ path, limit: 20 }]),
  ai_status: () => [{}],
  ai_summarize: (paths) => [
    { scope: {}, include: ['tasks', 'headings', 'tags'] },
    { scope: { paths, max_notes: 100 }, length: 'long' },
    { scope: { path_glob: '**/Secret/**' } },
    { scope: { query: 'alpha zulu', heading: 'Part', max_notes: 2 } },
    ...TAGS.map((tag) => ({ scope: { tag: [tag] } })),
  ],
  ai_ask: (paths) => [
    ...WORDS.map((word) => ({ question: `where is ${word} bravo part`, retrieve: { mode: 'lexical' } })),
    {
      question: 'alpha bravo zulu',
      scope: { paths, max_notes: 100 },
      retrieve: { top_k: 20, mode: 'lexical' },
    },
    { question: 'alpha zulu quokka', scope: { tag: ['hidden'] }, retrieve: { mode: 'lexical' } },
  ],
  ai_relate: (paths) => [
    ...paths.map((path) => ({ source: path, propose_links: true })),
    { source: 'Home', candidates: paths.slice(0, 50), propose_links: true },
  ],
  link_backlinks: each((path) => [{ path }, { path, limit: 1 }]),
  link_forward: each((path) => [{ path, limit: 200 }]),
  link_unresolved: () => [{ limit: 200 }, { limit: 1 }],
  link_orphans: () => [{ limit: 200 }],
  tag_list: () => [{ limit: 500 }, { prefix: 'hidden/' }],
  tag_notes: () => TAGS.map((tag) => ({ tag })),
  note_history: (paths) => [
    {},
    { limit: 1 },
    { refused: true },
    { mine: true },
    ...paths.map((path) => ({ path })),
  ],
  trash_list: () => [{}, { limit: 1 }],
  vault_config_get: () => [{}],
  base_query: (paths) => [
    ...paths.map((path) => ({ source: BASE, this: path, limit: 100 })),
    ...paths.map((path) => ({ path })),
    { source: BASE, filter: 'file.hasTag("hidden")' },
    { source: BASE, filter: 'file.hasLink("Home")', format: 'csv' },
    { source: BASE, sort: ['-formula.backlinks'], limit: 2 },
  ],
  canvas_read: (paths) => [
    ...paths.map((path) => ({ path })),
    ...paths
      .filter((path) => path.endsWith('.canvas'))
      .flatMap((path) => [
        { path, file: 'Home' },
        { path, q: 'plan' },
        { path, type: 'file', limit: 1 },
      ]),
  ],
  folder_list: () => [{}, { limit: 1 }, { below: 'Secret' }, { below: 'Open' }],
  task_list: (paths) => [
    {},
    { limit: 1 },
    { status: 'open', sort: 'due' },
    ...TAGS.map((tag) => ({ tag })),
    ...paths.map((path) => ({ path_glob: path })),
  ],
  base_check: (paths) => [{ source: BASE }, ...paths.map((path) => ({ path }))],
  property_list: () => [{}, { prefix: 'u' }, { limit: 1 }],
  property_values: () => [{ name: 'up' }, { name: 'tags' }, { name: 'nothing' }, { name: 'up', limit: 1 }],
};

/** Lists that are gone through page by page. */
export const PAGED: readonly Question[] = [
  ['note_list', { limit: 2 }],
  ['vault_search', { q: 'alpha OR zulu OR quokka OR part', limit: 2 }],
  ['vault_search', { q: '-nothing', limit: 3 }],
  ['link_unresolved', { limit: 2 }],
  ['link_orphans', { limit: 1 }],
  ['tag_list', { limit: 2 }],
  ['task_list', { limit: 1 }],
  ['property_values', { name: 'up', limit: 1 }],
  ['base_query', { source: BASE, limit: 2 }],
  ['note_history', { limit: 1 }],
  ['trash_list', { limit: 1 }],
];

export function questionsAbout(paths: readonly string[]): Question[] {
  return Object.entries(READS).flatMap(([operation, inputs]) =>
    inputs(paths).map((input): Question => [operation, input]),
  );
}

/** Names as callers mistype them, and paths that may be hidden. */
export function namesOf(paths: readonly string[]): readonly string[] {
  return [...new Set([...paths, ...NAMES, 'Hom', 'Secret/Hme.md', 'secret/home', 'Deep/Foo', 'Dairy'])];
}

function each(inputs: (path: string) => readonly Input[]): (paths: readonly string[]) => readonly Input[] {
  return (paths) => paths.flatMap(inputs);
}
