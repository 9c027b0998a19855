import fc from 'fast-check';
import type { VaultSession } from '../../src/vault/session.ts';
import type { Question } from './compare.ts';
import { anyNote, anyPath, FOLDERS, NAMES, TAGS, WORDS } from './vaults.ts';

/** What a caller was given and may give back: numbers of writes, names in the trash. */
export interface Given {
  readonly writes: number[];
  readonly trash: string[];
}

/** A write of the caller, made of what that caller was given so far; undefined when there is nothing to make it of. */
export interface Step {
  readonly operation: string;
  input(given: Given): Question[1] | undefined;
}

const anyPlace = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map((two) => `${two.join('')}.md`);
const anyFolder = fc.constantFrom(
  'Open',
  'Secret',
  'Secret/Deep',
  'Open/Secret',
  'New',
  'New/Deep',
  'Old (2020)',
);
const anyTag = fc.constantFrom(...TAGS, 'hidden/two');
const dry = fc.constantFrom(undefined, undefined, undefined, true);

const anyOp = fc.oneof(
  fc.record({ op: fc.constant('append_body'), markdown: anyNote }),
  fc.record({
    op: fc.constant('rename_heading'),
    from: fc.constant('Part'),
    to: fc.constantFrom('Piece', 'Part 2'),
  }),
  fc.record({ op: fc.constant('add_tag'), tag: anyTag }),
  fc.record({ op: fc.constant('set_frontmatter'), key: fc.constant('up'), value: anyPlace }),
  fc.record({
    op: fc.constant('replace_text'),
    old: fc.constantFrom(...WORDS),
    new: fc.constantFrom(...WORDS),
    all: fc.constant(true),
  }),
);

/** Which writes are tried, by operation. A new operation that writes has to be tried here, too. */
export const WRITES: Readonly<Record<string, fc.Arbitrary<Step['input']>>> = {
  note_write: fc
    .record({
      path: fc.oneof({ weight: 3, arbitrary: anyPlace }, anyPath),
      body: anyNote,
      if_not_exists: fc.boolean(),
      dry_run: dry,
    })
    .map(always),
  note_patch: fc
    .record({ path: anyPlace, ops: fc.array(anyOp, { minLength: 1, maxLength: 2 }), dry_run: dry })
    .map(always),
  note_move: fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.record({ from: anyPlace, to: anyPlace, update_links: fc.boolean(), dry_run: dry }),
      },
      { weight: 1, arbitrary: fc.record({ from: anyPath, to: anyPath, dry_run: dry }) },
      { weight: 2, arbitrary: fc.record({ from: anyFolder, to: anyFolder, dry_run: dry }) },
    )
    .map(always),
  note_delete: fc
    .record({ path: fc.oneof({ weight: 3, arbitrary: anyPlace }, anyPath), dry_run: dry })
    .map(always),
  tag_rename: fc.record({ from: anyTag, to: anyTag, dry_run: dry }).map(always),
  note_undo: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat(3), dry).map(
        ([back, dry_run]): Step['input'] =>
          ({ writes }) =>
            writes.length === 0
              ? undefined
              : { write_id: writes[writes.length - 1 - (back % writes.length)], dry_run },
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom({ mine: true }, { write_id: 1 }, { since: '1h' }).map(always) },
  ),
  trash_restore: fc
    .tuple(fc.nat(3), fc.option(anyPlace, { nil: undefined }), dry)
    .map(([back, to, dry_run]): Step['input'] => ({ trash }) => ({
      trash_path: trash[trash.length - 1 - (back % trash.length)] ?? '.trash/Home.md',
      to,
      dry_run,
    })),
  vault_reindex: fc.constant(always({})),
  vault_config_set: fc.constant(always({ setting: 'read_only', value: 'true' })),
};

function always(input: Question[1]): Step['input'] {
  return () => input;
}

/** The rarer ones cost more and say less. */
const RARE: ReadonlySet<string> = new Set(['vault_reindex', 'vault_config_set']);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  ...Object.entries(WRITES).map(([operation, input]) => ({
    weight: RARE.has(operation) ? 1 : 8,
    arbitrary: input.map((made): Step => ({ operation, input: made })),
  })),
);

/** What the owner does to notes that the caller does not see, between two calls of the caller. */
export type Hidden = (owner: VaultSession, hidden: readonly string[]) => Promise<unknown>;

const options = { tool: 'owner' };

export const anyHidden: fc.Arbitrary<Hidden> = fc.oneof(
  fc.tuple(fc.nat(), anyNote).map(
    ([at, body]): Hidden =>
      async (owner, hidden) =>
        pick(hidden, at) && owner.write(pick(hidden, at) as string, { body }, options),
  ),
  fc.nat().map(
    (at): Hidden =>
      async (owner, hidden) =>
        pick(hidden, at) && owner.remove(pick(hidden, at) as string, options),
  ),
  fc.constant<Hidden>(async () => {}),
);

function pick(paths: readonly string[], at: number): string | undefined {
  const notes = paths.filter((path) => path.endsWith('.md'));
  return notes[at % notes.length];
}
