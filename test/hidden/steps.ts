import fc from 'fast-check';
import type { VaultSession } from '../../src/vault/session.ts';
import type { Question } from './compare.ts';
import { anyNote, anyPath, anyPlace, canvasOf, FOLDERS, NAMES, TAGS, WORDS } from './vaults.ts';

/** What a caller was given and may give back: numbers of writes, names in the trash, paths of notes. */
export interface Given {
  readonly writes: number[];
  readonly trash: string[];
  paths: readonly string[];
}

type Input = Question[1];

/** A write of the caller, made of what that caller was given so far; undefined when there is nothing to make it of. */
export interface Step {
  readonly operation: string;
  input(given: Given): Input | undefined;
}

const farPlace = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map((parts) => `${parts.join('')}.md`);
/** Where a note may be put. */
const place = fc.oneof({ weight: 4, arbitrary: anyPlace }, { weight: 1, arbitrary: farPlace });
/** A note there is, as the caller knows it, or now and then any path. */
const there = fc.record({
  at: fc.nat(),
  other: fc.option(fc.oneof(anyPlace, anyPath), { freq: 1, nil: undefined }),
  known: fc.constantFrom(true, true, true, false),
});
const folder = fc.constantFrom('Open', 'Secret', 'Secret/Deep', 'Open/Secret', 'New', 'New/Deep');
const tag = fc.constantFrom(...TAGS, 'hidden/two');
const dry_run = fc.constantFrom(undefined, undefined, undefined, true);
const applyMode = fc.constantFrom('merge', 'replace', 'only_empty');
/** Notes for an AI tool. */
const aiScope = fc.oneof(
  fc.record({ path_glob: fc.constantFrom('Open/**', 'Secret/**', '**'), max_notes: fc.constant(5) }),
  fc.record({ tag: fc.constantFrom(['open'], ['hidden']) }),
  fc.record({ paths: fc.array(place, { minLength: 1, maxLength: 3 }) }),
);
/** With what lies in the folder of a note's name, or with the notes in whose folders it lay. */
const along = fc.constantFrom(undefined, undefined, true);
/** Notes that have a folder of their name beside them, or only the folder. */
const parent = folder.map((path) => `${path}.md`);

type There = typeof there extends fc.Arbitrary<infer T> ? T : never;

function pathOf({ paths }: Given, { at, other, known }: There): string {
  return (known ? paths[at % paths.length] : other) ?? other ?? 'Home.md';
}

const op = fc.oneof(
  fc.record({ op: fc.constant('append_body'), markdown: anyNote }),
  fc.record({
    op: fc.constant('rename_heading'),
    from: fc.constant('Part'),
    to: fc.constantFrom('Piece', 'Part 2'),
  }),
  fc.record({ op: fc.constant('add_tag'), tag }),
  fc.record({ op: fc.constant('set_frontmatter'), key: fc.constant('up'), value: place }),
  fc.record({
    op: fc.constant('replace_text'),
    old: fc.constantFrom(...WORDS),
    new: fc.constantFrom(...WORDS),
    all: fc.constant(true),
  }),
);

/** An input that is made of a record and of what the caller was given. */
function made<T>(record: fc.Arbitrary<T>, input: (record: T, given: Given) => Input | undefined) {
  return record.map(
    (values): Step['input'] =>
      (given) =>
        input(values, given),
  );
}

function plain(record: fc.Arbitrary<Input>) {
  return made(record, (input) => input);
}

const canvasOp = fc.oneof(
  fc.record({
    op: fc.constant('add_node'),
    type: fc.constant('file'),
    file: place,
    near: fc.constantFrom('n', 'f0'),
  }),
  fc.record({ op: fc.constant('add_node'), type: fc.constant('text'), text: anyNote }),
  fc.record({
    op: fc.constant('update_node'),
    id: fc.constantFrom('n', 'f0'),
    color: fc.constantFrom('1', '2'),
  }),
  fc.record({ op: fc.constant('remove_node'), id: fc.constantFrom('n', 'f0', 'f1') }),
  fc.record({
    op: fc.constant('add_edge'),
    from_node: fc.constant('n'),
    to_node: fc.constantFrom('f0', 'g'),
  }),
  fc.record({ op: fc.constant('add_group_around'), ids: fc.constant(['n']), label: anyNote }),
);

