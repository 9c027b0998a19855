import { LecternError } from '../errors.ts';
import type { PlannedStep } from '../journal/journal.ts';
import type { ParsedNote } from '../notes/model.ts';
import type { RenamedHeading } from '../notes/patch/edit.ts';
import { type TagRename, tagMentions } from '../notes/patch/rename-tag.ts';
import { tagKey } from '../notes/structure/tags.ts';
import { decodeText } from '../notes/text.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import type { StoredFile } from '../stores/store.ts';
import type { Access } from './access.ts';
import { tagRenamed } from './large/note-worker.ts';
import {
  joined,
  type LeftAlone,
  type LeftAloneList,
  mentionsElsewhere,
  NOTHING_LEFT,
  unreadableNotes,
} from './left-alone.ts';
import { changedHeadings } from './move/heading-links.ts';
import { followInPlace } from './move/heading-links-in-place.ts';
import { relinkNotices } from './move/plan.ts';
import type { VaultParts } from './parts.ts';
import type { Actor } from './session.ts';
import { assertMayFollow, contextOf } from './write/edit.ts';
import { factsStep } from './write/facts-step.ts';
import { PlanSize } from './write/plan-size.ts';
import { replaceStep } from './write/replace-step.ts';
import type { TagRenameResult, WriteOptions } from './write/types.ts';
import type { WritePlan } from './write/write-plan.ts';

const PAGE = 500;

/**
 * Renames a tag and the tags nested in it, in texts and properties of every note.
 * @throws LecternError `invalid_input` for invalid tag names, `not_found` when no note has the tag,
 *   `forbidden`
 */
export async function renameTagEverywhere(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  fromInput: string,
  toInput: string,
  options: WriteOptions,
): Promise<TagRenameResult> {
  const from = fromInput.replace(/^#/, '');
  const to = toInput.replace(/^#/, '');
  const writer = await parts.writer();
  const plan = async (): Promise<WritePlan<TagRenameResult>> => {
    const notes: { path: string; tags: number }[] = [];
    const changed = new Map<string, readonly RenamedHeading[]>();
    const left: LeftAlone[] = [];
    await parts.indexer.sync();
    const steps: PlannedStep[] = [];
    /** Notes that have the tag as a fact of the store. */
    const beside = new Map<string, { file: StoredFile; tags: readonly string[] }>();
    const size = new PlanSize();
    const pacer = parts.pacer();
    const tagged = await taggedNotes(parts, access, from);
    for (const path of tagged) {
      const file = await parts.store.read(path);
      const decoded = decodeText(file.bytes);
      if (!decoded.ok) continue;
      const { dialect } = parts.settings;
      const result = await tagRenamed({ text: decoded.text, dialect, from, to }, parts.largeNotes);
      for (const { line, kind } of result.skipped) left.push({ path, line, kind });
      const tags = renamedTags(file.entry.facts?.tags ?? [], from, to);
      if (result.text === decoded.text && tags === undefined) continue;
      assertMayFollow(access, [{ path }]);
      notes.push({ path, tags: result.changes.length + (tags?.renamed ?? 0) });
      if (tags) beside.set(path, { file, tags: tags.all });
      if (result.text === decoded.text) continue;
      const renamed = await renamedHeadings(path, result, parts);
      if (renamed.length > 0) changed.set(path, renamed);
      const step = replaceStep(path, file.bytes, result.text, file.entry.facts);
      size.add(step);
      steps.push(step);
      if (pacer.due) await pacer.pause();
    }
    if (notes.length === 0) {
      throw new LecternError('not_found', `No note has the tag #${from}.`, {
        next: 'tag_list shows the tags there are.',
      });
    }
    const leftAlone = joined(
      { ...NOTHING_LEFT, items: left },
      await mentionsOf(parts, access, from, new Set(tagged)),
      {
        ...NOTHING_LEFT,
        unreadable: await unreadableNotes(parts, access, [from]),
      },
    );
    const follow = await followInPlace(steps, changed, { ...parts, size }, access);
    assertMayFollow(access, follow.steps);
    const facts = await Promise.all(
      [...beside].map(async ([path, { file, tags }]) => {
        const text = follow.steps.findLast((step) => step.path === path);
        const { after: bytes = file.bytes, afterEtag: etag = etagOfFile(file) } = text ?? {};
        const before = { path, etag, bytes, facts: file.entry.facts };
        return (await factsStep(parts.store, before, { tags })).step;
      }),
    );
    return {
      summary: `rename tag #${from} to #${to}`,
      steps: options.dryRun ? [] : [...follow.steps, ...facts.filter((step) => step !== undefined)],
      decisive: false,
      answer: ({ failed: stale, writeId }) => {
        const failed = new Set(stale.map(({ step }) => step.path));
        const done = notes.filter(({ path }) => !failed.has(path));
        return {
          from,
          to,
          notes: done,
          tags: done.reduce((sum, note) => sum + note.tags, 0),
          relinked: follow.relinked.filter(({ path }) => !failed.has(path)),
          leftAlone,
          notices: relinkNotices(follow),
          writeId,
          dryRun: options.dryRun ?? false,
        };
      },
    };
  };
  return (await writer.commit(contextOf(parts, access, actor, options), plan)).answer;
}

/** The tags kept beside a text, with one tag and those nested in it renamed; undefined when none matches. */
function renamedTags(
  tags: readonly string[],
  from: string,
  to: string,
): { all: readonly string[]; renamed: number } | undefined {
  const [key, nested] = [tagKey(from), `${tagKey(from)}/`];
  let renamed = 0;
  const all = tags.map((tag) => {
    if (tagKey(tag) !== key && !tagKey(tag).startsWith(nested)) return tag;
    renamed++;
    return to + tag.slice(from.length);
  });
  const known = new Set<string>();
  const distinct = all.filter((tag) => !known.has(tagKey(tag)) && known.add(tagKey(tag)));
  return renamed === 0 ? undefined : { all: distinct, renamed };
}

/** Headings that contain the tag: links name a heading by its text. */
async function renamedHeadings(
  path: string,
  { headings, changes, text }: TagRename,
  { parse }: Pick<VaultParts, 'parse'>,
): Promise<readonly RenamedHeading[]> {
  const starts = changes.map(({ start }) => start).sort((a, b) => a - b);
  let at = 0;
  const isChanged = headings.some(({ span }) => {
    while ((starts[at] ?? span.end) < span.start) at += 1;
    return (starts[at] ?? span.end) < span.end;
  });
  return isChanged ? changedHeadings(path, { headings }, await parse(text)) : [];
}

/**
 * Places in notes that do not have the tag. Links and addresses that only contain the same characters are not
 * reported there.
 */
async function mentionsOf(
  parts: VaultParts,
  access: Access,
  tag: string,
  tagged: ReadonlySet<string>,
): Promise<LeftAloneList> {
  const { dialect } = parts.settings;
  const wanted = {
    spellings: [tag],
    except: tagged,
    placesIn: (_: string, note: ParsedNote) =>
      tagMentions(note, dialect, tag).filter(({ kind }) => kind !== 'text'),
  };
  return mentionsElsewhere(wanted, await parts.reader(), dialect, access);
}

async function taggedNotes(parts: VaultParts, access: Access, tag: string): Promise<string[]> {
  const reader = await parts.reader();
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.tagNotes(tag, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
      ...(access.filter && { visible: access.filter }),
    });
    paths.push(...page.items.map((note) => note.path));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return paths;
}
