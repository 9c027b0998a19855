import { loadCatalogueSettings } from '../app/catalogue-environment.ts';
import { configurationOf } from '../app/configuration.ts';
import { openCredentials } from '../app/credentials.ts';
import { CLOSE_LIMIT_MS } from '../app/lazy-vault.ts';
import { LiveSettings } from '../app/live-settings.ts';
import { offerOf } from '../app/offer.ts';
import { followedBy, openAssistants } from '../app/open-assistants.ts';
import { openAudit } from '../app/open-audit.ts';
import { chosenEmbedder } from '../app/open-embedder.ts';
import { checkPlace } from '../app/open-store.ts';
import { listsChanged, ServedVaults } from '../app/served-vaults.ts';
import { stateFolderOf } from '../app/state-of.ts';
import { missingVaults, sayProblem } from '../app/vault-problems.ts';
import { CATALOGUES, catalogueNamed } from '../catalogues/list.ts';
import { checkCatalogues, checkSwitches, isServed } from '../catalogues/owner-rules.ts';
import { type HttpFlags, resolveHttpSettings } from '../config/http-settings.ts';
import { createLog } from '../config/log.ts';
import { type ServeFlags, type ServeSettings, serverVault, type VaultSetting } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { openHttpDoor } from '../http/door.ts';
import type { Readiness } from '../http/health.ts';
import type { ServedVault } from '../http/narrowing.ts';
import { QuietAudit } from '../http/quiet-audit.ts';
import type { Offer } from '../operations/offer.ts';
import { OPERATIONS } from '../operations/registry.ts';
import { stopOnSignals } from './signals.ts';

/** Serves vaults over HTTP until a signal, then finishes open requests; the exit code is then 0. */
export async function serveHttp(flags: ServeFlags & HttpFlags): Promise<void> {
  const loaded = await loadCatalogueSettings(flags, process.env);
  const { settings, environment } = loaded;
  const catalogue = catalogueNamed(settings.catalogue);
  const http = resolveHttpSettings(flags, environment, (await catalogue.identity()).protocol.http);
  let offer = await checkedOffer(settings);
  let { catalogues } = settings;
  let rules = settings.vaults.map(readOnlyOf);
  const locations = settings.vaults.map(({ location }) => location);
  const missing = await missingVaults(settings.vaults);
  if (missing.length === settings.vaults.length) throw missing[0];
  missing.forEach(sayProblem);
  const state = await stateFolderOf(serverVault(settings), settings.stateDir);
  const log = createLog(settings.logLevel);
  for (const warning of loaded.warnings) log.warn({}, warning);
  const audit = new QuietAudit(openAudit(state, log));
  const { authenticator, authorization, ...credentials } = await openCredentials(
    http,
    state,
    audit,
    settings.vaults.map(({ name }) => name),
  );
  const configuration = configurationOf({
    flags: { ...flags },
    environment: loaded.given,
    live: () => live,
  });
  const ai = await openAssistants(settings.ai, { environment, state: async () => state });
  const vaults = new ServedVaults(
    settings,
    log,
    chosenEmbedder(flags, environment),
    configuration,
    followedBy(ai, log),
  );
  const live: LiveSettings = new LiveSettings({
    loaded,
    flags,
    environment: loaded.given,
    offer: (next) => checkedOffer({ ...next, ai: settings.ai }),
    apply: async (next) => {
      // The language model is chosen at the start, and the list of tools depends on it.
      offer = await checkedOffer({ ...next, ai: settings.ai });
      catalogues = next.catalogues;
      rules = next.vaults.map(readOnlyOf);
      await vaults.setRules(next);
    },
    log,
  });
  const door = await openHttpDoor({
    settings: http,
    version: VERSION,
    served: {
      all: OPERATIONS,
      get offer() {
        return offer;
      },
      get vaults() {
        return rules;
      },
    },
    catalogues: {
      all: CATALOGUES,
      main: catalogue.name,
      isOn: (name) => isServed(name, catalogues),
    },
    onListsChanged: listsChanged(live, vaults),
    vault: (actor, narrowing, name) => vaults.session(actor, narrowing, name),
    authenticator,
    ...(authorization && { authorization }),
    audit,
    assistants: ai.assistants,
    readiness: () => readiness(vaults, settings),
    log,
  });
  const stopped = new Promise<void>((resolve) => stopOnSignals(resolve));
  vaults.warmUp();
  live.watch();
  const reach = http.publicUrl === undefined ? door.url : http.publicUrl.href.replace(/\/$/, '');
  process.stderr.write(`lectern: serving ${locations.join(', ')} at ${reach}/mcp (Ctrl+C ends it).\n`);
  if (authorization?.owner.hasPassphrase === false) {
    process.stderr.write(`lectern: set your passphrase within an hour at ${authorization.newSetupLink()}\n`);
  }
  await stopped;
  live.stop();
  await door.stop();
  if (!(await vaults.close())) log.warn({ ms: CLOSE_LIMIT_MS }, 'left before the vault was closed');
  await audit.flush();
  credentials.close();
  await log.flush();
  process.exit(0);
}

function readOnlyOf({ name, rules }: VaultSetting): ServedVault {
  return { name, readOnly: rules.readOnly };
}

/** The offer of the settings. @throws LecternError `invalid_input` for a rule with an unknown name */
async function checkedOffer(settings: ServeSettings): Promise<Offer> {
  await checkSwitches(settings.toolSwitches);
  checkCatalogues(settings.catalogues);
  return offerOf(settings);
}

const READINESS_ACTOR = { kind: 'rest', name: 'readyz', session: 'readyz' } as const;

/** The server is ready when at least one vault can be served. */
async function readiness(served: ServedVaults, { vaults }: ServeSettings): Promise<Readiness> {
  const states = await Promise.allSettled(
    vaults.map(async (vault) => {
      await checkPlace(vault);
      return (await served.session(READINESS_ACTOR, [], vault.name)).staleness();
    }),
  );
  const there = states.flatMap((state) => (state.status === 'fulfilled' ? [state.value] : []));
  if (there.length === 0) return { store: 'unreachable', index: 'unknown' };
  // An index that is being reconciled still answers, and so does one whose store is unreachable.
  const late = there.filter((state) => state !== undefined && !/^(?:index: checking|store: )/.test(state));
  const building = late.length > 0 && late.every((state) => state?.startsWith('index: building'));
  return {
    store: there.length === vaults.length ? 'ok' : 'partial',
    index: late.length === 0 ? 'ready' : building ? 'building' : 'failed',
  };
}
