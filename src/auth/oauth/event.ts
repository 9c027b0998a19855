import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';

/** Events the owner should be able to look up. */
export interface AuthorizationEvent {
  readonly kind:
    | 'allowed'
    | 'denied'
    | 'wrong_passphrase'
    | 'too_many_attempts'
    | 'passphrase_set'
    /** A token request was refused, e.g. with a code or refresh token used before. */
    | 'token_refused'
    /** A grant and all of its tokens have ended: revoked by the client, or because a code or token was used twice. */
    | 'grant_ended';
  readonly client?: string;
  readonly address: string;
  /** Why a token was refused: an error code of RFC 6749 §5.2. */
  readonly reason?: string;
}

/** The part of a request that the provider passes to its listeners. */
interface Heard {
  readonly req: IncomingMessage;
  readonly oidc?: { readonly client?: { readonly clientId: string } };
}

/** Reports what the provider decides without the owner. */
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
