import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MemorySession } from '../../test/doubles/memory-session.ts';
import { fromOperation } from '../catalogues/from-operation.ts';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import { indxIdentity } from '../catalogues/indx/identity.ts';
import { LecternError } from '../errors.ts';
import { OPERATIONS } from '../operations/registry.ts';
import type { VaultSession } from '../vault/session.ts';
import { serveOverStdio } from './stdio.ts';

/** The fields of messages that these tests use; the tests check their presence. */
interface Message {
  id?: unknown;
  method?: string;
  params?: unknown;
  result: {
    instructions: string;
    supportedVersions: string[];
    tools: { name: string; title: string; inputSchema: Schema; annotations: { destructiveHint?: boolean } }[];
    structuredContent: Record<string, unknown> & { body: string };
    content: { text: string }[];
    isError?: boolean;
  };
  error?: { code: number; message: string };
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A stdio door over pipes in memory, and the lines that it writes. */
function connect(
  vault: () => Promise<VaultSession> = async () => new MemorySession({ 'A.md': 'alpha' }).asSession(),
) {
  const input = new PassThrough();
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let firstAnswers = 0;
  const door = serveOverStdio({
    identity: indxIdentity,
    version: '9.9.9',
    catalogue: async () => indxCatalogue,
    vault,
    log: quiet,
    input,
    write: (chunk, done) => {
      lines.push(chunk);
      for (const wake of waiting.splice(0)) wake();
      setImmediate(done);
    },
    onFirstAnswer: () => {
      firstAnswers++;
    },
  });
  const received = () => lines.map((line) => JSON.parse(line) as Message);
  return {
    door,
    input,
    received,
    firstAnswers: () => firstAnswers,
    raw: (text: string | Buffer) => input.write(text),
    send: (message: unknown) => input.write(`${JSON.stringify(message)}\n`),
    /** The first message that matches; waits until it arrives. */
    async until(test: (message: Message) => boolean): Promise<Message> {
      for (;;) {
        const found = received().find(test);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    answer(id: unknown) {
      return this.until((message) => message.id === id);
    },
  };
}

const call = (id: unknown, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function initialized(vault?: () => Promise<VaultSession>) {
  const wire = connect(vault);
  wire.send(INITIALIZE);
  await wire.answer('init');
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return wire;
}

describe('handshake', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('speaks %s', async (protocolVersion) => {
    const wire = connect();
    wire.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } });
    const { result } = await wire.answer('init');
    expect(result).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'lectern', title: 'Lectern', version: '9.9.9' },
    });
    expect(Buffer.byteLength(result.instructions)).toBeLessThan(2048);
  });

  it('speaks 2026-07-28', async () => {
    const wire = connect();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    wire.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
    const { result } = await wire.answer(1);
    expect(result.supportedVersions).toEqual(['2026-07-28']);
    wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } });
    const list = (await wire.answer(2)).result;
    expect(list).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    wire.send({
      ...call(3, 'note_read', { path: 'A.md' }),
      params: { name: 'note_read', arguments: { path: 'A.md' }, _meta },
    });
    expect((await wire.answer(3)).result.structuredContent.body).toBe('alpha');
  });

  it('is answered while the vault is still closed, and calls wait for it', async () => {
    let open: (session: VaultSession) => void = () => {};
    const wire = connect(() => new Promise((resolve) => (open = resolve)));
    wire.send(INITIALIZE);
    await wire.answer('init');
    wire.send(call(1, 'note_exists', { path: 'A.md' }));
    wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await wire.answer(2);
    expect(wire.received().some((message) => message.id === 1)).toBe(false);
    open(new MemorySession({ 'A.md': '' }).asSession());
    expect((await wire.answer(1)).result.structuredContent.exists).toBe(true);
    await new Promise(setImmediate);
    expect(wire.firstAnswers()).toBe(1);
  });
});

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

