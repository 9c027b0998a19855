import { tagTitleKey } from '../notes/dialects/joplin.ts';
import type { ExportedFacts } from '../notes/dialects/joplin-export.ts';
import { parseNote } from '../notes/parse.ts';
import { baseName, stem } from '../notes/path.ts';
import { decodeText, encodeText } from '../notes/text.ts';
import type { NoteFacts, Origin, StoredFile } from '../stores/store.ts';
import { type LeftLink, mapLinks } from './links/map-links.ts';
import type { PlannedFile } from './places.ts';
import type { CopyPlan } from './plan.ts';
import type { Difference } from './report.ts';
import { factsOfText } from './text/facts-of-text.ts';
import { type FrontMatter, textOfFacts } from './text/text-of-facts.ts';

/** A file as it is to be written at the destination. */
export interface Prepared {
  readonly bytes: Uint8Array;
  readonly origin: Origin;
  readonly mapped: number;
  readonly respelled: number;
  readonly differences: readonly Difference[];
  /** Ids that its text links. */
  readonly linked: readonly string[];
}

/** Converts a file of the source for the destination. */
export function prepared(
  file: PlannedFile,
  stored: StoredFile,
  plan: Pick<CopyPlan, 'from' | 'to' | 'links'>,
  frontMatter: FrontMatter,
): Prepared {
  const { entry, bytes } = stored;
  const times = {
    createdMs: Math.min(entry.birthtimeMs || entry.mtimeMs, entry.mtimeMs),
    modifiedMs: entry.mtimeMs,
  };
  const id = file.id === undefined ? {} : { id: file.id };
  const decoded = entry.kind === 'note' ? decodeText(bytes) : undefined;
  if (!decoded?.ok) {
    const unmapped: Difference[] =
      decoded === undefined
        ? []
        : [{ path: entry.path, what: 'links', detail: 'It is not UTF-8: its links are as they were.' }];
    return {
      bytes,
      origin: { ...id, ...times },
      mapped: 0,
      respelled: 0,
      differences: [...nameOf(file), ...unmapped],
      linked: [],
    };
  }
  const { from, to } = plan;
  const parsed = parseNote(decoded.text, from);
  const { text, mapped, respelled, left } = mapLinks(parsed, { from: entry.path, to: file.to }, plan.links);
  const differences = [...nameOf(file), ...left.map((link) => leftLink(entry.path, link))];
  const give = (what: Difference['what'], detail: string) =>
    void differences.push({ path: entry.path, what, detail });
  if (respelled > 0) give('links', `${respelled} would come back spelled another way.`);
  let written = text;
  let origin: Origin = { ...id, ...times };
  if (to.byId && !from.byId) {
    const said = factsOfText(parsed, entry);
    // The removed front matter precedes every link, so it has the same length in the mapped text.
    written = text.slice(decoded.text.length - said.text.length);
    const { createdMs, modifiedMs } = said;
    const titled = { ...said.facts, title: file.title };
    origin = { ...id, facts: titled, createdMs, modifiedMs };
    if (said.lostTags.length > 0)
      give('tags', `${said.lostTags.join(' · ')}: a comma is no part of a tag there.`);
  } else if (to.byId) origin = { ...id, ...times, facts: { ...entry.facts, title: file.title } };
  else if (from.byId) {
    const facts = exported(file, stored);
    const inline = parsed.tags.filter(({ property }) => property === undefined).map(({ name }) => name);
    const said = textOfFacts(text, facts, file.to, { dialect: to.dialect, frontMatter, inline });
    written = said.text;
    if (said.lost.length > 0)
      give('facts', `${said.lost.join(', ')}: its own front matter cannot be read, and is left as it is.`);
    if (facts.todo?.done) give('times', 'When the to-do was completed is not kept.');
  }
  const linked = to.byId ? [...written.matchAll(/:\/([0-9a-f]{32})/g)].map(([, one = '']) => one) : [];
  return { bytes: encodeText(written), origin, mapped, respelled, differences, linked };
}

function exported({ title }: PlannedFile, { entry }: StoredFile): ExportedFacts {
  const { facts = {}, id, mtimeMs, birthtimeMs } = entry;
  const { tags, todo, sourceUrl, author, geo } = facts;
  return {
    title,
    updatedMs: mtimeMs,
    createdMs: birthtimeMs,
    ...(id !== undefined && { id }),
    ...(sourceUrl !== undefined && { source: sourceUrl }),
    ...(author !== undefined && { author }),
    ...(geo && { geo }),
    ...(todo && { todo }),
    ...(tags && { tags }),
  };
}

function nameOf({ entry, to }: PlannedFile): Difference[] {
  return baseName(entry.path) === baseName(to)
    ? []
    : [{ path: entry.path, what: 'name', detail: `It is called ${stem(to)} there.` }];
}

function leftLink(path: string, { line, target, reason }: LeftLink): Difference {
  const why =
    reason === 'not_copied' ? 'what it leads to is not carried' : 'nothing that can be written leads there';
  return { path, what: 'links', detail: `Line ${line}: the link to ${target} is as it was; ${why}.` };
}

/** Names of the facts that the destination did not store as given. */
export function factsLost(wanted: NoteFacts | undefined, kept: NoteFacts | undefined): readonly string[] {
  if (wanted === undefined) return [];
  const lost: string[] = [];
  const has = new Set((kept?.tags ?? []).map(tagTitleKey));
  const missing = (wanted.tags ?? []).filter((tag) => !has.has(tagTitleKey(tag)));
  if (missing.length > 0) lost.push(`tags ${missing.join(' · ')}`);
  const same = (one: unknown, other: unknown) =>
    JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
  if (!same(wanted.todo, kept?.todo)) lost.push('to-do');
  if (!same(wanted.sourceUrl, kept?.sourceUrl)) lost.push('source');
  if (!same(wanted.author, kept?.author)) lost.push('author');
  if (!same(wanted.geo, kept?.geo)) lost.push('place');
  return lost;
}
