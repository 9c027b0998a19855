import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restClient } from '../../../test/support/rest-client.ts';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import type { VaultSession } from '../../vault/session.ts';

let open: TestVault;

beforeEach(async () => {
  open = await openTestVault({ 'A.md': 'a\n', 'Hidden/H.md': 'h\n' });
});

afterEach(async () => {
  await open.close();
  discard(open);
});

/** Timeout for tests in which many changes are reported first. */
const POLLED = { timeout: 20_000, interval: 10 };

interface Heard {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly sequence: number; readonly path: string; readonly etag?: string };
}

/** One connection of a client. */
class Listener {
  readonly heard: Heard[] = [];
  /** The id that a browser would keep: that of the last event, or of an event without data. */
  lastId: string | undefined;
  readonly #abort = new AbortController();
  #over: Promise<void> = Promise.resolve();

  static async connect(session: VaultSession, lastId?: string): Promise<Listener> {
    const listener = new Listener();
    const headers = new Headers(lastId === undefined ? [] : [['last-event-id', lastId]]);
    const signal = listener.#abort.signal;
    const response = await restClient(session).raw('GET', '/v1/events', { headers, signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    listener.lastId = lastId;
    listener.#over = listener.#read(response);
    return listener;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#over;
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        this.#take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: /, '')]),
    );
    const id = fields.get('id');
    if (id !== undefined) this.lastId = id;
    const data = fields.get('data');
    if (id !== undefined && data !== undefined)
      this.heard.push({ id, event: fields.get('event') ?? '', data: JSON.parse(data) });
  }
}

const save = (path: string, text: string) => writeFileSync(join(open.folder, path), text);
const told = (listener: Listener) => listener.heard.map(({ event, data }) => [event, data.path]);

/** Closes the vault and opens it again; `meanwhile` may change its index. */
async function restart(meanwhile: () => void = () => {}): Promise<void> {
  const { folder, state } = open;
  await open.close();
  meanwhile();
  open = await openTestVault({}, { reopen: { folder, state } });
}

it('tells of changes and goes on where a client left off', async () => {
  const first = await Listener.connect(open.session);
  save('E1.md', 'by an editor\n');
  await expect.poll(() => told(first)).toEqual([['note.updated', 'E1.md']]);
  await first.close();
  save('E2.md', 'x\n');
  rmSync(join(open.folder, 'E1.md'));
  await expect.poll(async () => (await open.session.exists('E1.md')).exists).toBe(false);
  const second = await Listener.connect(open.session, first.lastId);
  await expect
    .poll(() => told(second).sort())
    .toEqual([
      ['note.removed', 'E1.md'],
      ['note.updated', 'E2.md'],
    ]);
  await second.close();
});

it('has an id to come back with before anything has happened', async () => {
  const first = await Listener.connect(open.session);
  await expect.poll(() => first.lastId).toMatch(/^[0-9a-f]{12}-\d+$/);
  await first.close();
  await restart(() => save('A.md', 'changed while nobody looked\n'));
  const second = await Listener.connect(open.session, first.lastId);
  await expect.poll(() => told(second)).toEqual([['note.updated', 'A.md']]);
  await second.close();
});

describe('over a burst, with restarts and a client that keeps going away', () => {
  it.each([
    ['a client that sees everything', false],
    ['a client that sees a part', true],
  ])(
    '%s misses nothing and hears nothing twice',
    async (_who, narrowed) => {
      const deny = { readOnly: false, read: { allow: [], deny: ['Hidden'] }, write: { allow: [], deny: [] } };
      const session = () => (narrowed ? open.vault.session(ACTOR, [deny]) : open.session);
      const first = await Listener.connect(session());
      await expect.poll(() => first.lastId).toBeDefined();
      await first.close();
      let lastId = first.lastId;
      const heard: Heard[] = [];
      for (let round = 0; round < 4; round++) {
        const writing = (async () => {
          for (let n = 0; n < 400; n++) {
            save(`${n % 3 === 0 ? 'Hidden/' : ''}n${n}.md`, `round ${round}, note ${n}\n`);
            await nextTurn();
          }
        })();
        // Disconnects after the first event.
        for (let times = 0; times < 3; times++) {
          const listener = await Listener.connect(session(), lastId);
          await Promise.race([expect.poll(() => listener.heard.length, POLLED).toBeGreaterThan(0), writing]);
          await listener.close();
          heard.push(...listener.heard);
          lastId = listener.lastId;
        }
        await writing;
        if (round % 2 === 1) await restart(() => save('n1.md', `round ${round}, while it was down\n`));
      }
      const seen = narrowed ? 400 - 134 : 400;
      const last = await Listener.connect(session(), lastId);
      const states = () => new Map([...heard, ...last.heard].map(({ data }) => [data.path, data.etag]));
      const wanted = async () => {
        const files = Object.keys(open.files()).filter((path) => /n\d+\.md$/.test(path));
        const visible = files.filter((path) => !narrowed || !path.startsWith('Hidden/'));
        return new Map(
          await Promise.all(
            visible.map(async (path) => [path, (await open.session.open(path)).etag] as const),
          ),
        );
      };
      const end = await wanted();
      expect(end.size).toBe(seen);
      await expect.poll(() => states(), { timeout: 20_000 }).toEqual(end);
      await last.close();
      const all = [...heard, ...last.heard];
      expect(all.filter(({ event }) => event === 'reset')).toEqual([]);
      if (narrowed) expect(all.filter(({ data }) => data.path.startsWith('Hidden'))).toEqual([]);
      // A hidden file leaves no gap in the sequence.
      if (narrowed) expect(all.map(({ data }) => data.sequence)).toEqual(all.map((_, at) => at + 1));
      const ids = all.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const versions = all.map(({ data }) => `${data.path} ${data.etag}`);
      expect(new Set(versions).size).toBe(versions.length);
      const order = all.map(({ data }) => data.sequence);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    },
    60_000,
  );
});

describe('an index that is built again', () => {
  const never = new AbortController().signal;

  it('in place, tells nothing: nothing has changed', async () => {
    const listener = await Listener.connect(open.session);
    await open.session.reindex(() => {}, never);
    save('After.md', 'x\n');
    await expect.poll(() => told(listener)).toEqual([['note.updated', 'After.md']]);
    await listener.close();
  });

  it('from nothing, tells a client that was there before to list again, and goes on from there', async () => {
    const before = await Listener.connect(open.session);
    await before.close();
    await restart(() => rmSync(join(open.state, 'index.db')));
    const after = await Listener.connect(open.session, before.lastId);
    await expect.poll(() => after.heard.map(({ event }) => event)).toEqual(['reset']);
    expect(after.lastId).not.toBe(before.lastId);
    save('After.md', 'x\n');
    await expect.poll(() => told(after).slice(1)).toEqual([['note.updated', 'After.md']]);
    await after.close();
    const again = await Listener.connect(open.session, after.lastId);
    save('Later.md', 'x\n');
    await expect.poll(() => told(again)).toEqual([['note.updated', 'Later.md']]);
    await again.close();
  });

  it.each(['7', '0123456789ab-3', 'ffffffffffff-999999999999'])(
    'id %s is of no index there is',
    async (id) => {
      const listener = await Listener.connect(open.session, id);
      await expect.poll(() => listener.heard.map(({ event }) => event)).toEqual(['reset']);
      await listener.close();
    },
  );

  it('while it is young, is not taken for changes', async () => {
    const { session } = open;
    let building = true;
    const young: VaultSession = {
      ...session,
      staleness: () => (building ? 'index: building 1/2' : undefined),
    };
    const listener = await Listener.connect(young);
    // Another client that may see the file shows when the change was reported.
    const other = await Listener.connect(session);
    save('Found.md', 'x\n');
    await expect.poll(() => told(other)).toEqual([['note.updated', 'Found.md']]);
    await other.close();
    expect(listener.heard).toEqual([]);
    building = false;
    await expect.poll(() => listener.heard.map(({ event }) => event)).toEqual(['reset']);
    save('Changed.md', 'x\n');
    await expect.poll(() => told(listener).slice(1)).toEqual([['note.updated', 'Changed.md']]);
    await listener.close();
  });
});

it('keeps a client that does not read from filling the memory, and then tells it all', async () => {
  const response = await restClient(open.session).raw('GET', '/v1/events');
  // Another client that reads shows when the server has sent all changes.
  const other = await Listener.connect(open.session);
  for (let n = 0; n < 1000; n++) save(`slow${n}.md`, `${n}\n`);
  await expect.poll(() => new Set(told(other).map(([, path]) => path)).size, POLLED).toBe(1000);
  await other.close();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/"slow999\.md"/.test(text) || (text.match(/note\.updated/g) ?? []).length < 1000)
    text += (await reader?.read())?.value ?? '';
  expect(new Set(text.match(/slow\d+\.md/g)).size).toBe(1000);
  await reader?.cancel();
});

