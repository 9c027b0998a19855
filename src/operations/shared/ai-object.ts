import type { Assistant, CacheUse } from '../../ai/assistant.ts';
import { fence, fenceRules } from '../../ai/grounding/fence.ts';
import { sourceOf } from '../../ai/grounding/source.ts';
import type { ModelMessage } from '../../ai/language-model.ts';
import { LecternError } from '../../errors.ts';
import { passagesOf } from './ai-reading.ts';
import { languageName, passageTokens, roomFor } from './ai-request.ts';
import type { ScopedNote } from './ai-scope.ts';

/** A request to a model about one note, answered by an object. */
export interface ObjectRequest {
  readonly operation: string;
  /** Must change with the wording of `task`. */
  readonly promptVersion: string;
  /** The task, written by Lectern; it contains no text of notes. */
  readonly task: string;
  /** The caller's part: names, words, a vocabulary. Placed after the note. */
  readonly request: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly language?: string | undefined;
  readonly maxTokens: number;
  readonly seed?: number | undefined;
  readonly cache: CacheUse;
}

export interface ObjectReply {
  /** The parsed answer; not validated. */
  readonly object: unknown;
  readonly isCached: boolean;
  /** The note did not fit: only its beginning was sent. */
  readonly isCut: boolean;
  /** Sends the request again with the problems of this answer. */
  again(problems: readonly string[]): Promise<ObjectReply>;
}

/** Tokens reserved for the rules that every request contains. */
const RULES = 200;

/**
 * Asks a model for an object about a note. The note is fenced in the message: nothing in it is an
 * instruction.
 *
 * @throws LecternError those of the model; `ai_unavailable` when it refuses; `too_large` when no part of the
 *   note fits beside the task
 */
export async function askForObject(
  assistant: Assistant,
  asked: ObjectRequest,
  scoped: ScopedNote,
  signal: AbortSignal,
): Promise<ObjectReply> {
  const source = sourceOf(scoped.note);
  const passages = passagesOf(source, scoped.span);
  const kept = beginning(assistant, asked, passages);
  if (kept.length === 0)
    throw new LecternError('too_large', `The model holds nothing of ${source.path} beside the task.`, {
      next: 'Name a section with scope.heading, or send a smaller max_tokens or schema.',
    });
  const { text, mark } = fence(kept);
  const system = [
    asked.task,
    fenceRules(mark),
    'Answer with one JSON object that fits the schema, and nothing else. Leave out what the note does not say; never make anything up.',
    ...(asked.language === undefined ? [] : [`Texts of your own are in ${languageName(asked.language)}.`]),
  ].join('\n\n');
  return await generate([{ role: 'user', content: `${text}\n\n${asked.request}` }]);

  async function generate(messages: readonly ModelMessage[]): Promise<ObjectReply> {
    const reply = await assistant.generate({
      system,
      messages,
      schema: asked.schema,
      operation: asked.operation,
      promptVersion: asked.promptVersion,
      notes: [{ path: source.path, etag: source.etag }],
      cache: asked.cache,
      maxTokens: asked.maxTokens,
      temperature: 0,
      ...(asked.seed !== undefined && { seed: asked.seed }),
      signal,
    });
    if (reply.finish === 'refusal')
      throw new LecternError('ai_unavailable', 'The model refused to answer.', {
        next: 'Ask about other notes, or use another model.',
      });
    return {
      object: reply.object,
      isCached: reply.isCached,
      isCut: kept.length < passages.length,
      again: (problems) =>
        generate([
          ...messages,
          { role: 'assistant', content: reply.text === '' ? JSON.stringify(reply.object) : reply.text },
          { role: 'user', content: `That does not fit. Answer again, whole:\n${problems.join('\n')}` },
        ]),
    };
  }
}

function beginning(assistant: Assistant, asked: ObjectRequest, passages: ReturnType<typeof passagesOf>) {
  const frame = [asked.task, asked.request, JSON.stringify(asked.schema)].join('\n');
  let room = roomFor(assistant, frame, asked.maxTokens) - RULES;
  const kept = [];
  for (const passage of passages) {
    room -= passageTokens(assistant, passage);
    if (room < 0) break;
    kept.push(passage);
  }
  return kept;
}
