import { createHash, randomBytes } from 'node:crypto';
import type { OAuthDoor } from './oauth-door.ts';
import { statelessRequest } from './protocol.ts';

export const REDIRECT = 'http://127.0.0.1:9/callback';

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  error?: string;
  status: number;
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** What a flow needs of a server: its addresses, and an owner who agrees. */
export type FlowDoor = Pick<OAuthDoor, 'origin' | 'mcpUrl' | 'post' | 'approve'>;

/** An OAuth client made of plain requests, so that a test can send what no library would. */
export class OAuthFlow {
  constructor(readonly door: FlowDoor) {}

  async register(
    metadata: object = {},
  ): Promise<{ client_id: string; client_secret?: string; status: number }> {
    const response = await fetch(`${this.door.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Test <b>client</b>', redirect_uris: [REDIRECT], ...metadata }),
    });
    return { ...((await response.json()) as { client_id: string }), status: response.status };
  }

  authorizeUrl(client: string, challenge: string, more: Record<string, string> = {}): URL {
    const url = new URL('/oauth/authorize', this.door.origin);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'vault:read vault:write',
      resource: this.door.mcpUrl.href,
      state: 'xyz',
      ...more,
    }).toString();
    return url;
  }

  async token(fields: Record<string, string>): Promise<Tokens> {
    const response = await fetch(`${this.door.origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    return { ...((await response.json()) as Tokens), status: response.status };
  }

  /** What a client sends to turn the code it got into tokens. */
  async redeem(
    client: string,
    code: string,
    verifier: string,
    more: Record<string, string> = {},
  ): Promise<Tokens> {
    return await this.token({
      grant_type: 'authorization_code',
      client_id: client,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      ...more,
    });
  }

  async refresh(client: string, refreshToken: string): Promise<Tokens> {
    return await this.token({ grant_type: 'refresh_token', client_id: client, refresh_token: refreshToken });
  }

  /** The whole flow, the owner agreeing with `form`. */
  async signIn(
    form: Record<string, string> = {},
  ): Promise<Tokens & { client: string; code: string; verifier: string }> {
    const { client_id: client } = await this.register();
    const { verifier, challenge } = pkce();
    const answer = await this.door.approve(this.authorizeUrl(client, challenge), form);
    const code = answer.searchParams.get('code') ?? '';
    const tokens = await this.redeem(client, code, verifier);
    if (tokens.status !== 200) throw new Error(`No tokens: ${JSON.stringify(tokens)}`);
    return { ...tokens, client, code, verifier };
  }

  /** `tools/list` with an access token. */
  async list(accessToken: string): Promise<Response> {
    const { body, headers } = statelessRequest('tools/list');
    return await this.door.post(body, { ...headers, Authorization: `Bearer ${accessToken}` });
  }

  /** One tool call with an access token. */
  async call(accessToken: string, name: string, args: Record<string, unknown>): Promise<Response> {
    const { body, headers } = statelessRequest('tools/call', { name, arguments: args });
    return await this.door.post(body, { ...headers, Authorization: `Bearer ${accessToken}` });
  }

  async works(accessToken: string): Promise<boolean> {
    return (await this.list(accessToken)).status === 200;
  }
}