describe('a client that sees a part', () => {
  const deny = { readOnly: false, read: { allow: [], deny: ['Hidden'] }, write: { allow: [], deny: [] } };
  const narrow = () => open.vault.session(ACTOR, [deny]);

  it('is told the same ids and numbers whether or not something hidden changes', async () => {
    const first = await Listener.connect(narrow());
    await expect.poll(() => first.lastId).toMatch(/^[\w-]{100,}$/);
    save('E1.md', 'x\n');
    await expect.poll(() => first.heard.map(({ data }) => data.sequence)).toEqual([1]);
    const before = first.lastId;
    save('Hidden/H.md', 'changed\n');
    save('E2.md', 'x\n');
    await expect.poll(() => first.heard.map(({ data }) => data.sequence)).toEqual([1, 2]);
    await first.close();
    const again = await Listener.connect(narrow(), before);
    await expect
      .poll(() => again.heard.map(({ data }) => [data.path, data.sequence]))
      .toEqual([['E2.md', 2]]);
    await again.close();
    const ids = [...first.heard, ...again.heard].map(({ id }) => id);
    // The same position gets a new id each time, so ids cannot be compared.
    expect(new Set(ids).size).toBe(3);
    expect(new Set(ids.map((id) => id.length)).size).toBe(1);
  });

  it('begins again when it saw more or less before', async () => {
    const all = await Listener.connect(open.session);
    const part = await Listener.connect(narrow());
    await expect.poll(() => all.lastId !== undefined && part.lastId !== undefined).toBe(true);
    await all.close();
    await part.close();
    for (const [session, id] of [
      [narrow(), all.lastId],
      [open.session, part.lastId],
    ] as const) {
      const listener = await Listener.connect(session, id);
      await expect.poll(() => listener.heard.map(({ event }) => event)).toEqual(['reset']);
      await listener.close();
    }
  });
});

it('refuses an id that is none', async () => {
  const deny = { readOnly: false, read: { allow: [], deny: ['Hidden'] }, write: { allow: [], deny: [] } };
  for (const session of [open.session, open.vault.session(ACTOR, [deny])])
    for (const id of ['soon', '-1', 'x-5', '0123456789ab-'])
      expect((await restClient(session).send('GET', `/v1/events?since=${id}`)).status).toBe(400);
});
