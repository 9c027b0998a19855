import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAssistants } from '../../src/app/open-assistants.ts';
import { requestFor } from '../../src/cli/commands/remote.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import type { AuditLog, AuditRecord } from '../../src/journal/audit.ts';
import type { Assistants } from '../../src/operations/call/assistants.ts';
import { hasRoute, type Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { runCommand } from '../support/command-line.ts';
import { McpWire } from '../support/mcp-wire.ts';
import { ERAS } from '../support/protocol.ts';
import { restClient } from '../support/rest-client.ts';
import { discard, openTestVault, type TestVault } from '../support/test-vault.ts';
import { openTestProvider, type TestProvider } from './provider.ts';

/** Every AI tool, with every provider, in both eras, over REST and on the command line. */

const HOSTED = ['openai-compatible', 'openai', 'anthropic', 'google'] as const;
const HIDDEN = 'The password of the harbour is xyzzy.';
const FILES = {
  'Crane.md':
    '---\nstatus: open\n---\n# Crane\n\nThe crane waits for the tide. It lifts ten tonnes. See [[Tide]]. #harbour\n',
  'Tide.md': '# Tide\n\nThe tide turns at noon. The crane works at slack water. #harbour\n',
  'Private/Secret.md': `# Secret\n\nThe crane and the tide. ${HIDDEN}\n`,
};

/** What each is asked; each says what it is that this test goes by. */
const CASES: Readonly<Record<string, Record<string, unknown>>> = {
  ai_status: {},
  ai_summarize: { scope: { paths: ['Crane.md', 'Tide.md'] } },
  ai_ask: { question: 'What does the crane wait for?' },
  ai_toc: { mode: 'note', path: 'Crane.md' },
  ai_relate: { source: 'Crane.md' },
  ai_tag: { scope: { paths: ['Crane.md'] } },
  ai_metadata: { scope: { paths: ['Crane.md'] }, fields: [{ name: 'status', type: 'string' }] },
  ai_extract: {
    scope: { paths: ['Crane.md'] },
    schema: { type: 'object', properties: { status: { type: 'string' } } },
  },
};

const TOOLS = OPERATIONS.filter(({ toolset }) => toolset === 'ai');

let provider: TestProvider;
let vault: TestVault;
let folder: string;
let states = 0;
const audited: AuditRecord[] = [];
const audit: AuditLog = { append: (record) => void audited.push(record), flush: async () => {} };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-ai-tools-'));
  provider = await openTestProvider();
  vault = await openTestVault(FILES, {
    audit,
    rules: { readOnly: false, read: { allow: [], deny: ['Private'] }, write: { allow: [], deny: [] } },
  });
});
beforeEach(() => {
  provider.requests.length = 0;
  audited.length = 0;
  // One sentence that stands in a note, one that does not, and a citation that is made up.
  provider.answer({
    pieces: [
      'The crane waits for the tide. [1: "waits for the tide"]\n',
      'It can fly. [1: "it can fly away"]\n',
    ],
    usage: { input: 100, output: 20 },
  });
});
afterAll(async () => {
  await provider.close();
  await vault.close();
  discard(vault);
  rmSync(folder, { recursive: true, force: true });
});

async function assistantsOf(flags: Record<string, unknown>): Promise<Assistants> {
  const state = join(folder, `state-${states++}`);
  mkdirSync(state);
  const { ai } = resolveSettings({ vault: '/v', ...flags }, {});
  const { assistants } = await openAssistants(ai, {
    environment: { LECTERN_AI_KEY: 'k' },
    state: async () => state,
  });
  if (assistants === undefined) throw new Error('These settings have an assistant.');
  return assistants;
}

const hosted = (aiProvider: string) =>
  assistantsOf({ aiProvider, aiModel: 'test-model', aiUrl: provider.baseUrl });

