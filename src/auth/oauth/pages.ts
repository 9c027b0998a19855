import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { MIN_PASSPHRASE } from '../../config/oauth-settings.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}' +
  'h1{font-size:1.4rem}label{display:block;margin:.8rem 0}input[type=password],textarea{width:100%;font:inherit;padding:.4rem;box-sizing:border-box}' +
  'button{font:inherit;padding:.5rem 1.2rem;margin-right:.6rem}code{overflow-wrap:anywhere}.error{color:#a00}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}.error{color:#f88}}';

/**
 * No external resources, no scripts, no framing. `form-action` is not restricted: browsers apply it to the
 * redirect after the post, which leads to the client's own address.
 */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`;

export interface ConsentView {
  readonly clientName: string;
  /** The client's identity: for metadata documents its address. */
  readonly clientId: string;
  readonly redirectHost: string;
  readonly mayWrite: boolean;
  /** Names of the vaults to choose from. */
  readonly vaults: readonly string[];
  readonly error?: string;
}

export function consentPage(view: ConsentView): string {
  const { clientName, clientId, redirectHost, mayWrite, vaults, error } = view;
  const write = mayWrite
    ? `<label><input type="radio" name="access" value="write"> Read and change notes</label>`
    : '';
  return page(
    'Let this program in?',
    `<p><strong>${escapeHtml(clientName)}</strong> asks for access to your notes.</p>
<p>It is known as <code>${escapeHtml(clientId)}</code> and will be answered at <strong><code>${escapeHtml(redirectHost)}</code></strong>. The name is what it says of itself: go on only if you started this yourself.</p>
${errorLine(error)}
<form method="post">
<fieldset><legend>What it may do</legend>
<label><input type="radio" name="access" value="read" checked> Read notes</label>
${write}
</fieldset>
${vaultChoice(vaults)}
<label>Only these folders, one a line (empty: all of them)
<textarea name="folders" rows="3" spellcheck="false"></textarea></label>
<label>Your passphrase
<input type="password" name="passphrase" autocomplete="current-password" autofocus></label>
<button name="action" value="allow">Let it in</button>
<button name="action" value="deny">No</button>
</form>`,
  );
}

/** No vault is preselected: the owner must choose what a program sees. */
function vaultChoice(vaults: readonly string[]): string {
  if (vaults.length < 2) return '';
  const boxes = vaults.map(
    (name) =>
      `<label><input type="checkbox" name="vault" value="${escapeHtml(name)}"> ${escapeHtml(name)}</label>`,
  );
  return `<fieldset><legend>Which vaults</legend>\n${boxes.join('\n')}\n</fieldset>`;
}

export function setupPage(code: string, error?: string): string {
  return page(
    'Set your passphrase',
    `<p>You will be asked for it whenever a program wants access to your notes. At least ${MIN_PASSPHRASE} characters; take a sentence.</p>
${errorLine(error)}
<form method="post">
<input type="hidden" name="code" value="${escapeHtml(code)}">
<label>Passphrase <input type="password" name="passphrase" autocomplete="new-password" autofocus></label>
<label>Once more <input type="password" name="again" autocomplete="new-password"></label>
<button>Set it</button>
</form>`,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8' });
  response.end(html);
}

export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  // Not `no-referrer`: browsers would send `Origin: null` with the form, and the form would be refused.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Lectern</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>`;
}

function errorLine(error: string | undefined): string {
  return error === undefined ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
