import type { StoreChange, StoreListing } from '../../store.ts';

export interface PollOptions {
  list(): Promise<StoreListing>;
  /** Pause between two listings, ms. Default 2000; a slow listing extends it. */
  readonly intervalMs?: number;
}

/** Listing may take at most a tenth of the time. */
const REST_PER_WORK = 9;

/** Reports changes by repeated listings, for drives that cannot be watched. */
export async function pollFolder(
  options: PollOptions,
  listener: (changes: readonly StoreChange[]) => void,
): Promise<() => Promise<void>> {
  let known = versions(await options.list());
  let isMissing = false;
  let stopped = false;
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const look = async () => {
    const started = performance.now();
    try {
      const now = versions(await options.list());
      const changes = isMissing ? [{ kind: 'rescan', path: '' } as const] : difference(known, now);
      isMissing = false;
      known = now;
      if (!stopped && changes.length > 0) listener(changes);
    } catch {
      // Unmounted or deleted: reported once, then looked for again.
      if (!isMissing && !stopped) listener([{ kind: 'rescan', path: '' }]);
      isMissing = true;
    }
    schedule((performance.now() - started) * REST_PER_WORK);
  };
  const schedule = (restMs: number) => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        looking = look();
      },
      Math.max(options.intervalMs ?? 2000, restMs),
    );
    timer.unref();
  };
  schedule(0);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await looking;
  };
}

function versions(listing: StoreListing): Map<string, string> {
  return new Map(listing.entries.map(({ path, version }) => [path, version]));
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): StoreChange[] {
  const changes: StoreChange[] = [];
  for (const [path, version] of after) {
    if (before.get(path) !== version) changes.push({ kind: 'changed', path });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ kind: 'removed', path });
  return changes;
}
