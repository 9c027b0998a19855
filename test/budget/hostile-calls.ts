import fc from 'fast-check';
import { hostileQueries } from '../support/hostile-queries.ts';
import { HOSTILE_FILES } from './hostile-vault.ts';

/** Arguments that no sane caller sends, for every operation. */

export type Arguments = Record<string, unknown>;

/** What is refused first when it is wrong, which nearly all of its values are. */
const SELDOM: ReadonlySet<string> = new Set(['cursor', 'if_match', 'idempotency_key', 'block', 'view']);

const PIECES = [
  'a',
  'word ',
  'é',
  '系',
  '😀',
  '\ud83d',
  '\0',
  '\u202e',
  'e\u0301',
  '[[',
  '![[a]]',
  '](',
  '`',
  '```\n',
  '$$',
  '%%',
  '<!--',
  '#tag ',
  '# H\n',
  '> ',
  '* ',
  '- [ ] x\n',
  '| ',
  '&a ',
  '*a ',
  '{',
  '[',
  '{{',
  '"',
  "'",
  '\\',
  '(',
  '/',
  '..',
  '**/',
  '?',
  '{a,b}',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '---\n',
  'k: v\n',
  '[a]: b\n',
  '^x ',
  '<a ',
  '&amp;',
  '_',
  '==',
];

/** Up to `most` characters of a few pieces over and over; seldom as many as that. */
function repeated(most: number): fc.Arbitrary<string> {
  const length = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: Math.min(most, 5000) }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: most }) },
    { weight: 1, arbitrary: fc.constant(most) },
  );
  return fc
    .tuple(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }), length)
    .map(([pieces, characters]) => {
      const piece = pieces.join('');
      return piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);
    });
}

