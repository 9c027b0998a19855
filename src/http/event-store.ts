import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface StoredEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** Enough for the answers in transit when a connection broke. */
const MAX_CHARACTERS = 256 * 1024;

/** The last messages of one session, for a client that reconnects with Last-Event-ID. */
export class SessionEvents implements EventStore {
  readonly #events = new Map<string, StoredEvent>();
  #last = 0;
  #characters = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = String(++this.#last);
    const size = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, size });
    this.#characters += size;
    for (const [oldest, event] of this.#events) {
      if (this.#characters <= MAX_CHARACTERS || oldest === id) break;
      this.#events.delete(oldest);
      this.#characters -= event.size;
    }
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(lastId)?.stream;
    if (stream === undefined) throw new Error('The event is not known any more.');
    for (const [id, event] of this.#events) {
      const isPriming = Object.keys(event.message).length === 0;
      if (Number(id) > Number(lastId) && event.stream === stream && !isPriming) await send(id, event.message);
    }
    return stream;
  }
}
