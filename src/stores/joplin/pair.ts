import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import { answersPing, probeJoplin } from './api.ts';

/** Joplin is asked this often whether its owner has said yes. */
const ASK_MS = 1_000;

export interface PairOptions {
  /** Undefined: the first of Joplin's ports on this machine that answers. */
  readonly url?: string;
  readonly signal: AbortSignal;
  /** Called when Joplin shows its question. */
  readonly onAsked: (url: string) => void;
}

/**
 * Asks Joplin for its token: Joplin shows a question, and its owner accepts or rejects.
 *
 * @returns the token
 * @throws LecternError `unavailable` when no Joplin answers, `forbidden` when the owner says no
 */
export async function pairWithJoplin({ url, signal, onAsked }: PairOptions): Promise<string> {
  const at = url?.replace(/\/+$/, '') ?? (await probeJoplin());
  if (at === undefined || !(await answersPing(at)))
    throw new LecternError('unavailable', 'No Joplin answers on this machine.', {
      next: 'Start Joplin, switch on its service under Options > Web Clipper, and call again.',
    });
  const asked = await json(`${at}/auth`, 'POST', signal);
  const auth = String(asked.auth_token ?? '');
  if (auth === '') throw unlike();
  onAsked(at);
  for (;;) {
    const { status, token } = await json(
      `${at}/auth/check?auth_token=${encodeURIComponent(auth)}`,
      'GET',
      signal,
    );
    if (status === 'accepted' && typeof token === 'string' && token !== '') return token;
    if (status === 'rejected')
      throw new LecternError('forbidden', 'The question was answered with no in Joplin.', {
        next: 'Call again and accept it there.',
      });
    if (status !== 'waiting') throw unlike();
    await delay(ASK_MS, undefined, { signal });
  }
}

async function json(url: string, method: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method, signal, redirect: 'error' }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new LecternError('unavailable', 'Joplin went away.', { cause, next: 'Start it and call again.' });
  });
  const found: unknown = await response.json().catch(() => undefined);
  if (!response.ok || typeof found !== 'object' || found === null) throw unlike();
  return found as Record<string, unknown>;
}

function unlike(): LecternError {
  return new LecternError(
    'unavailable',
    'This Joplin does not answer the way Joplin does when it is asked for a token.',
    {
      next: 'Set LECTERN_JOPLIN_TOKEN to the token of Options > Web Clipper instead.',
    },
  );
}
