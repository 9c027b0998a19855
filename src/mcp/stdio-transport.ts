import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { BackPressure } from './back-pressure.ts';
import { BatchAnswers } from './batch-answers.ts';
import {
  answeredId,
  cancelledId,
  type Decoded,
  decodeLine,
  decodeMessage,
  INVALID_REQUEST,
  PARSE_ERROR,
  type RpcId,
  requestId,
} from './json-rpc.ts';
import { type Line, LineReader } from './line-reader.ts';

/** Limit of a line, bytes: the longest text a write may contain, with its JSON escapes. */
const MAX_LINE_BYTES = 40 * 1024 * 1024;

export interface StdioTransportOptions {
  readonly input: Readable;
  /** Writes one chunk to the client; the callback reports that it was written, or the error. */
  readonly write: (chunk: string, done: (error?: Error | null) => void) => void;
  readonly maxLineBytes?: number;
  /** The result of the connection's first message when it is known before there is a message handler. */
  readonly firstAnswer?: (message: JSONRPCMessage) => Record<string, unknown> | undefined;
}

/**
 * JSON-RPC over two streams, one message per line. It differs from the SDK's own transport in the edge cases:
 * a malformed line is answered (-32700, -32600) instead of dropped, an oversized one does not end the
 * connection, batches of the 2025-03-26 revision are understood, and the end of input (or an `exit`
 * notification) lets requests in progress finish first.
 */
