import { indxIdentity } from '../catalogues/indx/identity.ts';
import { loadSettings } from '../config/load.ts';
import { createLog } from '../config/log.ts';
import { firstVault, type ServeFlags, type ServeSettings } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { isLecternError } from '../errors.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { CLOSE_LIMIT_MS, LazyVault } from './lazy-vault.ts';
import { LiveSettings } from './live-settings.ts';
import { stopOnSignals } from './signals.ts';
import { claimStdout } from './stdout.ts';
import { checkVaultFolder } from './vault-folder.ts';

/** Serves one MCP client over standard input and output until it hangs up, then leaves with code 0. */
export async function serveMcp(flags: ServeFlags): Promise<void> {
  const loaded = await loadSettings(flags, process.env);
  const { settings } = loaded;
  // A mistyped rule must not leave a tool switched on: it stops the start.
  if (settings.tools.allow.length + settings.tools.deny.length > 0) await offered(settings);
  const write = claimStdout();
  const log = createLog(settings.logLevel);
  const vault = new LazyVault(firstVault(settings), settings.stateDir, log);
  const live = new LiveSettings({
    loaded,
    flags,
    environment: process.env,
    offer: offered,
    apply: (next) => vault.setRules(firstVault(next).rules),
    log,
  });
  const door = serveOverStdio({
    identity: indxIdentity,
    version: VERSION,
    catalogue: () => live.catalogue(),
    onListsChanged: live.onListsChanged,
    vault: (actor) => vault.session(actor),
    log,
    input: process.stdin,
    write,
    onFirstAnswer: () => {
      vault.warmUp();
      live.watch();
    },
  });
  stopOnSignals(door.stop);
  announce(settings);
  await door.finished;
  live.stop();
  if (!(await vault.close())) log.warn({ ms: CLOSE_LIMIT_MS }, 'left before the vault was closed');
  await log.flush();
  process.exit(0);
}

/** The native catalogue, as far as the owner's settings offer it. */
async function offered({ vaults, tools }: ServeSettings) {
  const { indxCatalogue } = await import('../catalogues/indx/catalogue.ts');
  const { offeredTools } = await import('../catalogues/policy.ts');
  return offeredTools(indxCatalogue, {
    scopes: vaults.every(({ rules }) => rules.readOnly) ? ['vault:read'] : ['vault:read', 'vault:write'],
    ...tools,
  });
}

/** Tells a person at the terminal what a client would find out with its first call. */
function announce(settings: ServeSettings): void {
  const { folder } = firstVault(settings);
  checkVaultFolder(folder).catch((error: unknown) => {
    const text = isLecternError(error) ? `${error.message} ${error.next ?? ''}` : String(error);
    process.stderr.write(`lectern: ${text.trim()}\n`);
  });
  if (process.stdin.isTTY) {
    process.stderr.write(`lectern: serving ${folder} to an MCP client on standard input (Ctrl+D ends it).\n`);
  }
}
