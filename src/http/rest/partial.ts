import type * as z from 'zod';
import { partialPayload } from '../../operations/call/partial.ts';
import type { OperationContext, PartialAnswer } from '../../operations/operation.ts';
import { failed, ok, problemOf, shown } from './answers.ts';

type Output = z.output<z.ZodObject>;

/** The format of partial answers: server-sent events, or one JSON value per line. */
export type PartialForm = 'text/event-stream' | 'application/x-ndjson';

/** @returns undefined when the caller does not accept a format for partial answers */
export function partialForm(request: Request): PartialForm | undefined {
  const accept = request.headers.get('accept') ?? '';
  if (accept.includes('text/event-stream')) return 'text/event-stream';
  return accept.includes('application/x-ndjson') ? 'application/x-ndjson' : undefined;
}

export interface PartialRequest {
  readonly form: PartialForm;
  /** @param signal aborted when the client disconnects */
  readonly run: (
    listen: Pick<OperationContext, 'progress' | 'partial'>,
    signal: AbortSignal,
  ) => Promise<Output>;
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Streams the parts of an answer as they arrive (`partial`, `citation`, `usage` and `progress`). The last
 * event is `result` with the whole envelope, or `error`. An error before the first part is answered with its
 * own status.
 */
export async function streamPartial({ form, run, onUnexpected }: PartialRequest): Promise<Response> {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const early: Uint8Array[] = [];
  let tell = (bytes: Uint8Array): void => void early.push(bytes);
  let begun = (): void => {};
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const send = (event: string, data: Record<string, unknown>): void => {
    tell(encoder.encode(lineOf(form, event, data)));
    begun();
  };
  const done = run(
    {
      progress: (count, total, message) =>
        send('progress', {
          progress: {
            done: count,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message }),
          },
        }),
      partial: (part: PartialAnswer) => send(part.kind, partialPayload(part)),
    },
    gone.signal,
  );
  await Promise.race([first, done]);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const bytes of early) controller.enqueue(bytes);
      tell = (bytes) => controller.enqueue(bytes);
      let last: string;
      try {
        last = lineOf(form, 'result', (await ok(await done).json()) as Record<string, unknown>);
      } catch (error) {
        if (gone.signal.aborted) return;
        const problem = problemOf(shown(error, onUnexpected));
        last = lineOf(form, 'error', (await failed(problem).json()) as Record<string, unknown>);
      }
      if (gone.signal.aborted) return;
      controller.enqueue(encoder.encode(last));
      controller.close();
    },
    cancel(reason) {
      tell = () => {};
      gone.abort(reason instanceof Error ? reason : new Error('The reader is gone.'));
    },
  });
  return new Response(body, { headers: { 'Content-Type': form, 'Cache-Control': 'no-store' } });
}

function lineOf(form: PartialForm, event: string, data: Record<string, unknown>): string {
  const json = JSON.stringify(data);
  return form === 'text/event-stream' ? `event: ${event}\ndata: ${json}\n\n` : `${json}\n`;
}
