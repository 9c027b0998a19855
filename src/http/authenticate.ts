import { setTimeout as delay } from 'node:timers/promises';
import { EVERYONE, type Principal } from '../auth/grant.ts';
import { tooMany } from './answers.ts';
import { RateLimiter } from './rate-limiter.ts';

export type CredentialVerdict =
  | { readonly kind: 'good'; readonly principal: Principal }
  | { readonly kind: 'unknown' | 'expired' | 'revoked' };

/** Validators of bearer credentials; the first that recognises one decides. */
export interface CredentialCheck {
  verify(credential: string): CredentialVerdict | Promise<CredentialVerdict>;
  /** Whether the credential behind a principal is still valid. */
  stillWorks(principal: Principal): boolean;
}

export interface Refusal {
  readonly response: Response;
  readonly code: 'unauthorized' | 'invalid_token' | 'too_many_attempts';
}

export interface AuthenticatorOptions {
  /** Undefined = no authentication. */
  readonly credentials: CredentialCheck | undefined;
  /** Parameters of every challenge, e.g. where clients can get a credential. */
  readonly challenge?: Readonly<Record<string, string>>;
  readonly now?: () => number;
}

/** Wrong credentials from one address before answers are delayed. Guessing cannot succeed; this keeps the log short. */
const FAILURES_PER_MINUTE = 30;
/** Delay of such an answer, ms, and how many may be delayed at once: each occupies a connection. */
const HELD_BACK_MS = 1000;
const MOST_HELD_BACK = 64;

const MAX_CREDENTIAL = 8192;

/** Authenticates a request by its Authorization header (RFC 6750 §2.1), or returns the refusal (§3). */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #failures: RateLimiter;
  #heldBack = 0;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#failures = new RateLimiter(FAILURES_PER_MINUTE, options.now);
  }

  async authenticate(headers: Headers, address: string): Promise<Principal | Refusal> {
    const { credentials } = this.#options;
    if (credentials === undefined) return EVERYONE;
    const header = headers.get('authorization');
    if (header === null) return this.#refuse('unauthorized', 'This server needs a bearer token.');
    const credential = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header)?.[1];
    const verdict =
      credential === undefined || credential.length > MAX_CREDENTIAL
        ? ({ kind: 'unknown' } as const)
        : await credentials.verify(credential);
    // Checked first: behind a proxy all clients share one address, and the holder of a valid token must not
    // be delayed by others' attempts.
    if (verdict.kind === 'good') return verdict.principal;
    const wait = this.#failures.take(address);
    if (wait > 0) {
      await this.#holdBack();
      return { code: 'too_many_attempts', response: tooMany(wait) };
    }
    // The holder of an expired token learns no more than a caller without one.
    return this.#refuse('invalid_token', 'The bearer token is unknown, expired or revoked.');
  }

  stillWorks(principal: Principal): boolean {
    return this.#options.credentials?.stillWorks(principal) ?? true;
  }

  /** The response to a client that needs more scopes than it has, naming them (RFC 6750 §3.1). */
  insufficientScope(): Response {
    const message = 'The token does not reach this far.';
    return Response.json(
      {
        error: 'insufficient_scope',
        message,
        next: 'Ask the owner for the scopes named in WWW-Authenticate.',
      },
      { status: 403, headers: { 'WWW-Authenticate': this.#challenge('insufficient_scope', message) } },
    );
  }

  async #holdBack(): Promise<void> {
    if (this.#heldBack >= MOST_HELD_BACK) return;
    this.#heldBack += 1;
    try {
      await delay(HELD_BACK_MS, undefined, { ref: false });
    } finally {
      this.#heldBack -= 1;
    }
  }

  #challenge(error: string | undefined, description: string): string {
    const parameters = {
      realm: 'lectern',
      ...(error !== undefined && { error, error_description: description }),
      ...this.#options.challenge,
    };
    return `Bearer ${Object.entries(parameters)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`;
  }

  #refuse(code: 'unauthorized' | 'invalid_token', message: string): Refusal {
    const error = code === 'invalid_token' ? code : undefined;
    return {
      code,
      response: Response.json(
        {
          error: code,
          message,
          next: 'Make one with lectern token create and send it as Authorization: Bearer.',
        },
        { status: 401, headers: { 'WWW-Authenticate': this.#challenge(error, message) } },
      ),
    };
  }
}

export function isRefusal(result: Principal | Refusal): result is Refusal {
  return 'response' in result;
}
