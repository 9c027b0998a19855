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

/** Serves one MCP client over standard input and output until it hangs up, then leaves with code 0. */
export async function serveMcp(flags: ServeFlags): Promise<void> {
  const loaded = await loadCatalogueSettings(flags, process.env);
  const { settings } = loaded;
  const catalogue = catalogueNamed(settings.catalogue);
  // A mistyped rule must not leave a tool switched on: it stops the start.
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
    // Who answers is settled by the start, and with it what is listed.
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
      // The tools first: every client asks for them next, and calls need them as well as the vault.
      void offered()
        .catch(() => {}) // Told to whoever asks.
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

/** What the owner's settings offer to whoever owns the process; nothing of it is loaded before it is needed. */
async function offerOf(settings: ServeSettings): Promise<Offer> {
  const { offerOf } = await import('../app/offer.ts');
  const { checkSwitches } = await import('../catalogues/owner-rules.ts');
  await checkSwitches(settings.toolSwitches);
  return offerOf(settings, ['vault:read', 'vault:write']);
}

async function identityOf(catalogue: CatalogueEntry, vaults: readonly string[]): Promise<CatalogueIdentity> {
  const identity = await catalogue.identity();
  if (vaults.length < 2) return identity;
  // Loaded for those who have several only: the handshake waits for it.
  const { identityForVaults } = await import('../catalogues/several-vaults.ts');
  return identityForVaults(identity, vaults);
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
