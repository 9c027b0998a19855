import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { RpcId } from './json-rpc.ts';

interface Batch {
  readonly waiting: Set<RpcId>;
  readonly answers: JSONRPCMessage[];
}

/** Collects the answers to the requests of a batch, which are sent together as one array. */
export class BatchAnswers {
  readonly #batchOf = new Map<RpcId, Batch>();

  open(requests: readonly RpcId[]): void {
    if (requests.length === 0) return;
    const batch: Batch = { waiting: new Set(requests), answers: [] };
    for (const id of requests) this.#batchOf.set(id, batch);
  }

  /** @returns what to send now: the message itself, the whole batch, or undefined while answers are missing */
  collect(id: RpcId, answer: JSONRPCMessage): JSONRPCMessage | readonly JSONRPCMessage[] | undefined {
    const batch = this.#batchOf.get(id);
    if (batch === undefined) return answer;
    batch.answers.push(answer);
    return this.#release(id, batch);
  }

  /** The request will not be answered. @returns the batch when this was the last missing answer */
  drop(id: RpcId): readonly JSONRPCMessage[] | undefined {
    const batch = this.#batchOf.get(id);
    return batch === undefined ? undefined : this.#release(id, batch);
  }

  #release(id: RpcId, batch: Batch): readonly JSONRPCMessage[] | undefined {
    this.#batchOf.delete(id);
    batch.waiting.delete(id);
    return batch.waiting.size === 0 && batch.answers.length > 0 ? batch.answers : undefined;
  }
}
