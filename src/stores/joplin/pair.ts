import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import { answersPing, probeJoplin } from './api.ts';

/** Interval, ms, at which Joplin is asked whether its owner has accepted. */
const ASK_MS = 1_000;

export interface PairOptions {
  /** Undefined = the first of Joplin's ports on this machine that answers. */
  readonly url?: string;
  readonly signal: AbortSignal;
  /** Called with the address when Joplin shows its question. */
  readonly onAsked: (url: string) => void;
}

/**
 * Requests a token from Joplin, which asks its owner to accept or reject. Waits until the owner has answered
 * or `signal` aborts.
 *
 * @returns the token
 * @throws LecternError `unavailable` when no Joplin answers or the answers are not Joplin's, `forbidden` when
 *   the owner rejects
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
