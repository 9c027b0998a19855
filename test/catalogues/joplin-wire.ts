import { OPERATIONS } from '../../src/operations/registry.ts';
import { openTestDoor, type TestDoor, type TestDoorOptions } from '../support/test-door.ts';

/** The dialect over HTTP, on a vault in a folder, asked as clients of Joplin ask: the token in the URL. */
export interface JoplinWire {
  readonly door: TestDoor;
  /** Where it is asked, token included. */
  readonly url: string;
  /** Sends a body as it is. */
  post(body: unknown, url?: string): Promise<Response>;
  /** Sends a request and gives what answers it. */
  ask(method: string, params?: unknown, id?: unknown): Promise<Answer>;
  /** What a tool answers: its payload, or the text of its error. */
  call(name: string, given?: unknown): Promise<Payload>;
  /** The text of an answer that is an error. */
  refused(name: string, given?: unknown): Promise<string>;
  close(): Promise<void>;
}

export interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: {
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

// biome-ignore lint/suspicious/noExplicitAny: what tests look into
export type Payload = any;

export const WRITE_TOOLS = ['create_note', 'update_note', 'delete_note', 'manage_tags', 'create_notebook'];

export async function openJoplinWire(
  files: Record<string, string>,
  options: TestDoorOptions & { readonly on?: readonly string[]; readonly scopes?: readonly string[] } = {},
): Promise<JoplinWire> {
  const { on = ['joplin/*'], scopes = ['vault:read', 'vault:write'], ...rest } = options;
  const door = await openTestDoor(files, {
    ...rest,
    door: {
      served: {
        all: OPERATIONS,
        offer: { operations: OPERATIONS, tools: { on, off: [] } },
        vaults: [{ name: 'test', readOnly: false }],
      },
      ...rest.door,
    },
  });
  const url = `${door.mcpUrl}/joplin?token=${door.token('clipper', ...scopes)}`;
  const post = (body: unknown, to = url) =>
    fetch(to, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  const ask = async (method: string, params?: unknown, id: unknown = 1) => {
    const response = await post({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return (await response.json()) as Answer;
  };
  const called = async (name: string, given?: unknown) => {
    const { result, error } = await ask('tools/call', { name, arguments: given });
    if (result === undefined) throw new Error(`${name}: ${error?.code} ${error?.message}`);
    const [block] = result.content;
    return { text: block?.text ?? '', isError: result.isError === true };
  };
  return {
    door,
    url,
    post,
    ask,
    async call(name, given) {
      const { text, isError } = await called(name, given);
      if (isError) throw new Error(text);
      return JSON.parse(text);
    },
    async refused(name, given) {
      const { text, isError } = await called(name, given);
      if (!isError) throw new Error(`${name} answered ${text}`);
      return text;
    },
    close: () => door.close(),
  };
}
