import type { VaultSession } from '../../vault/session.ts';

/** Changes sent in one write. */
const PAGE = 200;
/** Changes that arrive within this time, ms, are looked up together. */
const GATHER_MS = 50;
const KEEP_ALIVE_MS = 15_000;
/** Interval at which a new index is checked, ms. */
const BUILDING_MS = 250;

/**
 * Changes as server-sent events: `note.updated` and `note.removed`, each with an id for its position in the
 * order of changes. The stream resumes after `Last-Event-ID` (or `?since=`), so that a client that was away
 * gets every change exactly once; a file that changed several times meanwhile is sent in its last state. When
 * that is impossible because the index was rebuilt, the client gets `reset`: list again, then continue from
 * here. The first id is sent at once, so that the client has one to return with.
 *
 * @throws LecternError `invalid_input` for a malformed id
 */
export async function eventStream(
  request: Request,
  url: URL,
  vault: VaultSession,
  stillWorks: () => boolean = () => true,
): Promise<Response> {
  const asked = request.headers.get('last-event-id') ?? url.searchParams.get('since');
  const stream = new EventStream(vault, asked ?? undefined, stillWorks);
  request.signal.addEventListener('abort', () => stream.end(), { once: true });
  await stream.begin();
  return new Response(stream.body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  });
}

class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #vault: VaultSession;
  readonly #stillWorks: () => boolean;
  readonly #encoder = new TextEncoder();
  readonly #stopWatching: () => void;
  readonly #keepAlive: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Position to continue from; undefined until the client has got one. */
  #last: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading = false;
  #again = false;
  #mustReset = false;
  #onRoom: (() => void) | undefined;

  constructor(vault: VaultSession, from: string | undefined, stillWorks: () => boolean) {
    this.#vault = vault;
    this.#last = from;
    this.#stillWorks = stillWorks;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#onRoom?.(),
      cancel: () => this.end(),
    });
    // Subscribed before the first lookup, so that no change is missed in between.
    this.#stopWatching = vault.watch(() => this.#soon(GATHER_MS));
    this.#keepAlive = setInterval(() => {
      if (stillWorks()) this.#send(': keep-alive\n\n');
      else this.end();
    }, KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    this.#send('retry: 2000\n\n');
  }

  /** Resolves when every later change will be sent. */
  async begin(): Promise<void> {
    try {
      await this.#readPage();
    } catch (error) {
      this.end();
      throw error;
    }
    this.#soon(0);
  }

  end(): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#controller = undefined;
    this.#stopWatching();
    clearTimeout(this.#timer);
    clearInterval(this.#keepAlive);
    this.#onRoom?.();
    try {
      controller.close();
    } catch {
      // The client has disconnected: nothing is left to close.
    }
  }

  #soon(ms: number): void {
    if (this.#controller === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#read().catch(() => this.end()); // The client connects again with the last id it saw.
    }, ms);
  }

  async #read(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#again = false;
        // A revoked token gets no more events.
        if (!this.#stillWorks()) return this.end();
        await this.#readPage();
        await this.#room();
      } while (this.#again && this.#controller !== undefined);
    } finally {
      this.#reading = false;
    }
  }

  async #readPage(): Promise<void> {
    const log = await this.#vault.changesSince(this.#last, PAGE);
    if (this.#controller === undefined) return;
    this.#mustReset ||= log.reset;
    if (this.#mustReset || this.#last === undefined) {
      // Every file is new to a new index, and none of that is a change.
      if (this.#vault.staleness()?.startsWith('index: building')) {
        this.#mustReset = true;
        this.#last = undefined;
        return this.#soon(BUILDING_MS);
      }
      const { id, number: sequence } = log.next;
      this.#send(
        this.#mustReset
          ? `id: ${id}\nevent: reset\ndata: ${JSON.stringify({ sequence })}\n\n`
          : `id: ${id}\n\n`,
      );
      this.#mustReset = false;
      this.#last = id;
      return;
    }
    const events = log.changes.map(({ id, number: sequence, path, removed, etag }) => {
      const data = JSON.stringify({ sequence, path, ...(!removed && etag !== undefined && { etag }) });
      return `id: ${id}\nevent: note.${removed ? 'removed' : 'updated'}\ndata: ${data}\n\n`;
    });
    if (events.length > 0) this.#send(events.join(''));
    this.#last = log.next.id;
    this.#again ||= log.more;
  }

  /** Resolves when the client has read what was sent: a slow one must not fill the memory. */
  async #room(): Promise<void> {
    if (this.#controller === undefined || (this.#controller.desiredSize ?? 0) > 0) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
    this.#onRoom = undefined;
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }
}
