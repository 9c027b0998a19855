import { LecternError } from '../../errors.ts';
import type { VaultSession } from '../../vault/session.ts';

/** Changes sent in one go. */
const PAGE = 200;
/** Changes that arrive together are looked up together. */
const GATHER_MS = 50;
const KEEP_ALIVE_MS = 15_000;

/**
 * Changes as server-sent events: `note.updated` and `note.removed`, each with its sequence as id.
 * Goes on behind `Last-Event-ID` (or `?since=`), so that a client that was away misses nothing; of
 * a file that changed several times meanwhile it hears the last state.
 *
 * @throws LecternError `invalid_input` for a sequence that is none
 */
export async function eventStream(
  request: Request,
  url: URL,
  vault: VaultSession,
  stillWorks: () => boolean = () => true,
): Promise<Response> {
  const asked = request.headers.get('last-event-id') ?? url.searchParams.get('since');
  if (asked !== null && !/^\d{1,15}$/.test(asked)) {
    throw new LecternError('invalid_input', `${JSON.stringify(asked.slice(0, 40))} is no event id.`, {
      next: 'Send the id of the last event you saw as Last-Event-ID, or nothing to begin now.',
    });
  }
  const from = asked === null ? (await vault.changesSince(undefined, 1)).sequence : Number(asked);
  const encoder = new TextEncoder();
  let end: () => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let last = from;
      let timer: NodeJS.Timeout | undefined;
      let reading = false;
      let again = false;
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const read = async (): Promise<void> => {
        timer = undefined;
        if (reading) {
          again = true;
          return;
        }
        reading = true;
        // A token that was taken back hears no more.
        if (!stillWorks()) return end();
        try {
          do {
            again = false;
            const page = await vault.changesSince(last, PAGE);
            for (const { sequence: id, path, removed, etag } of page.changes) {
              const data = JSON.stringify({ sequence: id, path, ...(etag !== undefined && { etag }) });
              send(`id: ${id}\nevent: note.${removed ? 'removed' : 'updated'}\ndata: ${data}\n\n`);
            }
            last = page.sequence;
            again ||= page.more;
          } while (again && !request.signal.aborted);
        } catch {
          // The client connects again with the last id it saw.
          end();
        }
        reading = false;
      };
      const stop = vault.watch(() => {
        timer ??= setTimeout(() => void read(), GATHER_MS);
      });
      const keepAlive = setInterval(() => {
        if (stillWorks()) send(': keep-alive\n\n');
        else end();
      }, KEEP_ALIVE_MS);
      keepAlive.unref();
      let ended = false;
      end = () => {
        if (ended) return;
        ended = true;
        stop();
        clearTimeout(timer);
        clearInterval(keepAlive);
        controller.close();
      };
      request.signal.addEventListener('abort', end, { once: true });
      send('retry: 2000\n\n');
      void read();
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  });
}