export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;

  /** Resolves when no more input is taken: end of input, `exit`, or a disconnected client. */
  readonly ended: Promise<void>;

  /** Resolves with the first message: from then on a message handler is needed. */
  readonly heard: Promise<void>;
  /** Resolves when the first answer was written. */
  readonly answered: Promise<void>;

  readonly #options: StdioTransportOptions;
  readonly #reader: LineReader;
  readonly #pressure: BackPressure;
  readonly #inFlight = new Set<RpcId>();
  readonly #batches = new BatchAnswers();
  #idleWaiters: (() => void)[] = [];
  #unwritten = 0;
  #listening = false;
  #heard = false;
  /** Messages received before there is a handler. */
  #backlog: JSONRPCMessage[] | undefined = [];
  /** The request answered by `firstAnswer`: a second answer to it is not sent. */
  #answeredFirst: RpcId | undefined;
  #ended = false;
  #hungUp = false;
  #closed = false;
  #resolveEnded: () => void = () => {};
  #resolveHeard: () => void = () => {};
  #resolveAnswered: () => void = () => {};

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#pressure = new BackPressure(options.input);
    this.#reader = new LineReader(options.maxLineBytes ?? MAX_LINE_BYTES, (line) => this.#onLine(line));
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.heard = new Promise((resolve) => {
      this.#resolveHeard = resolve;
    });
    this.answered = new Promise((resolve) => {
      this.#resolveAnswered = resolve;
    });
  }

  get hasHeard(): boolean {
    return this.#heard;
  }

  /** Passes on the messages received so far, then every new one. */
  async start(): Promise<void> {
    this.listen();
    void this.#handOver();
  }

  /** Starts reading; messages wait until `start`. */
  listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    const { input } = this.#options;
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onInputError);
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#hungUp) return Promise.reject(new Error('The stdio connection is closed.'));
    const id = answeredId(message);
    if (id !== undefined && id === this.#answeredFirst) {
      this.#answeredFirst = undefined;
      this.#settle(id);
      return Promise.resolve();
    }
    if (id === undefined && this.#pressure.isUnread) return this.#giveUp();
    const ready = id === undefined ? message : this.#batches.collect(id, message);
    if (ready === undefined) {
      if (id !== undefined) this.#forget(id);
      return Promise.resolve();
    }
    return this.#write(ready).finally(() => {
      if (id === undefined) return;
      this.#settle(id);
      this.#resolveAnswered();
    });
  }

  /** Takes no more input. Requests already received are still answered. */
  stopReading(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pressure.stop();
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.pause();
    this.#resolveEnded();
  }

  /** Resolves when every received request was answered and the answers were written, or after `limitMs`. */
  async idle(limitMs: number): Promise<boolean> {
    if (this.#isIdle()) return true;
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.#idleWaiters.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.stopReading();
    const { input } = this.#options;
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
  };

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#reader.end();
    this.stopReading();
  };

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error);
    this.#onEnd();
  };

  #onLine(line: Line): void {
    if (this.#ended) return;
    if (line.kind === 'line') {
      const decoded = decodeLine(line.text);
      const { length } = line.text;
      if (decoded.kind === 'batch') this.#acceptBatch(decoded.items, length);
      else this.#accept(decoded, length);
      return;
    }
    if (line.reason === 'not_utf8')
      this.#answerError(null, PARSE_ERROR, 'Parse error: the line is not UTF-8.');
    else
      this.#answerError(
        null,
        INVALID_REQUEST,
        `Invalid request: the line is longer than ${this.#maxLine()} bytes.`,
      );
  }

  /** One message per turn of the event loop: the first of each kind makes the protocol layer build its schemas. */
  async #handOver(): Promise<void> {
    for (;;) {
      await nextTurn();
      const message = this.#backlog?.shift();
      if (message === undefined) break;
      this.onmessage?.(message);
    }
    this.#backlog = undefined;
  }

  #accept(decoded: Exclude<Decoded, { kind: 'batch' }>, length: number): void {
    if (decoded.kind === 'error') this.#answerError(decoded.id, decoded.code, decoded.message);
    else if (decoded.kind === 'message') this.#deliver(decoded.message, length);
  }

  #hear(): void {
    this.#heard = true;
    this.#resolveHeard();
  }

  #answerFirst(id: RpcId, message: JSONRPCMessage): void {
    const result = this.#options.firstAnswer?.(message);
    if (result === undefined) return;
    this.#answeredFirst = id;
    this.#write({ jsonrpc: '2.0', id, result }).then(this.#resolveAnswered, () => {});
  }

  #acceptBatch(items: readonly unknown[], length: number): void {
    this.#hear();
    const decoded = items.map(decodeMessage);
    const requests = decoded.flatMap((item) => {
      const id = item.kind === 'message' ? requestId(item.message) : undefined;
      return id === undefined || this.#inFlight.has(id) ? [] : [id];
    });
    this.#batches.open(requests);
    for (const item of decoded) if (item.kind !== 'batch') this.#accept(item, length / items.length);
  }

  #deliver(message: JSONRPCMessage, length: number): void {
    if ('method' in message && !('id' in message) && /^(notifications\/)?exit$/.test(message.method)) {
      this.stopReading();
      return;
    }
    const first = !this.#heard;
    const id = requestId(message);
    if (id !== undefined && this.#inFlight.has(id)) {
      this.#answerError(
        id,
        INVALID_REQUEST,
        'Invalid request: this id is still in use by a request in flight.',
      );
      return;
    }
    // A subscription is answered when it ends, so the end does not wait for it.
    if (id !== undefined && 'method' in message && message.method !== 'subscriptions/listen') {
      this.#inFlight.add(id);
      this.#pressure.begin(id, length);
    }
    this.#hear();
    if (first && id !== undefined) this.#answerFirst(id, message);
    if (this.#backlog === undefined) this.onmessage?.(message);
    else this.#backlog.push(message);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#cancel(cancelled);
  }

  /** A cancelled request is not answered, so the end does not wait for it. */
  #cancel(id: RpcId): void {
    const batch = this.#batches.drop(id);
    if (batch !== undefined) this.#write(batch).catch(() => {});
    this.#settle(id);
  }

  #answerError(id: RpcId | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }

  #write(message: unknown): Promise<void> {
    this.#unwritten++;
    const line = `${JSON.stringify(message)}\n`;
    this.#pressure.sent(line.length);
    return new Promise<void>((resolve, reject) => {
      this.#options.write(line, (error) => {
        this.#unwritten--;
        this.#pressure.read(line.length);
        if (error) {
          this.#hangUp(error);
          reject(error);
        } else {
          resolve();
        }
        this.#wakeWhenIdle();
      });
    });
  }

  /** The client no longer reads, so no answer can be delivered. */
  #hangUp(error: Error): void {
    if (this.#hungUp) return;
    this.#hungUp = true;
    this.onerror?.(error);
    this.#inFlight.clear();
    this.stopReading();
  }

  #forget(id: RpcId): void {
    this.#inFlight.delete(id);
    this.#pressure.end(id);
  }

  /** Notifications cannot be held back: they are dropped for a client that does not read. */
  #giveUp(): Promise<void> {
    const error = new Error('The client does not read what it is sent.');
    this.#hangUp(error);
    return Promise.reject(error);
  }

  #settle(id: RpcId): void {
    this.#forget(id);
    this.#wakeWhenIdle();
  }

  #isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#unwritten === 0;
  }

  #wakeWhenIdle(): void {
    if (!this.#isIdle()) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const wake of waiters) wake();
  }

  #maxLine(): number {
    return this.#options.maxLineBytes ?? MAX_LINE_BYTES;
  }
}
