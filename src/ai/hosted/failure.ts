import { APICallError } from '@ai-sdk/provider';
import { isLecternError, LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { WireError } from './guarded-fetch.ts';

/** A longer wait is left to the caller, ms. */
export const LONGEST_WAIT_MS = 20_000;

/**
 * A failed request. The message never contains what was sent or answered, which may contain text of notes.
 */
export interface Failure {
  readonly error: LecternError;
  readonly mayPass: boolean;
  /** The wait that the provider asks for in `Retry-After`, ms. */
  readonly waitMs?: number;
}

const TOO_LONG =
  /context[ _]?(?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long|input is too long|exceeds? the (?:available |maximum )?(?:context|number of tokens|token)/i;

/**
 * Turns an error of a provider's package into a LecternError: `too_large` when the text does not fit, else
 * `ai_unavailable`.
 *
 * @param who the provider, as named in the message
 * @returns `mayPass` = a retry may succeed
 */
export function failureOf(thrown: unknown, who: string): Failure {
  if (isLecternError(thrown)) return { error: thrown, mayPass: false };
  if (APICallError.isInstance(thrown) && thrown.statusCode !== undefined)
    return ofStatus(thrown, thrown.statusCode, who);
  const wire = causes(thrown).find((cause) => cause instanceof WireError);
  if (wire instanceof WireError)
    return { error: unavailable(`${who} cannot be used: ${wire.message}.`, CHECK_ADDRESS), mayPass: false };
  const code = causes(thrown).flatMap((cause) =>
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? [cause.code] : [],
  )[0];
  if (code === undefined && APICallError.isInstance(thrown))
    return {
      error: unavailable(`${who} answered with something that is no answer of a model.`, CHECK_ADDRESS),
      mayPass: false,
    };
  const how = code === undefined || !/^[A-Z_]{3,40}$/.test(code) ? '' : ` (${code})`;
  return { error: unavailable(`${who} cannot be reached, or hung up${how}.`, CHECK_ADDRESS), mayPass: true };
}

function ofStatus(
  { responseHeaders, responseBody = '', data }: APICallError,
  status: number,
  who: string,
): Failure {
  const said = word(data) ?? word(parsed(responseBody));
  const how = said === undefined ? `${status}` : `${status}, ${said}`;
  if (status === 413 || (status === 400 && TOO_LONG.test(responseBody)))
    return {
      error: new LecternError('too_large', `That is more text than the model at ${who} takes.`, {
        next: 'Ask about fewer or shorter notes: a narrower scope, a smaller max_notes.',
      }),
      mayPass: false,
    };
  if (status === 401 || status === 403)
    return {
      error: unavailable(`${who} refuses the key (${how}).`, 'The owner has to set ai.key anew.'),
      mayPass: false,
    };
  if (status === 404)
    return {
      error: unavailable(
        `${who} has no such model, or no models at this address (${how}).`,
        'The owner has to check ai.model and ai.base_url.',
      ),
      mayPass: false,
    };
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const waitMs = retryAfter(responseHeaders);
    return {
      error: new LecternError('ai_unavailable', `${who} is overloaded or limits requests (${how}).`, {
        details: { status, ...(waitMs !== undefined && { retry_after_s: Math.ceil(waitMs / 1000) }) },
        next: waitMs === undefined ? 'Try again in a moment.' : `Try again in ${Math.ceil(waitMs / 1000)} s.`,
      }),
      mayPass: waitMs === undefined || waitMs <= LONGEST_WAIT_MS,
      ...(waitMs !== undefined && { waitMs }),
    };
  }
  return {
    error: unavailable(
      `${who} refuses the request (${how}).`,
      'The owner has to check ai.model and ai.base_url.',
    ),
    mayPass: false,
  };
}

/** The wait of `Retry-After` in ms: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The provider's code for the error. Its message is not used: it may quote what was sent. */
function word(data: unknown): string | undefined {
  const error = isRecord(data) ? data.error : undefined;
  if (!isRecord(error)) return undefined;
  return [error.code, error.type, error.status].find(
    (each): each is string => typeof each === 'string' && /^[a-z_]{3,50}$/i.test(each),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function causes(thrown: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let at = thrown; at instanceof Error && found.length < 6; at = at.cause) found.push(at);
  return found;
}

const CHECK_ADDRESS = 'Check that the provider runs and that ai.base_url is right.';

function unavailable(message: string, next: string): LecternError {
  return new LecternError('ai_unavailable', message, { next });
}
