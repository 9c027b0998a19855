import type { ResourceSource } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import { isLecternError } from '../errors.ts';
import type { VaultSession } from '../vault/session.ts';
import type { NetChange } from './change-window.ts';
import { pathMatcher } from './path-pattern.ts';
import { LARGEST_FILE } from './resource-read.ts';
import { fileUri } from './resource-uri.ts';

/** A subscribed resource. */
export interface ResourceWatch {
  /** Called at the start of a batch of changes. */
  begin?(): void;
  change(change: NetChange): Promise<void> | void;
  stop(): void;
}

type Tell = (uri: string) => Promise<void>;

/** File system clocks may lag this far behind, ms. */
const CLOCK_SLACK_MS = 20;
/** A projection is read again at the earliest after this multiple of the time a read takes. */
const REST_FACTOR = 5;
const LEAST_REST_MS = 50;

/** Notifies when the file's bytes differ from those last reported; also when it is created or removed. */
export async function watchFile(
  uri: string,
  path: string,
  vault: VaultSession,
  tell: Tell,
): Promise<ResourceWatch> {
  let wanted = path.normalize('NFC');
  let state: string | undefined;
  try {
    const file = await vault.file(path, LARGEST_FILE);
    wanted = file.path.normalize('NFC');
    state = file.etag;
  } catch (error) {
    // A missing file may be created; a file too large to read is reported by its changes alone.
    if (!isLecternError(error) || !['not_found', 'too_large'].includes(error.code)) throw error;
    state = error.code === 'not_found' ? 'absent' : undefined;
  }
  return {
    change(change) {
      if (change.path.normalize('NFC') !== wanted) return;
      const now = change.kind === 'removed' ? 'absent' : change.etag;
      if (now !== undefined && now === state) return;
      state = now;
      return tell(uri);
    },
    stop: () => {},
  };
}

/** Watches a resource of a catalogue, which reports its own changes. */
export function watchSource(source: ResourceSource, uri: string, tell: () => void): ResourceWatch {
  return { change: () => {}, stop: source.watch?.(uri, tell) ?? (() => {}) };
}

/**
 * Notifies of every file the pattern matches, under the file's own URI.
 *
 * @param named the vault as the pattern's URI names it
 */
export function watchGlob(
  { pattern, vault: named }: { readonly pattern: readonly string[]; readonly vault?: string },
  vault: VaultSession,
  tell: Tell,
): ResourceWatch {
  const matches = pathMatcher(pattern);
  const since = Date.now() - CLOCK_SLACK_MS;
  return {
    change(change) {
      if (!matches(change.path)) return;
      const uri = fileUri(change.path, named);
      if (!change.whileIndexing || change.kind === 'removed') return tell(uri);
      // New to the index, perhaps not new to the vault: the file's own time decides.
      return vault.changedAt(change.path).then((time) => {
        if (time !== undefined && time >= since) return tell(uri);
      });
    },
    stop: () => {},
  };
}

/** Notifies when the resource's answer differs from the previous one. */
export async function watchProjection(
  uri: string,
  fingerprint: () => Promise<string>,
  tell: Tell,
  log: Log,
): Promise<ResourceWatch> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let reading = false;
  let again = false;
  let rest = LEAST_REST_MS;
  let last = await fingerprint();

  async function read(): Promise<void> {
    reading = true;
    again = false;
    const started = performance.now();
    try {
      const now = await fingerprint();
      if (now !== last && !stopped) {
        last = now;
        await tell(uri);
      }
    } catch (error) {
      log.debug({ uri, err: error }, 'a subscribed resource cannot be read');
    }
    rest = Math.max(LEAST_REST_MS, (performance.now() - started) * REST_FACTOR);
    reading = false;
    if (again) schedule();
  }

  function schedule(): void {
    if (stopped || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (!stopped) void read();
    }, rest);
  }

  return {
    begin() {
      if (reading) again = true;
      else schedule();
    },
    change: () => {},
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
