import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import { isLecternError } from '../../errors.ts';
import { parseScopes } from '../grant.ts';
import type { AuthorizationEvent } from './event.ts';
import { isOwnForm, readForm } from './form.ts';
import type { OAuthDatabase } from './oauth-database.ts';
import type { Owner } from './owner.ts';
import { type ConsentView, consentPage, messagePage, sendPage, setupPage } from './pages.ts';
import { OAUTH_SCOPES, OWNER } from './provider.ts';

export interface ConsentOptions {
  readonly provider: Provider;
  readonly issuer: URL;
  readonly resource: string;
  readonly database: OAuthDatabase;
  readonly owner: Owner;
  readonly onEvent: (event: AuthorizationEvent) => void;
  /** Names of the served vaults. */
  readonly vaults: readonly string[];
}

const MAX_FOLDERS = 50;

/** The owner's two pages: one sets the passphrase, the other grants a client access. */
export class ConsentPages {
  readonly #options: ConsentOptions;

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  /** Shows the request of a client; the owner's passphrase confirms the decision. */
  async consent(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const { provider } = this.#options;
    const interaction = await provider.interactionDetails(request, response).catch(() => undefined);
    if (interaction === undefined) {
      sendPage(response, 400, messagePage('Too late', 'This request is over. Start again in the program.'));
      return;
    }
    const view = await this.#view(interaction);
    if (request.method !== 'POST') {
      sendPage(response, 200, consentPage(view));
      return;
    }
    const form = await this.#form(request, response);
    if (form === undefined) return;
    if (form.get('action') === 'deny') {
      this.#options.onEvent({ kind: 'denied', client: view.clientId, address });
      await this.#finish(request, response, {
        error: 'access_denied',
        error_description: 'The owner declined.',
      });
      return;
    }
    const refusal = await this.#refusal(form, address, view.clientId);
    if (refusal !== undefined) {
      sendPage(response, refusal.status, consentPage({ ...view, error: refusal.error }));
      return;
    }
    const grantId = await this.#grant(interaction, view, form);
    this.#options.onEvent({ kind: 'allowed', client: view.clientId, address });
    await this.#finish(request, response, {
      login: { accountId: OWNER, remember: false },
      consent: { grantId },
    });
  }

  /** Sets the passphrase for the holder of the link from the terminal. */
  async setup(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const { owner, issuer, onEvent } = this.#options;
    if (request.method !== 'POST') {
      const code = new URL(request.url ?? '/', issuer).searchParams.get('code') ?? '';
      if (owner.isSetupCode(code)) sendPage(response, 200, setupPage(code));
      else sendPage(response, 403, messagePage('No', 'This link is wrong, too old, or was used before.'));
      return;
    }
    const form = await this.#form(request, response);
    if (form === undefined) return;
    const [code = '', passphrase = '', again = ''] = ['code', 'passphrase', 'again'].map(
      (name) => form.get(name) ?? '',
    );
    try {
      if (passphrase !== again) {
        sendPage(response, 400, setupPage(code, 'The two are not the same.'));
        return;
      }
      await owner.setPassphrase(code, passphrase);
      onEvent({ kind: 'passphrase_set', address });
      sendPage(response, 200, messagePage('Done', 'The passphrase is set. Connect your program now.'));
    } catch (error) {
      if (!isLecternError(error)) throw error;
      sendPage(response, error.code === 'forbidden' ? 403 : 400, setupPage(code, error.message));
    }
  }

  async #form(request: IncomingMessage, response: ServerResponse): Promise<URLSearchParams | undefined> {
    if (!isOwnForm(request, this.#options.issuer.origin)) {
      sendPage(response, 403, messagePage('No', 'This form was sent from another page.'));
      return undefined;
    }
    const form = await readForm(request);
    if (form === undefined) sendPage(response, 400, messagePage('No', 'This is not the form.'));
    return form;
  }

  async #view({ params }: Interaction): Promise<ConsentView> {
    const clientId = String(params.client_id);
    const client = await this.#options.provider.Client.find(clientId);
    const redirect = new URL(String(params.redirect_uri));
    return {
      clientId,
      clientName: (client?.clientName ?? clientId).slice(0, 100),
      redirectHost: redirect.host === '' ? redirect.protocol : redirect.host,
      mayWrite: requestedScopes(params).includes('vault:write'),
      vaults: this.#options.vaults,
    };
  }

  async #refusal(
    form: URLSearchParams,
    address: string,
    client: string,
  ): Promise<{ status: number; error: string } | undefined> {
    const { owner, onEvent } = this.#options;
    const verdict = await owner.check(form.get('passphrase') ?? '', address);
    if (verdict === 'wait') {
      onEvent({ kind: 'too_many_attempts', client, address });
      return { status: 429, error: 'Too many attempts. Wait five minutes.' };
    }
    if (verdict === 'wrong') {
      onEvent({ kind: 'wrong_passphrase', client, address });
      return { status: 403, error: 'That is not the passphrase.' };
    }
    const { vaults } = this.#options;
    if (vaults.length > 1 && chosenVaults(form, vaults).length === 0)
      return { status: 400, error: 'Choose at least one vault.' };
    try {
      parseScopes(['vault:read', ...folderWords(form)]);
      return undefined;
    } catch {
      return { status: 400, error: 'One of the folders cannot be meant.' };
    }
  }

  async #grant({ params }: Interaction, view: ConsentView, form: URLSearchParams): Promise<string> {
    const { provider, resource, database, vaults } = this.#options;
    const write = view.mayWrite && form.get('access') === 'write';
    const grant = new provider.Grant({ accountId: OWNER, clientId: view.clientId });
    for (const scope of requestedScopes(params)) {
      if (scope === 'vault:write' && !write) {
        grant.rejectOIDCScope(scope);
        grant.rejectResourceScope(resource, scope);
      } else {
        grant.addOIDCScope(scope);
        grant.addResourceScope(resource, scope);
      }
    }
    // Scopes that are not granted must be rejected explicitly, or the provider asks again.
    for (const scope of otherScopes(params)) grant.rejectOIDCScope(scope);
    const id = await grant.save();
    database.narrow(id, [...folderWords(form), ...vaultWords(form, vaults)]);
    return id;
  }

  async #finish(request: IncomingMessage, response: ServerResponse, result: object): Promise<void> {
    const location = await this.#options.provider.interactionResult(request, response, result);
    response.writeHead(303, { Location: location, 'Cache-Control': 'no-store' });
    response.end();
  }
}

function requestedScopes(params: Interaction['params']): readonly string[] {
  const asked = askedScopes(params);
  return OAUTH_SCOPES.filter((scope) => asked.includes(scope));
}

function otherScopes(params: Interaction['params']): readonly string[] {
  return askedScopes(params).filter((scope) => !OAUTH_SCOPES.some((known) => known === scope));
}

function askedScopes({ scope }: Interaction['params']): readonly string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : [];
}

function folderWords(form: URLSearchParams): readonly string[] {
  return (form.get('folders') ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_FOLDERS)
    .map((line) => `path:${line}`);
}

function chosenVaults(form: URLSearchParams, vaults: readonly string[]): readonly string[] {
  const chosen = form.getAll('vault');
  return vaults.filter((name) => chosen.includes(name));
}

/** With several vaults, every chosen one is named: a vault added later is not included. */
function vaultWords(form: URLSearchParams, vaults: readonly string[]): readonly string[] {
  return vaults.length < 2 ? [] : chosenVaults(form, vaults).map((name) => `vault-name:${name}`);
}
