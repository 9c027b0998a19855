import * as z from 'zod';
import { ground } from '../ai/grounding/grounded.ts';
import { LONG_CALL_MS } from '../budgets.ts';
import { tagKey } from '../notes/structure/tags.ts';
import type { VaultSession } from '../vault/session.ts';
import { operation } from './operation.ts';
import {
  aiInput,
  assistantOf,
  citedText,
  groundedNotices,
  groundedOutput,
  groundedText,
  toGrounded,
} from './shared/ai-fields.ts';
import { answerTokens } from './shared/ai-generate.ts';
import { readAgain } from './shared/ai-reading.ts';
import {
  aiScope,
  assertSomething,
  resolveScope,
  type ScopedNote,
  scopeText,
  toScopeOutput,
} from './shared/ai-scope.ts';
import { extractSummary, writeSummary } from './shared/ai-summarise.ts';
import { withNotice } from './shared/fields.ts';
import { headingRow, toHeadingRow } from './shared/note-parts.ts';
import { counted, hashed, lines, noticed, oneLine, paragraphs } from './shared/rendering.ts';

/** The lengths of a summary; characters are UTF-16 code units. */
export const LENGTHS = {
  short: { sentences: 3, characters: 600, words: 'in at most three sentences' },
  medium: { sentences: 7, characters: 1400, words: 'in at most seven sentences' },
  long: { sentences: 15, characters: 3000, words: 'in at most fifteen sentences' },
} as const;
/** Limit of open tasks and of headings in the answer. */
const PARTS = 50;

export const aiSummarize = operation({
  name: 'ai_summarize',
  title: 'Summarize notes',
  description:
    'Summarize the notes of a scope, with proof: every sentence cites path, lines, etag and a quote that was looked up in the note. Says which notes were read and which left out, and why. Without a model (mode extractive) the summary is the most central sentences, quoted.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: z.object({
    scope: aiScope,
    style: z.enum(['paragraph', 'bullets']).default('paragraph'),
    length: z.enum(['short', 'medium', 'long']).default('medium').describe('At most 3, 7 or 15 sentences'),
    include: z
      .array(z.enum(['tasks', 'headings', 'tags']))
      .optional()
      .describe('Parts of the notes to list beside: open tasks, headings, tags'),
    ...aiInput,
    stream: z.boolean().default(true).describe('Send sentences as progress while they are written'),
  }),
  output: z.object({
    /** The summary, with `[n]` after each sentence. */
    summary: z.string(),
    ...groundedOutput,
    /** The first fifty open tasks. */
    tasks: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })).optional(),
    headings: z.array(headingRow.extend({ path: z.string() })).optional(),
    tags: z.array(z.string()).optional(),
  }),
  rest: { method: 'POST', path: '/v1/ai/summarize' },
  cli: { noun: 'ai', verb: 'summarize' },
  summarise: (out) =>
    `Summary of ${scopeText(out)}: ${counted(out.sentences.length, 'sentence')}, ${counted(out.citations.length, 'citation')} (${out.mode}).${noticed(out.notice)}`,
  render: (out) =>
    paragraphs(
      groundedText(out.summary, out.citations),
      lines(out.tasks ?? [], ({ path, line, text }) => `${path}:${line} [ ] ${oneLine(text, 160)}`),
      lines(
        out.headings ?? [],
        ({ path, line, level, text }) => `${path}:${line} ${'#'.repeat(level)} ${oneLine(text, 100)}`,
      ),
      out.tags === undefined ? '' : `tags:${hashed(out.tags)}`,
    ),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    const scope = await resolveScope(vault, input.scope, context.signal);
    assertSomething(scope);
    const length = LENGTHS[input.length];
    const reply =
      assistant.mode === 'extractive'
        ? await extractSummary(scope.taken, length, context.signal)
        : await writeSummary(
            assistant,
            scope.taken,
            {
              operation: 'ai_summarize',
              promptVersion: '1',
              task: `You summarize the user's own notes ${length.words}. Say what matters most to somebody who wrote them and comes back to them.`,
              language: input.language,
              maxTokens: answerTokens(assistant, input.max_tokens),
              seed: input.seed,
              cache: input.cache,
              streams: input.stream,
              supportedOnly: input.cite === 'required',
            },
            context,
          );
    const claims = reply.claims.slice(0, length.sentences);
    const grounded = await ground(claims, input.cite, readAgain(vault));
    const shown = toGrounded(assistant, grounded, reply.isCached);
    return {
      summary: citedText(shown.sentences, input.style),
      ...shown,
      ...toScopeOutput(scope),
      ...(await partsOf(vault, scope.taken, input.include ?? [])),
      ...withNotice(...groundedNotices(grounded), reply.notice),
    };
  },
});

async function partsOf(vault: VaultSession, notes: readonly ScopedNote[], include: readonly string[]) {
  const paths = notes.map(({ note }) => note.path);
  const where = { kind: 'any', of: paths.map((path) => ({ kind: 'path', path }) as const) } as const;
  const tasks: { path: string; line: number; text: string }[] = [];
  if (include.includes('tasks')) {
    const among = new Set(paths);
    for await (const rows of vault.tasks({ kinds: ['note'], where }))
      for (const { path, line, text, state } of rows)
        if (among.has(path) && !['done', 'cancelled'].includes(state) && tasks.length < PARTS)
          tasks.push({ path, line, text });
  }
  const headings = notes.flatMap(({ note, span }) =>
    note.parsed.headings
      .filter((heading) => heading.span.start >= span.start && heading.span.end <= span.end)
      .map((heading) => ({ path: note.path, ...toHeadingRow(heading) })),
  );
  const tags = new Map(
    notes.flatMap(({ note }) => note.parsed.tags.map((tag) => [tagKey(tag), tag] as const)),
  );
  return {
    ...(include.includes('tasks') && { tasks }),
    ...(include.includes('headings') && { headings: headings.slice(0, PARTS) }),
    ...(include.includes('tags') && { tags: [...tags.values()].slice(0, PARTS) }),
  };
}
