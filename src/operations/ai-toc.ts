import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { plainText } from '../ai/extractive/plain.ts';
import { sentencesOf } from '../ai/extractive/sentences.ts';
import { summarySentences } from '../ai/extractive/summary.ts';
import { type Grounded, ground } from '../ai/grounding/grounded.ts';
import type { Claim } from '../ai/grounding/reply.ts';
import { sourceOf } from '../ai/grounding/source.ts';
import { LONG_CALL_MS } from '../budgets.ts';
import { LecternError } from '../errors.ts';
import { sectionOf } from '../notes/structure/outline.ts';
import { Turn } from '../turn.ts';
import type { VaultSession } from '../vault/session.ts';
import { type OperationContext, operation } from './operation.ts';
import {
  aiInput,
  answeredByOutput,
  assistantOf,
  citationLines,
  citationRow,
  groundedNotices,
  toGrounded,
} from './shared/ai-fields.ts';
import { answerTokens } from './shared/ai-generate.ts';
import { readAgain } from './shared/ai-reading.ts';
import {
  type AiScope,
  aiScope,
  assertSomething,
  type ResolvedScope,
  resolveScope,
  scopeOutput,
  scopeText,
  toScopeOutput,
} from './shared/ai-scope.ts';
import { extractSummary, quotedClaim, writeSummary } from './shared/ai-summarise.ts';
import { GROUPINGS, groupsOf } from './shared/ai-toc-groups.ts';
import { tocMarkdown } from './shared/ai-toc-markdown.ts';
import { withNotice } from './shared/fields.ts';
import { counted, noticed, paragraphs } from './shared/rendering.ts';
import {
  exactNotePath,
  fileWriteOutput,
  fileWriteText,
  ifMatch,
  toFileWriteOutput,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

const GROUP_SUMMARY = { sentences: 2, characters: 500 };
const MODES = ['note', 'folder', 'glob', 'tag'] as const;

const tocItem = z.object({
  path: z.string(),
  title: z.string(),
  /** In the table of contents of one note: the section, its level and its 1-based line. */
  heading: z.string().optional(),
  level: z.number().int().optional(),
  line: z.number().int().optional(),
  /** A sentence of the note, and the number of its citation. */
  description: z.string().optional(),
  citation: z.number().int().optional(),
});

const tocInput = z.object({
  mode: z
    .enum(MODES)
    .describe('note: the headings of path; folder: the notes below path; glob, tag: of the scope'),
  path: z
    .string()
    .min(1)
    .optional()
    .describe('The note or folder; in mode glob the pattern, in mode tag the tag'),
  scope: aiScope.optional(),
  depth: z.number().int().min(1).max(6).default(3).describe('Levels of headings'),
  include_descriptions: z.boolean().default(false),
  group_by: z.enum(GROUPINGS).optional().describe('Default: folder; in mode tag cluster'),
  max_groups: z.number().int().min(1).max(50).default(12),
  max_per_group: z.number().int().min(1).max(200).default(30),
  include_summaries: z.boolean().default(false).describe('Two sentences about each group'),
  title: z.string().min(1).max(200).optional(),
  ...aiInput,
  write: z.strictObject({ path: exactNotePath }).optional().describe('Make a note of it'),
  if_match: ifMatch,
  if_not_exists: z.boolean().default(false).describe('Refuse if the note exists'),
  frontmatter: z.record(z.string(), z.unknown()).optional().describe('Properties of the note'),
  ...writeInput,
});
type Input = z.output<typeof tocInput>;

export const aiToc = operation({
  name: 'ai_toc',
  title: 'Table or map of contents',
  description:
    'The table of contents of one note (mode note: its headings), or a map of the notes of a folder, glob or tag in groups. Descriptions are sentences of the notes with their citations. With write.path it becomes a note, written like any other (if_match, if_not_exists, dry_run, undo).',
  scope: 'vault:read',
  effects: 'writes',
  writing: {
    when: ({ write }) => write !== undefined && write !== null,
    inputs: ['write', 'if_match', 'if_not_exists', 'frontmatter', 'dry_run', 'idempotency_key'],
  },
  answersFrom: 'index',
  places: ['path'],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: tocInput,
  output: z.object({
    title: z.string(),
    groups: z.array(
      z.object({
        name: z.string(),
        summary: z.string().optional(),
        items: z.array(tocItem),
        total: z.number().int(),
      }),
    ),
    groups_total: z.number().int(),
    /** The table of contents as the text of a note. */
    markdown: z.string(),
    ...answeredByOutput,
    citations: z.array(citationRow),
    dropped_citations: z.number().int(),
    ...scopeOutput,
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    cost: z.number().optional(),
    cached: z.boolean(),
    /** The note that was written; absent without `write`. */
    ...z.object(fileWriteOutput).partial().shape,
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/ai/toc' },
  cli: { noun: 'ai', verb: 'toc' },
  summarise: (out) => {
    const items = out.groups.reduce((sum, { items }) => sum + items.length, 0);
    const { path, etag, created, changed, bytes, diff } = out;
    const wrote =
      path === undefined || etag === undefined
        ? ''
        : ` ${fileWriteText({ path, etag, created: created === true, changed: changed === true, bytes: bytes ?? 0, diff: diff ?? '', lines_added: out.lines_added ?? 0, lines_removed: out.lines_removed ?? 0, write_id: out.write_id, dry_run: out.dry_run === true })}`;
    return `Contents of ${scopeText(out)}: ${counted(items, 'entry', 'entries')} in ${counted(out.groups_total, 'group')} (${out.mode}).${wrote}${noticed(out.notice)}`;
  },
  render: (out) => paragraphs(out.markdown.trimEnd(), citationLines(out.citations)),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    const asked = askedScope(input);
    const found = await resolveScope(vault, asked, context.signal);
    // The table of contents does not list its own note.
    const scope = { ...found, taken: found.taken.filter(({ note }) => note.path !== input.write?.path) };
    assertSomething(scope);
    const contents =
      input.mode === 'note' ? await headingsOf(scope, input) : await mapOf(assistant, scope, input, context);
    const grounded = await ground(contents.claims, 'preferred', readAgain(vault));
    const numbered = withNumbers(contents.groups, grounded);
    const title = input.title ?? titleOf(input, scope);
    const markdown = await tocMarkdown(vault, input.write?.path ?? placeOf(input), title, numbered);
    const { sentences: _, withheld: __, ...shown } = toGrounded(assistant, grounded, contents.isCached);
    const write = input.write && (await written(vault, input.write.path, markdown, input));
    return {
      title,
      groups: numbered,
      groups_total: contents.total,
      markdown,
      ...shown,
      ...toScopeOutput(scope),
      ...write,
      ...withNotice(
        ...groundedNotices({ ...grounded, sentences: [], withheld: 0 }),
        contents.total > numbered.length
          ? `${contents.total - numbered.length} more groups are not listed`
          : undefined,
      ),
    };
  },
});

/** The notes to list. @throws LecternError `invalid_input` when neither a path nor a scope is given */
function askedScope({ mode, path, scope }: Input): AiScope {
  const whole: AiScope = { max_notes: mode === 'note' ? 1 : 200, ...scope };
  if (path === undefined) {
    const says = { note: whole.paths, folder: whole.path_glob, glob: whole.path_glob, tag: whole.tag }[mode];
    if (says !== undefined) return whole;
    throw new LecternError('invalid_input', `Mode ${mode} needs path, or a scope that says of what.`, {
      details: { missing: ['path'], unknown: [], invalid: [] },
      next: 'Call ai_toc again with path: the note, the folder, the glob or the tag.',
    });
  }
  switch (mode) {
    case 'note':
      return { ...whole, paths: [path] };
    case 'folder':
      return { ...whole, path_glob: `${path.replace(/\/+$/, '').replace(/[*?[\]{}()!]/g, '\\$&')}/**` };
    case 'glob':
      return { ...whole, path_glob: path };
    case 'tag':
      return { ...whole, tag: [...(whole.tag ?? []), path] };
  }
}

function titleOf({ mode, path }: Input, { taken }: ResolvedScope): string {
  if (mode === 'note') return taken[0]?.note.title ?? 'Contents';
  const name = path?.replace(/\/+$/, '').split('/').at(-1)?.replace(/^#+/, '');
  return name === undefined || name === '' || /[*?]/.test(name) ? 'Map of contents' : name;
}

/** The path that links are relative to when no note is written. */
function placeOf({ mode, path }: Input): string {
  return mode === 'folder' && path !== undefined
    ? `${path.replace(/\/+$/, '')}/Map of contents.md`
    : 'Map of contents.md';
}

type Item = z.output<typeof tocItem> & { readonly claim?: Claim };
interface Contents {
  readonly groups: readonly {
    name: string;
    summaryClaims: readonly Claim[];
    items: readonly Item[];
    total: number;
  }[];
  readonly total: number;
  readonly claims: readonly Claim[];
  readonly isCached: boolean;
}

async function headingsOf({ taken }: ResolvedScope, input: Input): Promise<Contents> {
  const turn = new Turn();
  const items: Item[] = [];
  const [first] = taken;
  if (first === undefined) return { groups: [], total: 0, claims: [], isCached: false };
  const { note, span } = first;
  const source = sourceOf(note);
  for (const [index, { level, text, line, span: at }] of note.parsed.headings.entries()) {
    if (level > input.depth || at.start < span.start || at.end > span.end) continue;
    const section = input.include_descriptions ? sectionOf(note.parsed, index) : undefined;
    const [opening] = section ? await sentencesOf(source, section.ownSpan, turn, 1) : [];
    items.push({
      path: note.path,
      title: note.title,
      heading: text,
      level,
      line,
      ...(opening && { claim: quotedClaim(opening) }),
    });
  }
  const shown = items.slice(0, input.max_per_group * input.max_groups);
  return {
    groups: [{ name: '', summaryClaims: [], items: shown, total: items.length }],
    total: 1,
    claims: shown.flatMap(({ claim }) => claim ?? []),
    isCached: false,
  };
}

async function mapOf(
  assistant: Assistant,
  scope: ResolvedScope,
  input: Input,
  context: OperationContext,
): Promise<Contents> {
  const turn = new Turn();
  const by = input.group_by ?? (input.mode === 'tag' ? 'cluster' : 'folder');
  const all = await groupsOf(scope.taken, by, input.max_groups, turn);
  const groups: { name: string; summaryClaims: readonly Claim[]; items: Item[]; total: number }[] = [];
  let isCached = false;
  for (const [at, { name, notes }] of all.slice(0, input.max_groups).entries()) {
    context.signal.throwIfAborted();
    context.progress(at, Math.min(all.length, input.max_groups), name);
    const items: Item[] = [];
    for (const { note, span } of notes.slice(0, input.max_per_group)) {
      const sentences = input.include_descriptions ? await sentencesOf(sourceOf(note), span, turn, 300) : [];
      const [best] = await summarySentences(sentences, { sentences: 1, characters: 240 }, turn);
      items.push({ path: note.path, title: note.title, ...(best && { claim: quotedClaim(best) }) });
    }
    let summaryClaims: readonly Claim[] = [];
    if (input.include_summaries && assistant.mode === 'extractive')
      summaryClaims = (await extractSummary(notes, GROUP_SUMMARY, context.signal)).claims;
    else if (input.include_summaries) {
      const reply = await writeSummary(
        assistant,
        notes,
        {
          operation: 'ai_toc',
          promptVersion: '1',
          task: "You say in at most two sentences what a group of the user's own notes is about.",
          language: input.language,
          maxTokens: answerTokens(assistant, input.max_tokens ?? 300),
          seed: input.seed,
          cache: input.cache,
          streams: false,
          supportedOnly: true,
        },
        context,
      );
      // Sentences without a quote are not written into a note.
      summaryClaims = reply.claims
        .filter(({ places }) => places.length > 0)
        .slice(0, GROUP_SUMMARY.sentences);
      isCached = reply.isCached;
    }
    groups.push({ name, summaryClaims, items, total: notes.length });
  }
  const claims = groups.flatMap(({ summaryClaims, items }) => [
    ...summaryClaims,
    ...items.flatMap(({ claim }) => claim ?? []),
  ]);
  return { groups, total: all.length, claims, isCached };
}

/** The verified sentences of each group, with the numbers of their citations. */
function withNumbers(groups: Contents['groups'], { sentences }: Grounded) {
  let next = 0;
  return groups.map(({ name, summaryClaims, items, total }) => {
    const summary = summaryClaims.flatMap(() => {
      const sentence = sentences[next++];
      return sentence?.supported ? [sentence.text] : [];
    });
    const rows = items.map(({ claim, ...item }) => {
      const sentence = claim && sentences[next++];
      return sentence?.supported
        ? { ...item, description: plainText(sentence.text), citation: sentence.citations[0] ?? 0 }
        : item;
    });
    return { name, ...(summary.length > 0 && { summary: summary.join(' ') }), items: rows, total };
  });
}

async function written(vault: VaultSession, path: string, markdown: string, input: Input) {
  const result = await vault.write(
    path,
    { body: markdown, ...(input.frontmatter && { frontmatter: input.frontmatter }) },
    {
      ...writeOptions('ai_toc', { ...input, dry_run: input.dry_run === true }),
      ifNotExists: input.if_not_exists === true,
    },
  );
  return toFileWriteOutput(result);
}
