import type * as z from 'zod';
import { parseInput } from '../../operations/call/input.ts';
import { inputSchema } from '../../operations/call/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import { splitNotice } from '../../operations/shared/fields.ts';
import { rowsKey } from '../../operations/shared/rows.ts';
import { failed, headerText, problemOf, shown } from './answers.ts';

type Output = z.output<z.ZodObject>;

export interface RowsRequest {
  readonly operation: Operation;
  readonly input: Record<string, unknown>;
  /** Runs the operation for one page. */
  readonly run: (input: z.output<z.ZodObject>) => Promise<Output>;
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * A list as one JSON row per line (NDJSON), page after page as fast as the client reads: all rows, or `limit`
 * of them. An error on the way is the last line, as the envelope's error.
 */
export async function streamRows(request: RowsRequest): Promise<Response> {
  const { operation, input } = request;
  const key = rowsKey(operation) ?? '';
  const { limit, ...others } = input;
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const page = inputSchema(operation.input).properties.limit?.maximum ?? 100;
  const readPage = async (cursor: string | undefined, left: number) => {
    const wanted = { ...others, limit: Math.min(page, left), ...(cursor !== undefined && { cursor }) };
    const output = await request.run(parseInput(operation, wanted));
    const rows = output[key];
    const next = output.next_cursor;
    return {
      rows: Array.isArray(rows) ? rows : [],
      next: typeof next === 'string' ? next : undefined,
      total: Number(output.total),
      staleness: splitNotice(output.notice).index,
    };
  };
  // Read before the response begins, so that wrong arguments get a status of their own.
  const first = await readPage(typeof input.cursor === 'string' ? input.cursor : undefined, most);
  let sent = 0;
  let pending: typeof first | undefined = first;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (pending === undefined) return controller.close();
        const { rows, next } = pending;
        sent += rows.length;
        if (rows.length > 0)
          controller.enqueue(encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
        const isLast = next === undefined || sent >= most;
        pending = isLast ? undefined : await readPage(next, most - sent);
        if (isLast) controller.close();
      } catch (error) {
        const problem = problemOf(shown(error, request.onUnexpected));
        const line = JSON.stringify(await failed(problem).json());
        controller.enqueue(encoder.encode(`${line}\n`));
        controller.close();
      }
    },
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'application/x-ndjson',
      'X-Total-Count': String(first.total),
      // Rows have no place for the notice that the index is incomplete.
      ...(first.staleness !== undefined && { 'X-Lectern-Notice': headerText(first.staleness) }),
    },
  });
}
