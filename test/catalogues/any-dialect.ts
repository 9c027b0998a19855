import { OPERATIONS } from '../../src/operations/registry.ts';
import { bearer, type TestDoor, type TestDoorOptions } from '../support/test-door.ts';

/** Clients of every dialect over HTTP, spoken to alike, for tests of what all of them share. */

export const DIALECTS = ['indx', 'joplin', 'obsidian', 'silverbullet', 'inklings'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** A door at which every tool of every dialect is on. */
export const EVERY_TOOL: TestDoorOptions = {
  door: {
    served: {
      all: OPERATIONS,
      offer: { operations: OPERATIONS, tools: { on: ['joplin/*'], off: [] } },
      vaults: [{ name: 'test', readOnly: false }],
    },
  },
};

export interface Answer {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>> & {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly protocolVersion?: string;
    readonly tools?: readonly ListedTool[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export interface Speaker {
  readonly dialect: DialectName;
  readonly url: string;
  readonly initialized: Answer;
  /** Sends a body as it is. */
  post(body: string): Promise<Response>;
  ask(method: string, params?: unknown): Promise<Answer>;
  call(name: string, given?: unknown): Promise<Answer>;
  /** What a call answers, as JSON of its first text; it must not fail. */
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into
  facts(name: string, given?: unknown): Promise<any>;
}

let clients = 0;

/** @param words scopes of its token */
export async function speaker(
  door: TestDoor,
  dialect: DialectName,
  words: readonly string[] = ['vault:read', 'vault:write'],
  revision = '2025-06-18',
): Promise<Speaker> {
  const url = `${door.mcpUrl}/${dialect}`;
  const token = door.token(`${dialect} ${++clients}`, ...words);
  let session: Record<string, string> = {};
  const post = (body: string) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...bearer(token),
        ...session,
      },
    });
  let id = 0;
  const send = async (method: string, params?: unknown) =>
    await post(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, ...(params !== undefined && { params }) }));
  const hello = { protocolVersion: revision, capabilities: {}, clientInfo: { name: dialect, version: '1' } };
  const begun = await send('initialize', hello);
  const initialized = await answerIn(begun);
  const sessionId = begun.headers.get('mcp-session-id');
  if (sessionId !== null) session = { 'Mcp-Session-Id': sessionId };
  await (await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))).text();
  const ask = async (method: string, params?: unknown) => await answerIn(await send(method, params));
  const call = (name: string, given?: unknown) =>
    ask('tools/call', { name, ...(given !== undefined && { arguments: given }) });
  return {
    dialect,
    url,
    initialized,
    post,
    ask,
    call,
    async facts(name, given) {
      const { result, error } = await call(name, given);
      const [block] = result?.content ?? [];
      if (block === undefined || result?.isError === true || error !== undefined)
        throw new Error(`${dialect}/${name}: ${JSON.stringify(error ?? result)}`);
      if (dialect === 'indx') return result?.structuredContent;
      const facts = JSON.parse(block.text);
      if (dialect === 'silverbullet') {
        if (facts.error !== undefined) throw new Error(`${dialect}/${name}: ${block.text}`);
        return { ...facts, body: result?.content?.[1]?.text };
      }
      return dialect === 'obsidian' ? facts.data : facts;
    },
  };
}

async function answerIn(response: Response): Promise<Answer> {
  const text = await response.text();
  const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? [];
  return data.startsWith('{') ? (JSON.parse(data) as Answer) : {};
}

/** The id of a note in Joplin's words, found as its clients find it. */
export async function joplinId(joplin: Speaker, title: string): Promise<string> {
  const { results } = await joplin.facts('search_notes', { query: `title:"${title}"` });
  return results[0]?.id;
}