/** Nothing that is hidden is sent or told, whichever the provider; what was sent is in the audit by its paths. */
function assertNothingHidden(answer: unknown): void {
  expect(JSON.stringify(provider.requests)).not.toContain('xyzzy');
  expect(JSON.stringify(answer)).not.toMatch(/xyzzy|Secret\.md/);
  const sent = audited.filter(({ event }) => event === 'sent');
  expect(sent).toHaveLength(provider.requests.length);
  for (const { sent_paths: paths = [] } of sent)
    for (const path of paths) expect(['Crane.md', 'Tide.md']).toContain(path);
}

it('has a case of every AI tool', () => {
  expect(Object.keys(CASES)).toEqual(expect.arrayContaining(TOOLS.map(({ name }) => name)));
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (name, operation: Operation) => {
  const input = CASES[name] ?? {};

  describe.each([...HOSTED, 'builtin'])('with %s', (aiProvider) => {
    const open = () => (aiProvider === 'builtin' ? assistantsOf({ aiProvider }) : hosted(aiProvider));

    it.each(ERAS)('answers over MCP %s', async (era) => {
      const wire = await McpWire.connect(vault.session, era, undefined, {}, await open());
      const { result } = await wire.request('tools/call', { name, arguments: input });
      assertAnswered(result.structuredContent, result.isError === true);
      assertNothingHidden(result);
      await wire.close();
    });

    it('answers the same over REST', async () => {
      if (!hasRoute(operation)) throw new Error('Every AI tool has a route.');
      const { path, body } = requestFor(operation, { ...input });
      const rest = restClient(vault.session, undefined, await open());
      const answer = await rest.send(operation.rest.method, path, {
        ...(body !== undefined && { json: JSON.parse(body) as unknown }),
      });
      assertAnswered(answer.body.ok === true ? answer.body.data : answer.body.error, answer.body.ok !== true);
      assertNothingHidden(answer.body);
    });

    /** A model that writes no JSON, as this one, may be told so; no tool may fail on its own account. */
    function assertAnswered(facts: unknown, isError: boolean): void {
      if (isError)
        expect(facts).toMatchObject({ code: expect.stringMatching(/^(?:ai_unavailable|invalid_input)$/) });
      else expect(facts).toBeTypeOf('object');
      if (aiProvider === 'builtin') expect(provider.requests).toHaveLength(0);
      // Only what the notes say counts as said by them.
      if (!isError) expect(JSON.stringify(facts)).not.toContain('"quote":"it can fly');
    }
  });

  it('is asked of the client in both eras, or answers without a model', async () => {
    for (const era of ERAS) {
      const assistants = await assistantsOf({ aiProvider: 'client' });
      const wire = await McpWire.connect(vault.session, era, undefined, { sampling: {} }, assistants);
      const given = { name, arguments: input };
      const id = wire.send('tools/call', given);
      const ended = (message: { id?: unknown; method?: string }) =>
        message.id === id && message.method === undefined;
      const first = await wire.until(
        (message) => ended(message) || message.method === 'sampling/createMessage',
      );
      expect(JSON.stringify(first)).not.toContain('xyzzy');
      const text = 'The crane waits for the tide. [1: "waits for the tide"]';
      const said = { role: 'assistant', content: { type: 'text', text }, model: 'theirs' };
      if (first.method !== undefined) {
        const answered = new Set<unknown>();
        for (let next = first; !ended(next); ) {
          answered.add(next.id);
          wire.answer(next.id, said);
          next = await wire.until(
            (message) =>
              ended(message) || (message.method === 'sampling/createMessage' && !answered.has(message.id)),
          );
        }
      } else if (first.result.resultType === 'input_required') {
        const { inputRequests, requestState } = first.result;
        const inputResponses = Object.fromEntries(
          Object.keys(inputRequests as object).map((key) => [key, said]),
        );
        const next = await wire.request('tools/call', { ...given, inputResponses, requestState });
        expect(next.error).toBeUndefined();
      }
      const last = wire.messages.findLast(ended);
      expect(last?.error).toBeUndefined();
      await wire.close();
    }
    expect(provider.requests).toHaveLength(0);
  });
});

it('answers on the command line without a model', async () => {
  const { out, code } = await runCommand(['ai', 'status'], vault.session);
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ provider: 'builtin' })]);
});
