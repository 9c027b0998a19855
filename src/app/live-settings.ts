import { existsSync, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigFile } from '../config/file/parse.ts';
import { configPlace } from '../config/file/place.ts';
import { type LoadedSettings, settingsFromText } from '../config/load.ts';
import type { Log } from '../config/log.ts';
import type { ServeFlags, ServeSettings, VaultSetting } from '../config/settings.ts';
import { isSamePlace } from '../config/store-place.ts';
import { isLecternError } from '../errors.ts';
import type { ListName } from '../mcp/server.ts';
import type { Offer } from '../operations/offer.ts';

/**
 * Interval of status checks, ms. Polling notices replaced files and changes behind links; it wakes two
 * threads: 0.1 ms of processor time each.
 */
const POLL_MS = 1000;
/** A file whose text is the same after this long, ms, is completely written. */
const SETTLE_MS = 100;

export interface LiveSettingsOptions {
  readonly loaded: LoadedSettings;
  readonly flags: ServeFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The offer of settings. Throws for unknown tool names. */
  readonly offer: (settings: ServeSettings) => Promise<Offer>;
  /** Applies new rules. */
  readonly apply: (settings: ServeSettings) => Promise<void>;
  readonly log: Log;
}

/**
 * A server's settings while it runs. When the configuration file changes or is created, path rules,
 * read-only, tools and the places of notes follow it; an invalid file changes nothing. All other settings
 * apply at the next start.
 */
export class LiveSettings {
  readonly #options: LiveSettingsOptions;
  readonly #listeners = new Set<(lists: readonly ListName[]) => void>();
  #current: ServeSettings;
  readonly #path: string;
  #file: ConfigFile | undefined;
  #problem: unknown;
  #seen: string | undefined;
  #offered: { settings: ServeSettings; offer: Promise<Offer> } | undefined;
  #turn: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LiveSettingsOptions) {
    this.#options = options;
    this.#current = options.loaded.settings;
    this.#file = options.loaded.file;
    this.#path = options.loaded.file?.path ?? configPlace(options.flags.config, options.environment).path;
  }

  /** The last valid file; undefined while there was none. */
  get file(): ConfigFile | undefined {
    return this.#file;
  }

  /** The file at the server's start: settings that apply only at a start have these values. */
  get started(): ConfigFile | undefined {
    return this.#options.loaded.file;
  }

  /** Why the file's current text is not in force; undefined when it is. */
  get problem(): unknown {
    return this.#problem;
  }

  get current(): ServeSettings {
    return this.#current;
  }

  /** The current offer: the same object while it is unchanged. */
  offer(): Promise<Offer> {
    if (this.#offered?.settings !== this.#current) {
      this.#offered = { settings: this.#current, offer: this.#options.offer(this.#current) };
    }
    return this.#offered.offer;
  }

  /** Calls `tell` with the lists that changed, until the returned function is called. */
  readonly onListsChanged = (tell: (lists: readonly ListName[]) => void): (() => void) => {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  };

  /** Follows the file from here on, including changes since it was read. */
  watch(): void {
    if (this.#stopped) return;
    watchFile(this.#path, { interval: POLL_MS, persistent: false }, this.#onChange);
    this.#onChange();
  }

  stop(): void {
    this.#stopped = true;
    unwatchFile(this.#path, this.#onChange);
  }

  /** Applies the file's current text; resolves when it is in force or was found invalid. */
  async refresh(): Promise<void> {
    this.#onChange();
    await this.#turn;
  }

  readonly #onChange = (): void => {
    const { log } = this.#options;
    this.#turn = this.#turn
      .then(() => this.#reload())
      .catch((error: unknown) => {
        this.#problem = error;
        const said = isLecternError(error) ? `${error.message} ${error.next ?? ''}`.trim() : String(error);
        log.error({}, `${said} The rules there were stay in force.`);
      });
  };

  async #reload(): Promise<void> {
    const { flags, environment, offer, apply, log } = this.#options;
    const path = this.#path;
    if (this.#stopped || (this.#file === undefined && !existsSync(path))) return;
    const source = await settledText(path).catch((error: unknown) => {
      this.#seen = undefined;
      throw error;
    });
    if (this.#stopped || source === this.#seen) return;
    this.#seen = source;
    this.#problem = undefined;
    if (source === this.#file?.source) return;
    if (source.trim() === '') throw new Error(`The configuration file ${path} is empty.`);
    const { settings: wanted, file } = await settingsFromText(source, path, flags, environment);
    const next = followed(this.#current, wanted);
    const [before, after] = await Promise.all([this.offer(), offer(next)]);
    await checkRules(next);
    await apply(next);
    this.#current = next;
    this.#file = file;
    if (waits(this.#options.loaded, wanted, file)) {
      log.warn({}, `Some changes in ${file.path} take effect when the server is started again.`);
    }
    const lists: ListName[] = ['resources', 'prompts'];
    if (!sameTools(before, after)) lists.unshift('tools');
    log.info({ lists }, `What ${file.path} says is in force.`);
    for (const tell of [...this.#listeners]) tell(lists);
  }
}

/**
 * Checks all vaults' rules before any of them changes.
 * @throws LecternError `invalid_input` for a glob that cannot be used
 */
async function checkRules({ vaults }: ServeSettings): Promise<void> {
  const { Access } = await import('../vault/access.ts');
  for (const { rules } of vaults) new Access([rules]);
}

/** Reads until two reads give the same text, so that a partly written file is not taken for one with fewer rules. */
async function settledText(path: string): Promise<string> {
  let text = await read(path);
  for (;;) {
    await delay(SETTLE_MS);
    const again = await read(path);
    if (again === text) return text;
    text = again;
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`The configuration file ${path} cannot be read.`, { cause: error });
  }
}

/** The running settings, with the new values of those that apply at once. */
function followed(current: ServeSettings, wanted: ServeSettings): ServeSettings {
  return {
    ...current,
    tools: wanted.tools,
    toolSwitches: wanted.toolSwitches,
    toolsets: wanted.toolsets,
    catalogues: wanted.catalogues,
    places: wanted.places,
    // Matched by place: a file that names the vault for the first time may use another name.
    vaults: current.vaults.map((vault) => {
      const same = wanted.vaults.find((other) => isSamePlace(other, vault));
      return same === undefined ? vault : { ...vault, rules: same.rules };
    }),
  };
}

/** Whether a setting changed that applies only at the next start. */
function waits(loaded: LoadedSettings, wanted: ServeSettings, file: ConfigFile): boolean {
  const places = (vaults: readonly VaultSetting[]) =>
    vaults.map(({ name, kind, location }) => [name, kind, location]);
  const rest = (values: ConfigFile['values'] = {}) => [
    values.log_level,
    values.state,
    values.embedder,
    values.embedder_key,
    values.catalogue,
    values.http,
  ];
  const of = (settings: ServeSettings, from: ConfigFile | undefined) =>
    JSON.stringify([places(settings.vaults), rest(from?.values)]);
  return of(loaded.settings, loaded.file) !== of(wanted, file);
}

function sameTools(one: Offer, other: Offer): boolean {
  const names = ({ operations, tools, toolsets }: Offer) =>
    JSON.stringify([operations.map(({ name }) => name), tools?.on, tools?.off, toolsets]);
  return names(one) === names(other);
}
