import { parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter } from '../../notes/model.ts';
import { checkOps } from '../../notes/patch/check.ts';
import type { CheckedOp } from '../../notes/patch/op.ts';
import { tagName } from '../../notes/patch/tags.ts';
import { tagKey } from '../../notes/structure/tags.ts';
import { factOf, orNone } from '../../stores/fact-properties.ts';
import { withFacts } from '../../stores/facts.ts';
import type { FactChanges, NoteFacts } from '../../stores/store.ts';
import type { VaultParts } from '../parts.ts';
import type { CanvasChange, NoteChange } from './draft.ts';

/** A change of a note's text. */
type TextChange = Exclude<NoteChange, CanvasChange>;

/** A change for a store that keeps facts. */
export interface PartedChange {
  /** The part left for the text; undefined when there is none. */
  readonly text: TextChange | undefined;
  readonly facts: FactChanges;
}

/**
 * Splits a change for a store that keeps facts beside the text. A property in the text is changed there; of
 * the others, tags and those the store keeps as facts become facts.
 *
 * @param text as stored; undefined for a new note
 * @throws LecternError `invalid_input` as a patch does, and for a value that the fact cannot have; as `parse`
 *   does
 */
export async function partChange(
  change: TextChange,
  text: string | undefined,
  facts: NoteFacts,
  {
    settings: { dialect },
    parse,
  }: { readonly settings: { readonly dialect: Dialect } } & Pick<VaultParts, 'parse'>,
): Promise<PartedChange> {
  if (change.kind === 'content') return partContent(change, text, facts, dialect);
  const ops = checkOps(change.ops);
  const isTagged = ops.some(({ op }) => op === 'add_tag' || op === 'remove_tag');
  const inText = isTagged ? (await parse(text ?? '')).tags.map(({ name }) => tagKey(name)) : [];
  return partPatch(ops, text ?? '', new Set(inText), facts, dialect);
}

function partContent(
  { content }: Extract<NoteChange, { kind: 'content' }>,
  text: string | undefined,
  facts: NoteFacts,
  dialect: Dialect,
): PartedChange {
  const { frontmatter: given = {}, ...rest } = content;
  const inText = [content.body, ...(text === undefined || content.whole ? [] : [text])].map((one) =>
    parseFrontmatter(one, dialect),
  );
  let changes: FactChanges = {};
  const properties: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const fact = inText.some((front) => propertyByName(front, key))
      ? undefined
      : factOf(key, value, withFacts(facts, changes));
    if (fact) changes = { ...changes, ...fact };
    else properties[key] = value;
  }
  const frontmatter = Object.keys(properties).length > 0 ? { frontmatter: properties } : {};
  return { text: { kind: 'content', content: { ...rest, ...frontmatter } }, facts: changes };
}

/** @param inText keys of the tags in the text, where any op concerns tags */
function partPatch(
  ops: readonly CheckedOp[],
  text: string,
  inText: ReadonlySet<string>,
  facts: NoteFacts,
  dialect: Dialect,
): PartedChange {
  const front = parseFrontmatter(text, dialect);
  let changes: FactChanges = {};
  const left: CheckedOp[] = [];
  for (const op of ops) {
    const { stays, fact } = partOp(op, { front, inText, facts: withFacts(facts, changes), dialect });
    if (fact) changes = { ...changes, ...fact };
    if (stays) left.push(op);
  }
  return { text: left.length > 0 ? { kind: 'patch', ops: left } : undefined, facts: changes };
}

/** The parts of one op that concern the text and the facts. */
function partOp(
  op: CheckedOp,
  note: { front: Frontmatter | undefined; inText: ReadonlySet<string>; facts: NoteFacts; dialect: Dialect },
): { stays: boolean; fact?: FactChanges | undefined } {
  const { front, inText, facts, dialect } = note;
  const tags = facts.tags ?? [];
  switch (op.op) {
    case 'set_frontmatter':
    case 'delete_frontmatter': {
      if (propertyByName(front, op.key)) return { stays: true };
      const fact = factOf(op.key, op.op === 'set_frontmatter' ? op.value : undefined, facts);
      return { stays: fact === undefined, fact };
    }
    case 'add_tag': {
      const name = tagName(op.tag, dialect);
      if (propertyByName(front, 'tags')) return { stays: true };
      const isThere = [...inText, ...tags.map(tagKey)].includes(tagKey(name));
      return { stays: false, ...(!isThere && { fact: { tags: [...tags, name] } }) };
    }
    case 'remove_tag': {
      const kept = tags.filter((tag) => tagKey(tag) !== tagKey(op.tag));
      return {
        stays: inText.has(tagKey(op.tag)),
        ...(kept.length < tags.length && { fact: { tags: orNone(kept) } }),
      };
    }
    default:
      return { stays: true };
  }
}