/** Which writes are tried, by operation. A new operation that writes has to be tried here, too. */
export const WRITES: Readonly<Record<string, fc.Arbitrary<Step['input']>>> = {
  note_write: plain(
    fc.record({
      path: fc.oneof({ weight: 7, arbitrary: place }, { weight: 1, arbitrary: parent }),
      body: anyNote,
      if_not_exists: fc.boolean(),
      dry_run,
    }),
  ),
  ai_toc: plain(
    fc.record({
      mode: fc.constantFrom('folder', 'glob', 'tag'),
      path: fc.constantFrom('Open', 'Secret', '**', 'hidden', 'open'),
      group_by: fc.constantFrom('none', 'folder', 'tag', 'letter', 'cluster'),
      include_descriptions: fc.boolean(),
      write: fc.record({ path: place }),
      if_not_exists: fc.boolean(),
      dry_run,
    }),
  ),
  ai_tag: plain(
    fc.record({
      scope: aiScope,
      vocabulary: fc.record({ allow_new: fc.boolean(), min_confidence: fc.constant(0) }),
      apply: fc.boolean(),
      apply_mode: applyMode,
      dry_run,
    }),
  ),
  ai_metadata: plain(
    fc.record({
      scope: aiScope,
      fields: fc.constant([{ name: 'date', type: 'date' }, { name: 'summary' }]),
      apply: fc.boolean(),
      apply_mode: applyMode,
      dry_run,
    }),
  ),
  ai_extract: plain(
    fc.record({
      scope: aiScope,
      schema: fc.constant({ type: 'object', properties: { title: { type: 'string' } } }),
      destination: fc.constant('frontmatter'),
      apply: fc.boolean(),
      apply_mode: applyMode,
      dry_run,
    }),
  ),
  note_patch: made(
    fc.record({ there, ops: fc.array(op, { minLength: 1, maxLength: 2 }), dry_run }),
    ({ there: note, ...rest }, given) => ({ path: pathOf(given, note), ...rest }),
  ),
  canvas_write: plain(
    fc.record({
      path: place.map((path) => path.replace(/md$/, 'canvas')),
      canvas: anyNote.map(canvasOf),
      if_not_exists: fc.boolean(),
      dry_run,
    }),
  ),
  canvas_patch: made(
    fc.record({
      at: fc.nat(),
      other: place,
      ops: fc.array(canvasOp, { minLength: 1, maxLength: 2 }),
      dry_run,
    }),
    ({ at, other, ...rest }, { paths }) => {
      const canvases = paths.filter((path) => path.endsWith('.canvas'));
      return { path: canvases[at % canvases.length] ?? other.replace(/md$/, 'canvas'), ...rest };
    },
  ),
  note_move: fc.oneof(
    {
      weight: 4,
      arbitrary: made(
        fc.record({
          there,
          to: place,
          update_links: fc.constantFrom(true, true, true, false),
          with_children: along,
          dry_run,
        }),
        ({ there: note, ...rest }, given) => ({ from: pathOf(given, note), ...rest }),
      ),
    },
    {
      weight: 1,
      arbitrary: plain(fc.record({ from: parent, to: parent, with_children: fc.constant(true), dry_run })),
    },
    { weight: 2, arbitrary: plain(fc.record({ from: folder, to: folder, dry_run })) },
    { weight: 1, arbitrary: plain(fc.record({ from: anyPath, to: anyPath, dry_run })) },
  ),
  note_delete: fc.oneof(
    {
      weight: 3,
      arbitrary: made(
        fc.record({ there, with_children: along, dry_run }),
        ({ there: note, ...rest }, given) => ({ path: pathOf(given, note), ...rest }),
      ),
    },
    {
      weight: 1,
      arbitrary: plain(fc.record({ path: parent, with_children: fc.constant(true), dry_run })),
    },
  ),
  folder_create: plain(fc.record({ path: folder, dry_run })),
  tag_rename: plain(fc.record({ from: tag, to: tag, dry_run })),
  note_undo: fc.oneof(
    {
      weight: 3,
      arbitrary: made(fc.record({ back: fc.nat(3), dry_run }), ({ back, ...rest }, { writes }) =>
        writes.length === 0 ? undefined : { write_id: fromEnd(writes, back), ...rest },
      ),
    },
    { weight: 1, arbitrary: plain(fc.constantFrom({ mine: true }, { write_id: 1 }, { since: '1h' })) },
  ),
  trash_restore: made(
    fc.record({ back: fc.nat(3), to: fc.option(place, { nil: undefined }), with_ancestors: along, dry_run }),
    ({ back, ...rest }, { trash }) => ({ trash_path: fromEnd(trash, back) ?? '.trash/Home.md', ...rest }),
  ),
  vault_reindex: plain(fc.constant({})),
  vault_config_set: plain(fc.constant({ setting: 'read_only', value: 'true' })),
};

function fromEnd<T>(list: readonly T[], back: number): T | undefined {
  return list[list.length - 1 - (back % list.length)];
}

/** What is done more often, and what costs more than it says. */
const WEIGHTS: Readonly<Record<string, number>> = {
  note_write: 12,
  note_move: 16,
  vault_reindex: 1,
  vault_config_set: 1,
};

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  ...Object.entries(WRITES).map(([operation, input]) => ({
    weight: WEIGHTS[operation] ?? 6,
    arbitrary: input.map((each): Step => ({ operation, input: each })),
  })),
);

/** What the owner does to notes that the caller does not see, between two calls of the caller. */
export type Hidden = (owner: VaultSession, hidden: readonly string[]) => Promise<unknown>;

const options = { tool: 'owner' };

export const anyHidden: fc.Arbitrary<Hidden> = fc.oneof(
  fc.record({ at: fc.nat(), body: anyNote }).map(
    ({ at, body }): Hidden =>
      async (owner, hidden) => {
        const path = noteAt(hidden, at);
        if (path !== undefined) await owner.write(path, { body }, options);
      },
  ),
  fc.nat().map(
    (at): Hidden =>
      async (owner, hidden) => {
        const path = noteAt(hidden, at);
        if (path !== undefined) await owner.remove(path, options);
      },
  ),
  fc.constant<Hidden>(async () => {}),
);

function noteAt(paths: readonly string[], at: number): string | undefined {
  const notes = paths.filter((path) => path.endsWith('.md'));
  return notes[at % notes.length];
}
