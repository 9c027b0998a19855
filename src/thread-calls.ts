import { type ErrorCode, isLecternError, LecternError } from './errors.ts';

/** A thread, seen from its parent. */
export interface ThreadPort<Message, Reply> {
  post(message: Message, transfer?: readonly ArrayBuffer[]): void;
  onReply(listener: (reply: Reply) => void): void;
  /** Called when the thread failed, and when it ended. */
  onExit(listener: (error: Error) => void): void;
  /** Whether the thread keeps the process running. */
  keepAlive?(yes: boolean): void;
  terminate(): Promise<void>;
}

/** The thread's own side of a {@link ThreadPort}. */
export interface ServedPort<Message, Reply> {
  onRequest(listener: (message: Message) => void): void;
  post(reply: Reply, transfer: readonly ArrayBuffer[]): void;
}

/** The calls of a thread: functions of one argument by name. Arguments and results are copied. */
export type CallTable<Calls> = { readonly [Name in keyof Calls]: (input: never) => unknown };

type InputOf<Call> = Call extends (input: infer Input) => unknown ? Input : never;
type ResultOf<Call> = Call extends (input: never) => infer Result ? Awaited<Result> : never;

export type CallMessage =
  | { readonly id: number; readonly call: string; readonly input: unknown }
  | { readonly id: number; readonly cancel: true };

export type CallReply<Event = never> =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorFacts }
  | { readonly event: Event };

/** An error in transferable form, since classes are lost between threads. Without a code: an unexpected one. */
interface ErrorFacts {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly next?: string | undefined;
  readonly stack?: string | undefined;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface ThreadCallOptions<Event> {
  /** Called with messages the thread sends on its own. */
  readonly onEvent?: (event: Event) => void;
  /** Called once when the thread has ended; returns the error for open and later calls. Default: the thread's own. */
  readonly ended?: (error: Error) => unknown;
}

/** The client side: matches replies to requests by number. */
export class ThreadCalls<Calls extends CallTable<Calls>, Event = never> {
  readonly #port: ThreadPort<CallMessage, CallReply<Event>>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #gone: unknown;

  constructor(port: ThreadPort<CallMessage, CallReply<Event>>, options: ThreadCallOptions<Event> = {}) {
    this.#port = port;
    const { ended = (error) => error, onEvent } = options;
    port.onReply((reply) => {
      if ('event' in reply) return onEvent?.(reply.event);
      const waiting = this.#settle(reply.id);
      if ('error' in reply) waiting?.reject(errorOf(reply.error));
      else waiting?.resolve(reply.result);
    });
    port.onExit((error) => {
      this.#gone ??= ended(error);
      for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(this.#gone);
    });
  }

  /** Whether no call is in progress. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * @param signal ends the call at once; the thread is notified and stops where it can
   * @throws the function's error, for a LecternError with its code, details and next step; the thread's own
   *   error once it has ended; the signal's reason
   */
  ask<Name extends keyof Calls & string>(
    call: Name,
    input: InputOf<Calls[Name]>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Calls[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) throw this.#gone;
      signal?.throwIfAborted();
      const id = ++this.#lastId;
      const cancel = () => {
        this.#port.post({ id, cancel: true });
        this.#settle(id)?.reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      const done = () => signal?.removeEventListener('abort', cancel);
      if (this.isIdle) this.#port.keepAlive?.(true);
      this.#waiting.set(id, {
        resolve: (result) => {
          done();
          resolve(result as ResultOf<Calls[Name]>);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#port.post({ id, call, input });
    });
  }

  terminate(): Promise<void> {
    return this.#port.terminate();
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (this.#waiting.delete(id) && this.isIdle) this.#port.keepAlive?.(false);
    return waiting;
  }
}

/** A result whose memory is transferred instead of copied. */
export class HandedOver<Result> {
  constructor(
    readonly result: Result,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

/** A function of the thread. The signal is aborted when the caller no longer waits. */
export type CallHandlers<Calls> = {
  readonly [Name in keyof Calls]: (
    input: InputOf<Calls[Name]>,
    signal: AbortSignal,
  ) =>
    | ResultOf<Calls[Name]>
    | HandedOver<ResultOf<Calls[Name]>>
    | Promise<ResultOf<Calls[Name]> | HandedOver<ResultOf<Calls[Name]>>>;
};

/**
 * The server side: runs each call on arrival, concurrently with calls that wait.
 * @returns a function that sends the client a message on its own
 */
export function serveCalls<Calls extends CallTable<Calls>, Event = never>(
  port: ServedPort<CallMessage, CallReply<Event>>,
  handlers: CallHandlers<Calls>,
): (event: Event) => void {
  const running = new Map<number, AbortController>();
  const answers = new Map<string, (input: never, signal: AbortSignal) => unknown>(Object.entries(handlers));
  const refuse = (id: number, facts: ErrorFacts): void => {
    try {
      port.post({ id, error: facts }, []);
    } catch {
      // Details that cannot be copied must not leave the client waiting.
      port.post({ id, error: { ...facts, details: {} } }, []);
    }
  };
  const answer = async (id: number, call: string, input: unknown): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const given = await answers.get(call)?.(input as never, controller.signal);
      const { result, buffers } = given instanceof HandedOver ? given : { result: given, buffers: [] };
      port.post({ id, result }, buffers);
    } catch (error) {
      refuse(id, factsOf(error));
    } finally {
      running.delete(id);
    }
  };
  port.onRequest((message) => {
    if ('cancel' in message) running.get(message.id)?.abort();
    else void answer(message.id, message.call, message.input);
  });
  return (event) => port.post({ event }, []);
}

function factsOf(error: unknown): ErrorFacts {
  if (isLecternError(error)) {
    const { code, message, details, next, stack } = error;
    return { code, message, details, next, stack };
  }
  return error instanceof Error
    ? { message: `${error.name}: ${error.message}`, stack: error.stack }
    : { message: String(error) };
}

function errorOf({ code, message, details, next, stack }: ErrorFacts): Error {
  const error =
    code === undefined
      ? new Error(message)
      : new LecternError(code, message, {
          ...(details && { details }),
          ...(next !== undefined && { next }),
        });
  if (stack !== undefined) error.stack = stack;
  return error;
}
