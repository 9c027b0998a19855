import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';

/** What the owner should be able to look up later. */
export interface AuthorizationEvent {
  readonly kind:
    | 'allowed'
    | 'denied'
    | 'wrong_passphrase'
    | 'too_many_attempts'
    | 'passphrase_set'
    /** Somebody asked for a token that they do not get, e.g. with a code or refresh token used before. */
    | 'token_refused'
    /** A grant and all of its tokens are over: given back, or something of it was used twice. */
    | 'grant_ended';
  readonly client?: string;
  readonly address: string;
  /** Why a token was refused: an error code of RFC 6749 §5.2. */
  readonly reason?: string;
}

/** The part of a request that the provider tells its listeners of. */
interface Heard {
  readonly req: IncomingMessage;
  readonly oidc?: { readonly client?: { readonly clientId: string } };
}

/** Tells of what the provider decides on its own, without the owner. */
export function reportEvents(
  provider: Provider,
  addressOf: (request: IncomingMessage) => string,
  report: (event: AuthorizationEvent) => void,
): void {
  const from = ({ req, oidc }: Heard) => ({
    address: addressOf(req),
    ...(oidc?.client && { client: oidc.client.clientId }),
  });
  provider.on('grant.error', (context, error) => {
    const { error: reason } = error as { readonly error?: string };
    report({ kind: 'token_refused', ...from(context as Heard), ...(reason !== undefined && { reason }) });
  });
  provider.on('grant.revoked', (context) => report({ kind: 'grant_ended', ...from(context as Heard) }));
}
