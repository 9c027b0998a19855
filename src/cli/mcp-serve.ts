import { loadCatalogueSettings } from '../app/catalogue-environment.ts';
import { CLOSE_LIMIT_MS } from '../app/lazy-vault.ts';
import { LiveSettings } from '../app/live-settings.ts';
import { followedBy, openAssistants } from '../app/open-assistants.ts';
import { chosenEmbedder } from '../app/open-embedder.ts';
import { listsChanged, ServedVaults } from '../app/served-vaults.ts';
import { stateFolderOf } from '../app/state-of.ts';
import { missingVaults, sayProblem } from '../app/vault-problems.ts';
import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import { type CatalogueEntry, catalogueNamed } from '../catalogues/list.ts';
import { createLog } from '../config/log.ts';
import { type ServeFlags, type ServeSettings, serverVault } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import type { Offer } from '../operations/offer.ts';
import { stopOnSignals } from './signals.ts';
import { claimStdout } from './stdout.ts';

/** Serves one MCP client over stdio until it closes the connection; the exit code is then 0. */
export async function serveMcp(flags: ServeFlags): Promise<void> {
  const loaded = await loadCatalogueSettings(flags, process.env);
  const { settings } = loaded;
  const catalogue = catalogueNamed(settings.catalogue);
  // A rule with an unknown name stops the start, as a typing error must not leave a tool switched on.
  const { tools, toolSwitches, toolsets } = settings;
  const named = [tools.allow, tools.deny, toolSwitches.on, toolSwitches.off, toolsets];
  if (named.some((names) => names.length > 0)) await offerOf(settings);
  const write = claimStdout();
  const log = createLog(settings.logLevel);
  for (const warning of loaded.warnings) log.warn({}, warning);
  const ai = await openAssistants(settings.ai, {
    environment: loaded.environment,
    state: () => stateFolderOf(serverVault(settings), settings.stateDir),
  });
  const vaults = new ServedVaults(
    settings,
    log,
    chosenEmbedder(flags, loaded.environment),
    undefined,
    followedBy(ai, log),
  );
  const live = new LiveSettings({
    loaded,
    flags,
    environment: loaded.given,
    // The language model is chosen at the start, and the list of tools depends on it.
    offer: (next) => offerOf({ ...next, ai: settings.ai }),
    apply: (next) => vaults.setRules(next),
    log,
  });
  const offered = async () => {
    const { mounted } = await import('../catalogues/mounted.ts');
    return mounted(await catalogue.load(), await live.offer());
  };
  const door = serveOverStdio({
    identity: await identityOf(catalogue, vaults.names),
    version: VERSION,
    catalogue: offered,
    onListsChanged: listsChanged(live, vaults),
    vault: (actor, name) => vaults.session(actor, [], name),
    assistants: ai.assistants,
    log,
    input: process.stdin,
    write,
    onFirstAnswer: () => {
      // The tools are loaded first: every client lists them next, and calls need them too.
      void offered()
        .catch(() => {}) // Reported by the next request.
        .then(() => vaults.warmUp());
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

/** The offer of the settings to the owner of this process; its code is loaded on first use. */
async function offerOf(settings: ServeSettings): Promise<Offer> {
  const { offerOf } = await import('../app/offer.ts');
  const { checkSwitches } = await import('../catalogues/owner-rules.ts');
  await checkSwitches(settings.toolSwitches);
  return offerOf(settings, ['vault:read', 'vault:write']);
}

async function identityOf(catalogue: CatalogueEntry, vaults: readonly string[]): Promise<CatalogueIdentity> {
  const identity = await catalogue.identity();
  if (vaults.length < 2) return identity;
  // Loaded only for several vaults, as the handshake waits for it.
  const { identityForVaults } = await import('../catalogues/several-vaults.ts');
  return identityForVaults(identity, vaults);
}

/** Prints problems with the vaults, and on a terminal what the server waits for. */
function announce({ vaults }: ServeSettings): void {
  void missingVaults(vaults).then((problems) => problems.forEach(sayProblem));
  if (process.stdin.isTTY) {
    const locations = vaults.map(({ location }) => location).join(', ');
    process.stderr.write(
      `lectern: serving ${locations} to an MCP client on standard input (Ctrl+D ends it).\n`,
    );
  }
}
