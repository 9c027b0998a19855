import { join } from 'node:path';
import { TokenStore } from '../auth/tokens/token-store.ts';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import { indxIdentity } from '../catalogues/indx/identity.ts';
import { offeredTools } from '../catalogues/policy.ts';
import { type HttpFlags, resolveHttpSettings } from '../config/http-settings.ts';
import { loadSettings } from '../config/load.ts';
import { createLog } from '../config/log.ts';
import { RotatingLog } from '../config/rotating-log.ts';
import { firstVault, type ServeFlags } from '../config/settings.ts';
import { vaultStateFolder } from '../config/state-folder.ts';
import { VERSION } from '../config/version.ts';
import { LecternError } from '../errors.ts';
import { Authenticator } from '../http/authenticate.ts';
import { openHttpDoor } from '../http/door.ts';
import type { Readiness } from '../http/health.ts';
import { CLOSE_LIMIT_MS, LazyVault } from './lazy-vault.ts';
import { stopOnSignals } from './signals.ts';
import { AUDIT_FILE, AUTH_FILE } from './state-files.ts';
import { checkVaultFolder } from './vault-folder.ts';

/** Serves a vault over HTTP until a signal ends it, then finishes what is in flight and leaves with code 0. */
export async function serveHttp(flags: ServeFlags & HttpFlags): Promise<void> {
  const { settings, environment } = await loadSettings(flags, process.env);
  const http = resolveHttpSettings(flags, environment);
  const { folder, rules } = firstVault(settings);
  const served = offeredTools(indxCatalogue, {
    scopes: rules.readOnly ? ['vault:read'] : ['vault:read', 'vault:write', 'vault:admin'],
    ...settings.tools,
  });
  await checkVaultFolder(folder);
  const state = vaultStateFolder(folder, settings.stateDir, process.env);
  const tokens = http.noAuth ? undefined : openTokens(join(state, AUTH_FILE));
  const log = createLog(settings.logLevel);
  const audit = new RotatingLog(join(state, AUDIT_FILE), {
    onError: (error) => log.error({ err: error }, 'the audit log cannot be written'),
  });
  const vault = new LazyVault(firstVault(settings), settings.stateDir, log);
  const door = await openHttpDoor({
    settings: http,
    identity: indxIdentity,
    version: VERSION,
    catalogue: { all: indxCatalogue, served },
    vault: (actor, narrowing) => vault.session(actor, narrowing),
    authenticator: new Authenticator({
      credentials: tokens && {
        verify: (token) => tokens.verify(token),
        stillWorks: ({ id }) => tokens.stillWorks(id),
      },
    }),
    audit,
    readiness: () => readiness(vault, folder),
    log,
  });
  const stopped = new Promise<void>((resolve) => stopOnSignals(resolve));
  vault.warmUp();
  const reach = http.publicUrl === undefined ? door.url : http.publicUrl.href.replace(/\/$/, '');
  process.stderr.write(`lectern: serving ${folder} at ${reach}/mcp (Ctrl+C ends it).\n`);
  await stopped;
  await door.stop();
  if (!(await vault.close())) log.warn({ ms: CLOSE_LIMIT_MS }, 'left before the vault was closed');
  await audit.flush();
  tokens?.close();
  await log.flush();
  process.exit(0);
}

function openTokens(path: string): TokenStore {
  const tokens = new TokenStore(path);
  if (tokens.hasWorking()) return tokens;
  tokens.close();
  throw new LecternError('invalid_input', 'Nobody could come in: there is no token yet.', {
    next: 'Make one with lectern token create --name <client> --scope vault:read, or, for this machine alone, add --no-auth.',
  });
}

const READINESS_ACTOR = { kind: 'rest', name: 'readyz', session: 'readyz' } as const;

async function readiness(vault: LazyVault, folder: string): Promise<Readiness> {
  try {
    await checkVaultFolder(folder);
    const staleness = (await vault.session(READINESS_ACTOR)).staleness();
    const building = staleness?.startsWith('index: building') === true;
    return { store: 'ok', index: staleness === undefined ? 'ready' : building ? 'building' : 'failed' };
  } catch {
    return { store: 'unreachable', index: 'unknown' };
  }
}