describe('tools/list', () => {
  it('is the same every time, and complete in its annotations', async () => {
    const wire = await initialized();
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    const first = (await wire.answer(1)).result;
    expect((await wire.answer(2)).result).toEqual(first);
    for (const tool of first.tools) {
      expect(Object.keys(tool.annotations).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect(tool.title).toBeTruthy();
    }
  });

  it('gives every parameter a type that every client knows, at any depth', async () => {
    const wire = await initialized();
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const check = (schema: Schema, place: string): void => {
      expect(schema.type, place).toMatch(/^(string|integer|number|boolean|array|object)$/);
      if (schema.type === 'array') expect(schema.items, place).toBeTypeOf('object');
      for (const [key, property] of Object.entries(schema.properties ?? {}))
        check(property, `${place}.${key}`);
      if (schema.items) check(schema.items, `${place}[]`);
      if (typeof schema.additionalProperties === 'object') check(schema.additionalProperties, `${place}.*`);
    };
    for (const { name, inputSchema } of (await wire.answer(1)).result.tools) {
      check(inputSchema, name);
      expect(inputSchema.properties).toBeTypeOf('object');
      expect(JSON.stringify(inputSchema)).not.toMatch(/"(anyOf|oneOf|allOf|\$ref|\$schema|const)":/);
    }
  });

  it('says of every tool that replaces or removes text that it does, and of no other', async () => {
    const wire = await initialized();
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { tools } = (await wire.answer(1)).result;
    const destructive = tools
      .filter(({ annotations }) => annotations.destructiveHint)
      .map(({ name }) => name);
    expect(destructive).toEqual([
      'canvas_write',
      'canvas_patch',
      'note_write',
      'note_patch',
      'note_move',
      'note_delete',
      'tag_rename',
      'ai_toc',
      'ai_tag',
      'ai_metadata',
      'ai_extract',
      'note_undo',
      'vault_config_set',
    ]);
  });
});

describe('tools/call', () => {
  it('answers an unknown tool with -32602 and the right name', async () => {
    const wire = await initialized();
    wire.send(call(1, 'note_raed'));
    expect((await wire.answer(1)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('note_read'),
    });
  });

  it('answers wrong arguments as a tool error, with the same facts in text and structure', async () => {
    const wire = await initialized(() => Promise.reject(new Error('must not be opened for this')));
    wire.send(call(1, 'note_read', { pth: 'A.md' }));
    const { result } = await wire.answer(1);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({
      code: 'invalid_input',
      details: { missing: ['path'], unknown: [{ key: 'pth', did_you_mean: 'path' }] },
    });
    const [first, ...rest] = (result.content[0]?.text ?? '').split('\n');
    expect(first).toContain('missing path');
    expect(first).toContain('Required: path.');
    expect(JSON.parse(rest.join('\n'))).toEqual(result.structuredContent);
  });

  it('answers a vault that cannot be opened as unavailable, and tries again', async () => {
    let attempts = 0;
    const wire = await initialized(async () => {
      attempts++;
      if (attempts === 1)
        throw new LecternError('unavailable', 'The folder is gone.', { next: 'Connect the drive.' });
      return new MemorySession({ 'A.md': '' }).asSession();
    });
    wire.send(call(1, 'note_exists', { path: 'A.md' }));
    expect((await wire.answer(1)).result).toMatchObject({
      isError: true,
      structuredContent: { code: 'unavailable', next: 'Connect the drive.' },
    });
    wire.send(call(2, 'note_exists', { path: 'A.md' }));
    expect((await wire.answer(2)).result.isError).toBeUndefined();
  });

  it('shows nothing of an unexpected error', async () => {
    const session = new MemorySession({}).asSession();
    session.status = () => Promise.reject(new Error('secret /home/someone'));
    const wire = await initialized(async () => session);
    wire.send(call(1, 'vault_status'));
    const { result } = await wire.answer(1);
    expect(result.structuredContent.code).toBe('internal');
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('does not answer a cancelled call and lets go of it at once', async () => {
    const wire = await initialized(() => new Promise(() => {}));
    wire.send(call(7, 'vault_status'));
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    wire.input.end();
    await wire.door.finished;
    expect(wire.received().some((message) => message.id === 7)).toBe(false);
  });

  it('carries progress to the client that asked for it, and none after the answer', async () => {
    let reportLate = () => {};
    const reporting = {
      ...indxCatalogue,
      tools: OPERATIONS.map((operation) =>
        fromOperation({
          ...operation,
          run: async (vault, input, context) => {
            context.progress(1, 2, 'half');
            context.progress(1, 2, 'again');
            reportLate = () => context.progress(3, 2, 'late');
            return await operation.run(vault, input, context);
          },
        }),
      ),
    };
    const input = new PassThrough();
    const lines: Message[] = [];
    const door = serveOverStdio({
      identity: indxIdentity,
      version: '1',
      catalogue: async () => reporting,
      vault: async () => new MemorySession({ 'A.md': '' }).asSession(),
      log: quiet,
      input,
      write: (chunk, done) => {
        lines.push(JSON.parse(chunk));
        done();
      },
    });
    input.write(`${JSON.stringify(INITIALIZE)}\n`);
    const params = { name: 'note_exists', arguments: { path: 'A.md' }, _meta: { progressToken: 'tok' } };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    await expect.poll(() => lines.some((line) => line.id === 1)).toBe(true);
    reportLate();
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    await expect.poll(() => lines.some((line) => line.id === 2)).toBe(true);
    input.end();
    await door.finished;
    const progress = lines.filter((line) => line.method === 'notifications/progress');
    expect(progress.map((line) => line.params)).toEqual([
      { progressToken: 'tok', progress: 1, total: 2, message: 'half' },
    ]);
    expect(lines.at(-1)?.id).toBe(2);
  });
});

describe('the wire', () => {
  it.each([
    ['not json', -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, null],
    ['"text"', -32600, null],
    ['[]', -32600, null],
    ['{"id":5,"method":"ping"}', -32600, 5],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":6}', -32600, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":3}', -32600, 7],
  ])('answers %s and lives on', async (line, code, id) => {
    const wire = await initialized();
    wire.raw(`${line}\n`);
    expect(await wire.until((message) => message.error !== undefined)).toMatchObject({ id, error: { code } });
    wire.send({ jsonrpc: '2.0', id: 'after', method: 'ping' });
    expect((await wire.answer('after')).result).toEqual({});
  });

  it('answers bytes that are not UTF-8 and lives on', async () => {
    const wire = await initialized();
    wire.raw(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    expect((await wire.until((message) => message.error !== undefined)).error?.code).toBe(-32700);
    wire.send({ jsonrpc: '2.0', id: 'after', method: 'ping' });
    await wire.answer('after');
  });

  it('ignores blank lines and takes CRLF', async () => {
    const wire = await initialized();
    wire.raw('\n\r\n  \n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n');
    await wire.answer(1);
    expect(wire.received()).toHaveLength(2);
  });

  it('puts messages together from single bytes, several per chunk, and large', async () => {
    const wire = await initialized();
    for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"é漢👩","method":"ping"}\n'))
      wire.raw(Buffer.from([byte]));
    await wire.answer('é漢👩');
    wire.raw('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    await wire.answer(2);
    wire.send(call(3, 'vault_search', { q: 'y'.repeat(5_000_000) }));
    // The message is read completely and then checked against the limits of a call.
    expect((await wire.answer(3)).result.structuredContent.code).toBe('too_large');
  });

  it('answers a large note whole', async () => {
    const body = '漢字 👩‍🚀 line\n'.repeat(6000);
    const wire = await initialized(async () => new MemorySession({ 'Big.md': body }).asSession());
    wire.send(call(1, 'note_read', { path: 'Big.md', max_chars: 100_000 }));
    const { result } = await wire.answer(1);
    expect(result.structuredContent.body).toBe(body.slice(0, result.structuredContent.body.length));
    expect(result.structuredContent.body.length).toBeGreaterThan(60_000);
  });

  it('answers a batch as one array', async () => {
    const wire = await initialized();
    wire.send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'note_exists', { path: 'A.md' }),
    ]);
    const batch = (await wire.until((message) => Array.isArray(message))) as unknown as Message[];
    expect(batch.map((message) => message.id).sort()).toEqual([1, 2]);
  });

  it('refuses an id that is still in use', async () => {
    const wire = await initialized(() => new Promise(() => {}));
    wire.send(call(1, 'vault_status'));
    wire.send(call(1, 'vault_status'));
    expect(await wire.answer(1)).toMatchObject({ error: { code: -32600 } });
  });
});

