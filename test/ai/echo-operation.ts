import * as z from 'zod';
import { operation } from '../../src/operations/operation.ts';

/** Sends a note and a question to the model and gives back what it says: what every AI tool does with models. */
export const aiEcho = operation({
  name: 'ai_echo',
  title: 'Echo',
  description: 'For tests.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path'],
  toolset: 'ai',
  input: z.object({
    path: z.string(),
    questions: z.array(z.string()).default(['What is it?']),
    wants_json: z.boolean().default(false),
    cache: z.enum(['use', 'refresh', 'off']).default('use'),
    max_tokens: z.number().int().default(100),
  }),
  output: z.object({
    answers: z.array(z.string()),
    cached: z.boolean(),
    tokens: z.number(),
    cost: z.number().optional(),
  }),
  rest: { method: 'POST', path: '/v1/ai/echo' },
  summarise: ({ answers }) => answers.join(' '),
  render: () => '',
  run: async (vault, input, { assistant, signal, partial }) => {
    if (assistant === undefined) throw new Error('There is an assistant for every such operation.');
    const { path, etag, parsed } = await vault.open(input.path);
    const given = await Promise.all(
      input.questions.map((question) =>
        assistant.generate({
          operation: 'ai_echo',
          promptVersion: '1',
          notes: [{ path, etag }],
          cache: input.cache,
          system: 'Answer from the note.',
          messages: [{ role: 'user', content: `<note>\n${parsed.text}\n</note>\n${question}` }],
          maxTokens: input.max_tokens,
          signal,
          ...(input.wants_json && { schema: { type: 'object' } }),
          ...(partial && { onDelta: (text: string) => partial({ kind: 'partial', text }) }),
        }),
      ),
    );
    const spent = assistant.spent();
    partial?.({ kind: 'usage', usage: spent });
    return {
      answers: given.map(({ text, object }) => (object === undefined ? text : JSON.stringify(object))),
      cached: given.every(({ isCached }) => isCached),
      tokens: spent.usage.inputTokens + spent.usage.outputTokens,
      ...(spent.cost !== undefined && { cost: spent.cost }),
    };
  },
});
