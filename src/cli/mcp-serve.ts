import { CLOSE_LIMIT_MS } from '../app/lazy-vault.ts';
import { LiveSettings } from '../app/live-settings.ts';
import { chosenEmbedder } from '../app/open-embedder.ts';
import { listsChanged, ServedVaults } from '../app/served-vaults.ts';
import { missingVaults, sayProblem } from '../app/vault-problems.ts';
import { indxIdentity } from '../catalogues/indx/identity.ts';
import { loadSettings } from '../config/load.ts';
import { createLog } from '../config/log.ts';
import type { ServeFlags, ServeSettings } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { stopOnSignals } from './signals.ts';
import { claimStdout } from './stdout.ts';

/** Serves one MCP client over standard input and output until it hangs up, then leaves with code 0. */
export async function serveMcp(flags: ServeFlags): Promise<void> {
  const loaded = await loadSettings(flags, process.env);
  const { settings } = loaded;
  // A mistyped rule must not leave a tool switched on: it stops the start.
  if (settings.tools.allow.length + settings.tools.deny.length > 0) await offered(settings);
  const write = claimStdout();
  const log = createLog(settings.logLevel);
  for (const warning of loaded.warnings) log.warn({}, warning);
  const vaults = new ServedVaults(settings, log, chosenEmbedder(flags, loaded.environment));
  const live = new LiveSettings({
    loaded,
    flags,
    environment: process.env,
    offer: offered,
    apply: (next) => vaults.setRules(next),
    log,
  });
  const door = serveOverStdio({
    identity: vaults.names.length > 1 ? await severalIdentity(vaults.names) : indxIdentity,
    version: VERSION,
    catalogue: () => live.catalogue(),
    onListsChanged: listsChanged(live, vaults),
    vault: (actor, name) => vaults.session(actor, [], name),
    log,
    input: process.stdin,
    write,
    onFirstAnswer: () => {
      vaults.warmUp();
      live.watch();
    },
  });
  stopOnSignals(door.stop);
  announce(settings);
  await door.finished;
  live.stop();
  if (!(await vaults.close())) log.warn({ ms: CLOSE_LIMIT_MS }, 'left before the vault was closed');
  await log.flush();
  process.exit(0);
}

/** The native catalogue, as far as the owner's settings offer it. */
async function offered({ vaults, tools }: ServeSettings) {
  const { indxCatalogue } = await import('../catalogues/indx/catalogue.ts');
  const { offeredTools } = await import('../catalogues/policy.ts');
  const { forVaults } = await import('../catalogues/several-vaults.ts');
  const names = vaults.map(({ name }) => name);
  return offeredTools(forVaults(indxCatalogue, names), {
    scopes: vaults.every(({ rules }) => rules.readOnly) ? ['vault:read'] : ['vault:read', 'vault:write'],
    ...tools,
  });
}

/** Loaded for those who have several only: the handshake waits for it. */
async function severalIdentity(names: readonly string[]) {
  const { identityForVaults } = await import('../catalogues/several-vaults.ts');
  return identityForVaults(indxIdentity, names);
}

/** Tells a person at the terminal what a client would find out with its first call. */
function announce({ vaults }: ServeSettings): void {
  void missingVaults(vaults).then((problems) => problems.forEach(sayProblem));
  if (process.stdin.isTTY) {
    const locations = vaults.map(({ location }) => location).join(', ');
    process.stderr.write(
      `lectern: serving ${locations} to an MCP client on standard input (Ctrl+D ends it).\n`,
    );
  }
}