describe('the end', () => {
  /** A vault that is opened when the test allows it: calls before that stay in progress. */
  function shutVault() {
    let open = () => {};
    let wasAsked = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      wasAsked = resolve;
    });
    const vault = async () => {
      wasAsked();
      await opened;
      return new MemorySession({ 'A.md': '' }).asSession();
    };
    return { vault, asked, open };
  }

  it('answers what is in flight when the input ends, then finishes', async () => {
    const { vault, asked, open } = shutVault();
    const wire = await initialized(vault);
    wire.send(call(1, 'note_exists', { path: 'A.md' }));
    wire.send(call(2, 'note_exists', { path: 'B.md' }));
    wire.input.end();
    await asked;
    await expect.poll(() => wire.input.readableEnded).toBe(true);
    open();
    await wire.door.finished;
    expect(
      wire.received().filter((message) => message.result?.structuredContent?.exists !== undefined),
    ).toHaveLength(2);
  });

  it('answers everything even when it arrives all at once with the end', async () => {
    const { vault, asked, open } = shutVault();
    const wire = connect(vault);
    wire.raw(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(call(1, 'note_exists', { path: 'A.md' }))}`);
    wire.input.end();
    await asked;
    open();
    await wire.door.finished;
    expect(wire.received().map((message) => message.id)).toEqual(['init', 1]);
  });

  it.each(['exit', 'notifications/exit'])('takes %s as the end', async (method) => {
    const { vault, asked, open } = shutVault();
    const wire = await initialized(vault);
    wire.send(call(1, 'note_exists', { path: 'A.md' }));
    wire.send({ jsonrpc: '2.0', method });
    wire.send(call(2, 'note_exists', { path: 'A.md' }));
    await asked;
    open();
    await wire.door.finished;
    expect(wire.received().map((message) => message.id)).toEqual(['init', 1]);
  });

  it('ends at once when nothing is in flight, even before a handshake', async () => {
    const wire = connect();
    wire.input.end();
    await wire.door.finished;
    expect(wire.received()).toEqual([]);
  });

  it('ends when the client no longer reads', async () => {
    const input = new PassThrough();
    const door = serveOverStdio({
      identity: indxIdentity,
      version: '1',
      catalogue: async () => indxCatalogue,
      vault: async () => new MemorySession({}).asSession(),
      log: quiet,
      input,
      write: (_chunk, done) => setImmediate(() => done(new Error('EPIPE'))),
    });
    input.write(`${JSON.stringify(INITIALIZE)}\n`);
    await door.finished;
  });

  it('stops like the end of input', async () => {
    const { vault, asked, open } = shutVault();
    const wire = await initialized(vault);
    wire.send(call(1, 'note_exists', { path: 'A.md' }));
    await asked;
    wire.door.stop();
    open();
    await wire.door.finished;
    expect(wire.received().at(-1)?.id).toBe(1);
  });
});