const nested = fc
  .tuple(fc.constantFrom('[]', '{}'), fc.constantFrom(10, 60, 100, 500))
  .map(([kind, depth]) => {
    let value: unknown = 'deep';
    for (let at = 0; at < depth; at += 1) value = kind === '[]' ? [value] : { a: value };
    return value;
  });

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e21, 1.5, '', [], {}, [[]], '[', '{"a":1}'),
  repeated(3000),
  nested,
  fc.integer({ min: 1, max: 30_000 }).map((count) => Array.from({ length: count }, (_, at) => at)),
  fc
    .integer({ min: 1, max: 30_000 })
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, `v${at}`]))),
  // A container as text, which is taken for one.
  fc.integer({ min: 1, max: 40_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
);

const file = fc.constantFrom(...HOSTILE_FILES);
const path = fc.oneof(
  { weight: 8, arbitrary: file },
  { weight: 1, arbitrary: repeated(5000) },
  { weight: 1, arbitrary: fc.constantFrom('../a.md', '/etc/passwd', '.git/config', 'a\0.md', 'CON.md', '') },
);
/** Spellings that nothing has: they are looked for among all. */
const missing = fc.oneof(
  file.map((name) => name.slice(1)),
  repeated(4000).map((text) => `${text}.md`),
);
const scratch = fc.integer({ min: 0, max: 19 }).map((at) => `scratch/S${at}.md`);
const tag = fc.oneof(
  fc.constantFrom('t1', 't', 'plain', 'large', 'scratch', '#plain/p1', 't59999'),
  repeated(4000),
);
const glob = fc.oneof(
  repeated(5000),
  fc.constantFrom(
    '**',
    '**/*',
    '*/'.repeat(2000),
    '**/'.repeat(500),
    '{a,b}'.repeat(10),
    '*a'.repeat(1000),
    '!**',
  ),
  fc.integer({ min: 1, max: 3000 }).map((count) => `${'*?'.repeat(count)}z`),
);
const cursor = fc.oneof(repeated(4000), fc.constantFrom('h:1', 'bm9uc2Vuc2U', '}{'));
const limit = fc.constantFrom(1, 2, 10, 50, 50, 50, 200, 500, 1000, 1e9, -1);
const page = { limit, cursor };
const etag = fc.oneof(repeated(200), fc.constantFrom('0123456789abcdef', '"0123456789abcdef"'));
const dryRun = fc.constantFrom(true, true, true, false);
const dry = fc.constant(true);
const time = fc.oneof(fc.constantFrom('2h', '9999999d', '1970-01-01', '+275760-09-13'), repeated(2000));

const REGEXES = [
  '(a+)+$',
  '(a|a)*b',
  '(.*){20}x',
  '(x+x+)+y',
  '(\\w+\\s?)*$',
  '[a-z]*[a-z]*[a-z]*!',
  '.*.*.*=',
  '(?:a?){50}a{50}',
];
const query = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000 }).map((seed) => hostileQueries(20, seed)[seed % 20]?.query ?? 'a'),
  repeated(100_000),
  fc.constantFrom(...REGEXES).map((regex) => `/${regex}/`),
  fc.constantFrom(...REGEXES).map((regex) => `line:(/${regex}/)`),
  fc
    .tuple(fc.constantFrom('word', 'w1', 'a', 'lorem', 't1'), fc.constantFrom(100, 5000, 20_000))
    .map(([word, count]) => `"${`${word} `.repeat(count)}"`),
  fc.constantFrom(2000, 16_000).map((count) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')),
  fc
    .constantFrom(2000, 12_000)
    .map((count) => Array.from({ length: count }, (_, at) => `w${at}`).join(' OR ')),
  fc.constantFrom(2000, 12_000).map((count) => Array.from({ length: count }, (_, at) => `-w${at}`).join(' ')),
);
const properties = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 50 }), { maxKeys: 20 }),
  fc
    .constantFrom(150, 250, 9000)
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))),
  fc.record({ key: nested }),
  fc.record({ key: repeated(100_000) }),
  fc.record({ key: fc.constantFrom(100, 9000, 30_000).map((count) => Array(count).fill('x')) }),
  repeated(200).map((key) => ({ [key]: 1 })),
);
const body = fc.oneof(
  { weight: 6, arbitrary: repeated(60_000) },
  { weight: 2, arbitrary: repeated(400_000) },
  { weight: 1, arbitrary: repeated(3_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(17_000_000, 34_000_000).map((count) => 'a'.repeat(count)) },
);
const markdown = fc.oneof(
  { weight: 4, arbitrary: repeated(2000) },
  { weight: 1, arbitrary: repeated(300_000) },
);
const heading = fc.oneof(
  fc.constantFrom(
    'Same',
    'Head 1',
    'Head 19',
    '# Target',
    'Part',
    'Target > Part',
    'See Target',
    'A > '.repeat(1000),
  ),
  repeated(4000),
);

const FORMULAS = [
  '1 + '.repeat(20_000).concat('1'),
  '('.repeat(30_000).concat(')'.repeat(30_000)),
  '['.repeat(3000).concat(']'.repeat(3000)),
  'a.'.repeat(30_000).concat('b'),
  '!'.repeat(90_000).concat('true'),
  '"a".repeat(100000000)',
  '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".replace(/(a+)+$/, "b")',
  '/(a+)+$/.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")',
  'file.links.map(file.links.map(file.links.map(value)))',
  'file.backlinks.map(value.asFile().backlinks.length)',
  'list(1).map(list(1))'.concat('.map(list(value))'.repeat(500)),
  'formula.a',
  'file.tags.join("x").split("").map(value.repeat(1000)).join("")',
  '"x".repeat(1000).split("").map("x".repeat(1000)).join("")',
  'if('.repeat(2000).concat('true', ', 1)'.repeat(2000)),
  'file.properties.values.map(value.toString())',
  '[1,2,3].filter([1,2,3].filter([1,2,3].filter(true)))',
  'date("2020-01-01") + "999999999999y"',
  'number("1e308") * number("1e308")',
];
const formula = fc.oneof(fc.constantFrom(...FORMULAS), repeated(20_000));
const base = fc.oneof(
  formula.map((text) => `filters: ${JSON.stringify(text)}`),
  formula.map(
    (text) =>
      `formulas:\n  a: ${JSON.stringify(text)}\n  b: formula.a\nviews:\n  - type: table\n    order: [formula.a, formula.b]\n`,
  ),
  fc
    .constantFrom(10, 500)
    .map(
      (count) =>
        `formulas:\n${Array.from({ length: count }, (_, at) => `  f${at}: formula.f${at + 1} + formula.f${at + 1}\n`).join('')}  f${count}: '"x"'\nviews:\n  - type: table\n    order: [formula.f0]\n`,
    ),
  fc.constantFrom(5, 9).map((levels) => {
    const rows = Array.from(
      { length: levels },
      (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]\n`,
    );
    return `a0: &a0 [${'x, '.repeat(9)}]\n${rows.join('')}`;
  }),
  fc.constantFrom(1000, 40_000).map((depth) => `filters: ${'['.repeat(depth)}`),
  fc
    .constantFrom(50, 3000)
    .map((depth) => `filters:\n  and: ${'[{and: '.repeat(depth)}[]${'}]'.repeat(depth)}\n`),
  fc
    .constantFrom(300, 2000)
    .map(
      (count) =>
        `views:\n${Array.from({ length: count }, (_, at) => `  - type: table\n    name: V${at}\n`).join('')}`,
    ),
  fc.constant('properties:\n'.concat('  a: {displayName: b}\n'.repeat(4000))),
  repeated(100_000),
);

const op = fc.oneof(
  // What doubles, and doubles again.
  fc.record({
    op: fc.constant('replace_text'),
    old: fc.constantFrom('e', 'a', ' '),
    new: fc.constantFrom('ee', 'eeee', 'aaaaaaaaaa'),
    all: fc.constant(true),
  }),
  fc.record({
    op: fc.constant('replace_text'),
    old: repeated(3000),
    new: repeated(3000),
    all: fc.boolean(),
    include_frontmatter: fc.boolean(),
  }),
  fc.record({ op: fc.constantFrom('append_body', 'prepend_body'), markdown }),
  fc.record({
    op: fc.constantFrom(
      'insert_before_heading',
      'insert_after_heading',
      'replace_section',
      'append_to_section',
    ),
    heading,
    markdown,
  }),
  fc.record({
    op: fc.constant('replace_block'),
    block_id: fc.constantFrom('b1', 'block', '^b2', 'x'),
    markdown,
  }),
  fc.record({ op: fc.constant('rename_heading'), from: heading, to: heading }),
  fc.record({
    op: fc.constant('set_frontmatter'),
    key: fc.oneof(fc.constantFrom('key', 'tags', 'status'), repeated(300)),
    value: anything,
  }),
  fc.record({ op: fc.constant('set_frontmatter'), key: fc.constant('key'), json: repeated(20_000) }),
  fc.record({ op: fc.constant('delete_frontmatter'), key: fc.constantFrom('key', 'key1', 'tags') }),
  fc.record({ op: fc.constantFrom('add_tag', 'remove_tag'), tag }),
  fc.record({
    op: fc.constant('set_task'),
    line: fc.constantFrom(1, 20, 1e9),
    status: fc.constantFrom('x', ' ', 'done'),
  }),
  fc.record({ op: fc.constant('set_task'), task: repeated(2000), status: fc.constantFrom('x', ' ') }),
);
const ops = fc.oneof(
  { weight: 4, arbitrary: fc.array(op, { minLength: 1, maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc.tuple(op, fc.constantFrom(2, 24, 200, 201)).map(([one, count]) => Array(count).fill(one)),
  },
  { weight: 1, arbitrary: fc.array(op, { minLength: 20, maxLength: 60 }) },
);

const id = fc.oneof(fc.constantFrom('0', '1', '19999', 'x'), repeated(3000));
const canvasNode = fc.record({
  id,
  type: fc.constantFrom('text', 'file', 'link', 'group', 'odd'),
  text: markdown,
  file: path,
  x: fc.constantFrom(0, 1e308, -1, 0.1),
  y: fc.constantFrom(0, 1e308, -1),
  width: fc.constantFrom(10, 0, 1e308),
  height: fc.constantFrom(10, -1),
});
const canvas = fc.oneof(
  fc.record({ nodes: fc.array(canvasNode, { maxLength: 20 }), edges: fc.array(anything, { maxLength: 3 }) }),
  fc.constantFrom(500, 1500, 9000).map((count) => ({
    nodes: Array.from({ length: count }, (_, at) => ({
      ...{ id: `${at}`, type: 'text', text: '[[Target]]', x: at, y: at, width: 10, height: 10 },
    })),
    edges: Array.from({ length: count }, (_, at) => ({ id: `e${at}`, fromNode: `${at}`, toNode: '0' })),
  })),
  fc.constantFrom(300, 1500).map((count) => ({
    nodes: Array.from({ length: count }, (_, at) => ({
      ...{ id: `${at}`, type: 'group', x: at, y: at, width: 1e6 - 2 * at, height: 1e6 - 2 * at },
    })),
  })),
  fc.record({ nodes: nested, extra: nested }),
);
const canvasOp = fc.oneof(
  fc.record(
    {
      op: fc.constantFrom('add_node', 'update_node', 'move_node', 'add_group_around'),
      id,
      ids: fc.array(id, { maxLength: 20 }),
      type: fc.constantFrom('text', 'file', 'group'),
      text: markdown,
      file: path,
      label: repeated(2000),
      near: fc.constantFrom('0', '1'),
      group: id,
      x: fc.constantFrom(0, 1e308),
      y: fc.constantFrom(0, -1e308),
      extra: fc.record({ key: nested }),
    },
    { requiredKeys: ['op', 'id'] },
  ),
  fc.constant({ op: 'add_node', type: 'text', text: 'x' }),
  fc.constant({ op: 'add_node', type: 'text', text: 'x', near: '0' }),
  fc.record({
    op: fc.constantFrom('add_edge', 'update_edge', 'remove_edge', 'remove_node', 'odd'),
    id,
    from_node: id,
    to_node: id,
    label: repeated(2000),
  }),
);
const board = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('Board.canvas', 'Deep.canvas') },
  { weight: 1, arbitrary: path },
);
const canvasPath = fc.oneof(fc.constantFrom('scratch/New.canvas', 'Board.canvas', 'Deep.canvas'), path);
const folder = fc.oneof(
  fc.constantFrom('plain', 'many', 'scratch', 'new/er'),
  repeated(4096),
  fc.constant('a/'.repeat(2000)),
);

const write = { dry_run: dryRun, idempotency_key: fc.oneof(repeated(190), fc.uuid()) };

const apply = {
  apply: fc.boolean(),
  apply_mode: fc.constantFrom('merge', 'replace', 'only_empty'),
  if_match: etag,
  ...write,
};

const aiScope = some({
  paths: fc.array(fc.oneof(path, missing), { minLength: 1, maxLength: 60 }),
  path_glob: glob,
  tag: fc.array(tag, { minLength: 1, maxLength: 10 }),
  query,
  heading,
  since: fc.constantFrom('2020-01-01', '1d'),
  max_notes: fc.constantFrom(1, 50, 500),
});

/** By operation; one that is missing here is not held to its budget. */
const SHAPES: Readonly<Record<string, fc.Arbitrary<Arguments>>> = {
  vault_status: some({}),
  vault_search: some(
    {
      q: query,
      mode: fc.constantFrom('lexical', 'hybrid', 'semantic'),
      tag: fc.array(tag, { maxLength: 40 }),
      path_glob: glob,
      frontmatter: properties,
      ...page,
    },
    ['q'],
  ),
  note_read: some(
    {
      path,
      include: fc.constantFrom(
        ['frontmatter'],
        ['outline', 'links', 'backlinks', 'tags', 'stats'],
        Array(5000).fill('links'),
      ),
      heading,
      block_id: fc.constantFrom('b1', 'block', 'x'),
      offset: fc.constantFrom(0, 1, 1_000_000, 1e15),
      max_chars: fc.constantFrom(1, 1000, 100_000, 1e9),
    },
    ['path'],
  ),
  note_outline: some({ path, ...page }, ['path']),
  note_list: some({
    path_glob: glob,
    tag,
    frontmatter: properties,
    sort: fc.constantFrom('path', '-mtime', 'title', 'size'),
    ...page,
  }),
  note_exists: some({ path: fc.oneof(path, missing) }, ['path']),
  note_related: some({ path, limit }, ['path']),
  ai_status: some({}),
  ai_summarize: some(
    {
      scope: aiScope,
      length: fc.constantFrom('short', 'medium', 'long'),
      include: fc.constant(['tasks', 'headings', 'tags']),
    },
    ['scope'],
  ),
  ai_ask: some(
    {
      question: query,
      scope: aiScope,
      retrieve: fc.record({
        top_k: fc.constantFrom(1, 20),
        mode: fc.constantFrom('lexical', 'semantic', 'hybrid'),
      }),
    },
    ['question'],
  ),
  ai_toc: some(
    {
      mode: fc.constantFrom('note', 'folder', 'glob', 'tag'),
      path: fc.oneof(path, folder, glob, tag),
      scope: aiScope,
      depth: fc.constantFrom(1, 6),
      include_descriptions: fc.boolean(),
      include_summaries: fc.boolean(),
      group_by: fc.constantFrom('none', 'folder', 'tag', 'letter', 'cluster'),
      max_per_group: fc.constantFrom(1, 200),
      title: repeated(200),
      write: fc.record({ path: scratch }),
      frontmatter: properties,
      if_match: etag,
      ...write,
    },
    ['mode', 'path'],
  ),
  ai_tag: some(
    {
      scope: aiScope,
      vocabulary: some({
        allow_new: fc.boolean(),
        candidates: fc.array(tag, { maxLength: 50 }),
        forbid: fc.array(tag, { maxLength: 50 }),
        namespace: tag,
        min_confidence: fc.constantFrom(0, 1),
      }),
      ...apply,
    },
    ['scope'],
  ),
  ai_metadata: some(
    {
      scope: aiScope,
      fields: fc.array(
        fc.record({
          name: fc.oneof(repeated(90), fc.constantFrom('date', 'email', 'summary', 'url')),
          type: fc.constantFrom('text', 'number', 'checkbox', 'date', 'datetime', 'list'),
        }),
        { minLength: 1, maxLength: 30 },
      ),
      ...apply,
    },
    ['scope', 'fields'],
  ),
  ai_extract: some(
    {
      scope: aiScope,
      schema: fc.oneof(
        properties,
        fc.array(repeated(90), { maxLength: 100 }).map((names) => ({
          type: 'object',
          properties: Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: '(a+)+$' }])),
        })),
      ),
      destination: fc.constantFrom('json', 'frontmatter'),
      destination_key: repeated(90),
      ...apply,
    },
    ['scope', 'schema'],
  ),
  ai_relate: some(
    {
      source: path,
      candidates: fc.array(path, { minLength: 1, maxLength: 50 }),
      top_k: fc.constantFrom(1, 30),
      retrieve_mode: fc.constantFrom('lexical', 'semantic', 'hybrid'),
      propose_links: fc.boolean(),
    },
    ['source'],
  ),
  link_backlinks: some({ path, ...page }, ['path']),
  link_forward: some({ path, ...page }, ['path']),
  link_unresolved: some(page),
  link_orphans: some(page),
  tag_list: some({ prefix: tag, ...page }),
  tag_notes: some({ tag, ...page }, ['tag']),
  task_list: some({
    path_glob: glob,
    status: fc.oneof(fc.constantFrom('all', 'open', 'done', ' ', 'x', '/'), repeated(4000)),
    tag,
    due_from: fc.oneof(fc.constantFrom('2026-03-04', '0000-00-00', 'today'), repeated(2000)),
    due_to: fc.constantFrom('2026-03-04', '9999-12-31', ''),
    sort: fc.constantFrom('path', 'due'),
    ...page,
  }),
  property_list: some({ prefix: fc.oneof(fc.constantFrom('k', 'key1'), repeated(4000)), ...page }),
  property_values: some(
    {
      name: fc.oneof(fc.constantFrom('key1', 'status', 'tags', 'kez'), repeated(4000)),
      prefix: repeated(4000),
      ...page,
    },
    ['name'],
  ),
  base_query: fc.oneof(
    some(
      {
        source: base,
        this: path,
        filter: formula,
        columns: fc.array(fc.oneof(formula, fc.constantFrom('file.name', 'formula.a')), { maxLength: 30 }),
        sort: fc.array(repeated(100), { maxLength: 10 }),
        format: fc.constantFrom('rows', 'markdown', 'csv'),
        ...page,
      },
      ['source'],
    ),
    some(
      {
        path: fc.oneof(fc.constantFrom('All.base', 'Huge.base', 'Deep.base', 'Bomb.base'), path),
        view: repeated(300),
        block: fc.constantFrom(1, 1e9),
        filter: formula,
        ...page,
      },
      ['path'],
    ),
  ),
  base_check: fc.oneof(
    some({ source: base }, ['source']),
    some({ path: fc.oneof(fc.constantFrom('Huge.base', 'Bomb.base'), path) }, ['path']),
  ),
  canvas_read: some(
    {
      path: board,
      ids: fc.array(id, { maxLength: 40 }),
      type: fc.constantFrom('text', 'file', 'odd'),
      group: id,
      q: query,
      file: path,
      order: fc.constantFrom('reading', 'z'),
      max_text: fc.constantFrom(0, 1, 100_000),
      ...page,
    },
    ['path'],
  ),
  canvas_write: some({ path: canvasPath, canvas, if_match: etag, if_not_exists: fc.boolean(), ...write }, [
    'path',
    'canvas',
    'dry_run',
  ]),
  canvas_patch: some(
    {
      path: canvasPath,
      ops: fc.oneof(
        fc.array(canvasOp, { minLength: 1, maxLength: 20 }),
        canvasOp.map((one) => Array(500).fill(one)),
      ),
      if_match: etag,
      ...write,
      dry_run: dry,
    },
    ['path', 'ops', 'dry_run'],
  ),
  folder_list: some({ below: folder, ...page }),
  folder_create: some({ path: folder, ...write }, ['path', 'dry_run']),
  note_write: some(
    {
      path: fc.oneof(scratch, path),
      body,
      frontmatter: properties,
      if_match: etag,
      if_not_exists: fc.boolean(),
      ...write,
    },
    ['path', 'body', 'dry_run'],
  ),
  note_patch: fc.oneof(
    some({ path: scratch, ops, if_match: etag, ...write }, ['path', 'ops', 'dry_run']),
    some({ path, ops, if_match: etag, ...write, dry_run: dry }, ['path', 'ops', 'dry_run']),
  ),
  note_move: fc.oneof(
    some(
      {
        from: path,
        to: fc.oneof(fc.constantFrom('Moved.md', 'deep/er/Moved.md', 'T $$.md'), path),
        update_links: fc.boolean(),
        if_match: etag,
        ...write,
        dry_run: dry,
      },
      ['from', 'to', 'dry_run'],
    ),
    some(
      {
        from: fc.constantFrom('many', 'plain', 'scratch', ''),
        to: fc.constantFrom('many2', 'plain/in', 'many/x'),
        ...write,
        dry_run: dry,
      },
      ['from', 'to', 'dry_run'],
    ),
    some({ from: scratch, to: scratch, update_links: fc.boolean(), ...write }, ['from', 'to', 'dry_run']),
    some(
      {
        from: fc.constantFrom('Target.md', 'Target 2.md'),
        to: fc.constantFrom('Target 2.md', 'Target.md'),
        ...write,
        dry_run: fc.constantFrom(...Array(40).fill(true), false),
      },
      ['from', 'to', 'dry_run'],
    ),
  ),
  note_delete: fc.oneof(
    some({ path, if_match: etag, ...write, dry_run: dry }, ['path', 'dry_run']),
    some({ path: scratch, ...write }, ['path', 'dry_run']),
  ),
  tag_rename: fc.oneof(
    some({ from: tag, to: tag, ...write, dry_run: dry }, ['from', 'to', 'dry_run']),
    some(
      { from: fc.constantFrom('scratch', 'scratch2'), to: fc.constantFrom('scratch', 'scratch2'), ...write },
      ['from', 'to', 'dry_run'],
    ),
  ),
  note_history: some({
    path,
    since: time,
    actor: repeated(2000),
    mine: fc.boolean(),
    refused: fc.boolean(),
    ...page,
  }),
  note_undo: fc.oneof(
    some({ write_id: fc.integer({ min: 0, max: 300 }), ...write }, ['write_id', 'dry_run']),
    some({ since: time, actor: repeated(300), mine: fc.boolean(), ...write, dry_run: dry }, [
      'since',
      'dry_run',
    ]),
  ),
  trash_list: some(page),
  trash_restore: some(
    {
      trash_path: fc.oneof(
        scratch.map((one) => `.trash/${one}`),
        path,
      ),
      to: fc.oneof(scratch, path),
      ...write,
    },
    ['trash_path', 'dry_run'],
  ),
  vault_reindex: fc.oneof(
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 60, arbitrary: fc.record({ path: anything }) },
  ),
  vault_config_get: some({ setting: fc.oneof(fc.constantFrom('daily_notes', 'vaults'), repeated(4000)) }),
  vault_config_set: some(
    {
      setting: fc.oneof(
        fc.constantFrom('daily_notes.folder', 'daily_notes.format', 'log_level'),
        repeated(4000),
      ),
      value: fc.oneof(repeated(60_000), fc.constantFrom('[[[[', '&a [*a]')),
      unset: fc.boolean(),
      dry_run: dry,
    },
    ['setting', 'dry_run'],
  ),
};

/** Some of these fields, those named always. */
function some(
  fields: Record<string, fc.Arbitrary<unknown>>,
  required: readonly string[] = [],
): fc.Arbitrary<Arguments> {
  const seldom = Object.keys(fields).filter((key) => SELDOM.has(key));
  const often = Object.fromEntries(Object.entries(fields).filter(([key]) => !SELDOM.has(key)));
  const base = fc.record(often, { requiredKeys: [...required] });
  if (seldom.length === 0) return base;
  const few = fc.record(Object.fromEntries(seldom.map((key) => [key, fields[key] ?? anything])), {
    requiredKeys: [],
  });
  return fc
    .tuple(base, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: few }))
    .map(([args, more]) => ({ ...args, ...more }));
}

/** Seldom one of the fields is something else altogether, or there is one too many. */
function spoiled(shape: fc.Arbitrary<Arguments>): fc.Arbitrary<Arguments> {
  const keys = fc.constantFrom(
    'path',
    'q',
    'limit',
    'ops',
    'frontmatter',
    'body',
    'tag',
    'sort',
    '__proto__',
    'unknown',
  );
  return fc.oneof(
    { weight: 5, arbitrary: shape },
    {
      weight: 1,
      arbitrary: fc.tuple(shape, keys, anything).map(([args, key, value]) => ({ ...args, [key]: value })),
    },
  );
}

export const HOSTILE: ReadonlyMap<string, fc.Arbitrary<Arguments>> = new Map(
  Object.entries(SHAPES).map(([name, shape]) => [name, spoiled(shape)]),
);

/** The same calls for the same seed, a few at a time: all of them at once would fill the memory. */
export function* hostileCalls(name: string, count: number, seed: number): Generator<Arguments> {
  const arbitrary = HOSTILE.get(name);
  if (arbitrary === undefined) throw new Error(`${name} has no hostile calls`);
  for (let at = 0; at < count; at += 10)
    yield* fc.sample(arbitrary, { seed: seed + at, numRuns: Math.min(10, count - at) });
}
