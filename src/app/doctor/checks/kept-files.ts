import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OAuthDatabase } from '../../../auth/oauth/oauth-database.ts';
import { TokenStore } from '../../../auth/tokens/token-store.ts';
import { makeAllPrivate } from '../../../config/private-folder.ts';
import { salvageJournal } from '../../../journal/sqlite/salvage.ts';
import { openDatabase } from '../../../sqlite/driver.ts';
import { copyDatabase, inspectDatabase, integrityProblems } from '../../../sqlite/inspect.ts';
import { salvage } from '../../../sqlite/salvage.ts';
import { readWal } from '../../../sqlite/wal.ts';
import { AUTH_FILE, OAUTH_FILE } from '../../state-files.ts';
import { type Check, counted, type Finding, ok, problem, said, skipped } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { asideFolder, checkUnused, SUFFIXES, setAside } from '../set-aside.ts';
import { mayNotRead, type StateFolder, stateFolders } from '../state-folders.ts';

/** A database whose data cannot be derived again. */
interface KeptFile {
  readonly file: string;
  /** Stable; the first part of its codes. */
  readonly code: 'journal' | 'tokens' | 'grants';
  readonly what: string;
  /**
   * Creates a new file from what can be read of a copy of the damaged one.
   * @returns what was saved, as a clause
   */
  salvage(damaged: string, fresh: string, folder: StateFolder): string;
}

const KEPT: readonly KeptFile[] = [
  {
    file: 'journal.db',
    code: 'journal',
    what: 'journal',
    salvage(damaged, fresh, { plainEtags }) {
      const { whole, partial } = salvageJournal(damaged, fresh, { plainEtags });
      return `${counted(whole, 'write')} can be undone as before, ${partial} cannot`;
    },
  },
  {
    file: AUTH_FILE,
    code: 'tokens',
    what: 'file of tokens',
    salvage: (damaged, fresh) => rowsSaved(damaged, fresh, (path) => new TokenStore(path).close()),
  },
  {
    file: OAUTH_FILE,
    code: 'grants',
    what: 'file of OAuth grants',
    salvage: (damaged, fresh) => rowsSaved(damaged, fresh, (path) => new OAuthDatabase(path).close()),
  },
];

const WAL_LOOKS = 3;
const WAL_PAUSE_MS = 100;

/** Checks the databases beside the index. They are never removed. */
export const keptFiles: Check = {
  name: 'kept_files',
  async run(context) {
    const folders = stateFolders(context);
    const found = folders.flatMap((folder) => KEPT.map((kept) => look(context, folder, kept)));
    return (await Promise.all(found)).flat();
  },
};

async function look(
  context: DoctorContext,
  folder: StateFolder,
  kept: KeptFile,
): Promise<readonly Finding[]> {
  const path = join(folder.path, kept.file);
  if (mayNotRead(path)) return [];
  if (!existsSync(path)) {
    if (kept.code !== 'journal' || !existsSync(`${path}-wal`)) return [];
    return [damaged(context, folder, kept, 'the file itself is gone and its log is still there')];
  }
  const lost = await lostIn(`${path}-wal`);
  if (lost > 0)
    return [
      damaged(
        context,
        folder,
        kept,
        `its log is torn, and ${counted(lost, 'transaction')} in it cannot be read`,
      ),
    ];
  try {
    const found = inspectDatabase(path, (database) => ({
      reason: integrityProblems(database, 'thorough')[0],
      pending: kept.code === 'journal' ? pendingIn(database) : 0,
    }));
    if (found.reason !== undefined) return [damaged(context, folder, kept, found.reason)];
    const good = ok(`${kept.code}.whole`, `The ${kept.what} of ${folder.of} is whole.`);
    if (found.pending === 0) return [good];
    return [
      good,
      skipped(
        'journal.pending',
        `${counted(found.pending, 'write')} of ${folder.of} was begun and not finished.`,
        'The next start finishes it, or takes it back.',
      ),
    ];
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return [damaged(context, folder, kept, said(cause))];
  }
}

/** Counts lost frames of the log. A server may be writing to it now: only a permanent loss counts. */
async function lostIn(log: string): Promise<number> {
  let { lost } = readWal(log);
  for (let again = 0; lost > 0 && again < WAL_LOOKS; again++) {
    await delay(WAL_PAUSE_MS);
    lost = Math.min(lost, readWal(log).lost);
  }
  return lost;
}

function pendingIn(database: ReturnType<typeof openDatabase>): number {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'write_group'").get();
  if (has === undefined) return 0;
  return Number(database.prepare("SELECT count(*) AS n FROM write_group WHERE state = 'pending'").get()?.n);
}

function damaged(context: DoctorContext, folder: StateFolder, kept: KeptFile, reason: string): Finding {
  const path = join(folder.path, kept.file);
  return problem(
    `${kept.code}.damaged`,
    `The ${kept.what} of ${folder.of} is damaged: ${reason.replace(/[.\s]+$/, '')}.`,
    'Run lectern doctor --repair: it saves what can be read and keeps the damaged file.',
    {
      repair: {
        what: `make a new ${kept.what} of ${folder.of} from what can be read, and keep the damaged one in a folder beside it`,
        run: async () => {
          await checkUnused(path, context);
          const saved = replaced(context, folder, kept, path);
          return `The ${kept.what} of ${folder.of} is made anew: ${saved}.`;
        },
      },
    },
  );
}

/**
 * Replaces a damaged file. It stays untouched until the new one is complete, and is then moved to a folder
 * beside it.
 */
function replaced({ now }: DoctorContext, folder: StateFolder, kept: KeptFile, path: string): string {
  const fresh = `${path}.new`;
  const work = mkdtempSync(join(tmpdir(), 'lectern-salvage-'));
  try {
    rmSync(fresh, { force: true });
    const copy = join(work, basename(path));
    copyDatabase(path, copy);
    const saved = kept.salvage(copy, fresh, folder);
    const aside = asideFolder(path, now());
    setAside(path, aside);
    renameSync(fresh, path);
    makeAllPrivate(folder.path);
    return `${saved}; the damaged one is in ${basename(aside)}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
    for (const suffix of SUFFIXES) rmSync(fresh + suffix, { force: true });
  }
}

/** Saves tables whose rows are independent of each other. */
function rowsSaved(damaged: string, fresh: string, make: (path: string) => void): string {
  make(fresh);
  const database = openDatabase(fresh, { wal: false });
  try {
    // The new file must be complete without its log: rows are copied into it, and it replaces the damaged
    // one.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const rows = salvage(damaged, fresh, database).reduce((sum, table) => sum + table.rows, 0);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return `${counted(rows, 'record')} could be saved`;
  } finally {
    database.close();
  }
}
