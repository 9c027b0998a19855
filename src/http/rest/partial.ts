import type * as z from 'zod';
import { partialPayload } from '../../operations/call/partial.ts';
import type { OperationContext, PartialAnswer } from '../../operations/operation.ts';
import { failed, ok, problemOf, shown } from './answers.ts';

type Output = z.output<z.ZodObject>;

/** How the pieces of an answer are sent: as events, or one JSON value per line. */
export type PartialForm = 'text/event-stream' | 'application/x-ndjson';

/** @returns undefined for a caller who wants the answer whole */
export function partialForm(request: Request): PartialForm | undefined {
  const accept = request.headers.get('accept') ?? '';
  if (accept.includes('text/event-stream')) return 'text/event-stream';
  return accept.includes('application/x-ndjson') ? 'application/x-ndjson' : undefined;
}

export interface PartialRequest {
  readonly form: PartialForm;
  /** @param signal aborted when nobody reads any more */
  readonly run: (
    listen: Pick<OperationContext, 'progress' | 'partial'>,
    signal: AbortSignal,
  ) => Promise<Output>;
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * An answer in pieces as they come (`partial`, `citation`, `usage`, and `progress`), and at the end the whole of it in the
 * envelope, as `result`, or what went wrong, as `error`. What goes wrong before the first piece is answered as always.
 *
 * @throws LecternError as the operation does, before the first piece
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
