import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, sep } from 'node:path';
import { openStore } from '../app/open-store.ts';
import { stateFolderOf } from '../app/state-of.ts';
import { loadSettings } from '../config/load.ts';
import { onlyVault, type ServeFlags, type VaultSetting } from '../config/settings.ts';
import { placeIdentity } from '../config/store-place.ts';
import { copyVault } from '../copy/copy.ts';
import type { CopyEnd } from '../copy/home.ts';
import { CopyRecord } from '../copy/record.ts';
import type { CopyReport } from '../copy/report.ts';
import type { FrontMatter } from '../copy/text/text-of-facts.ts';
import { isLecternError, LecternError } from '../errors.ts';
import { nameOf } from '../notes/dialects/joplin-names.ts';
import { normalizeFolder } from '../notes/path.ts';
import type { Store } from '../stores/store.ts';
import { Access } from '../vault/access.ts';
import { EXIT, exitCodeFor } from './commands/exit-codes.ts';
import { progressLine } from './commands/progress-line.ts';
import { stopOnSignals } from './signals.ts';
import { reportAsJson, reportAsText } from './vault-copy-report.ts';

export interface VaultCopyFlags extends Omit<ServeFlags, 'vault'> {
  readonly from: string;
  readonly to: string;
  readonly fromFolder?: string;
  readonly toFolder?: string;
  readonly frontMatter: FrontMatter;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Copies one vault to another place, possibly of another kind of store, and prints the report. */
export async function copyVaultCommand(flags: VaultCopyFlags): Promise<void> {
  try {
    const report = await copied(flags);
    process.stdout.write(
      flags.json === true ? `${JSON.stringify(reportAsJson(report))}\n` : reportAsText(report),
    );
    if (report.notCarried.length > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    if (flags.json !== true || !isLecternError(error)) throw error;
    const { code, message, details, next } = error;
    process.stderr.write(
      `${JSON.stringify({ code, message, details, ...(next !== undefined && { next }) })}\n`,
    );
    process.exitCode = exitCodeFor(code);
  }
}

async function copied(flags: VaultCopyFlags): Promise<CopyReport> {
  const { from: fromText, to: toText, dryRun = false, frontMatter } = flags;
  const [from, to] = [await placeOf(fromText, flags), await placeOf(toText, flags)];
  const fromFolder = folderOf(flags.fromFolder ?? '');
  const toFolder = folderOf(
    flags.toFolder ?? (to.kind === 'joplin' && from.kind !== 'joplin' ? notebookFor(from) : ''),
  );
  refuseOverlap(from, to, fromFolder, toFolder);
  if (!dryRun && to.rules.readOnly)
    throw new LecternError('read_only', 'The settings let nothing be written there.', {
      next: 'Set read_only to no for this command.',
    });
  const stop = new AbortController();
  stopOnSignals(() => stop.abort());
  const scratch: string[] = [];
  const opened: Store[] = [];
  let record: CopyRecord | undefined;
  let shown: { what: string; line: ReturnType<typeof progressLine> } | undefined;
  try {
    const source = await openStore(from);
    opened.push(source);
    const destination = await openDestination(to, dryRun, scratch);
    opened.push(destination);
    const identity = [placeIdentity(from), fromFolder, placeIdentity(to), toFolder];
    record = await CopyRecord.open(await stateFolderOf(to, to.stateDir), identity, dryRun);
    return await copyVault({
      from: endOf(source, from, fromFolder),
      to: endOf(destination, to, toFolder),
      frontMatter,
      dryRun,
      record,
      signal: stop.signal,
      onProgress(what, done, total) {
        if (shown?.what !== what) {
          shown?.line.end();
          shown = { what, line: progressLine(what, process.stderr) };
        }
        shown.line.report(done, total);
      },
    });
  } finally {
    shown?.line.end();
    await record?.close();
    for (const store of opened) await store.close();
    for (const folder of scratch) rmSync(folder, { recursive: true, force: true });
  }
}

type Place = VaultSetting & { readonly stateDir: string | undefined };

async function placeOf(text: string, flags: VaultCopyFlags): Promise<Place> {
  const { from: _from, to: _to, fromFolder: _ff, toFolder: _tf, dryRun: _dry, json: _json, ...rest } = flags;
  const { settings } = await loadSettings({ ...rest, vault: [text] }, process.env);
  return { ...onlyVault(settings), stateDir: settings.stateDir };
}

function endOf(store: Store, { name, rules }: Place, folder: string): CopyEnd {
  const access = new Access([rules]);
  return {
    store,
    name,
    folder,
    mayRead: (path) => access.mayRead(path),
    mayWrite: (path) => access.mayWrite(path),
  };
}

function folderOf(text: string): string {
  return text === '.' ? '' : normalizeFolder(text);
}

/** The name of the notebook that a vault becomes, as in Joplin's own import. */
function notebookFor({ kind, location, name }: Place): string {
  return nameOf(kind === 'folder' ? basename(location) : name);
}

/** Refuses overlapping places, as copied notes would be copied again. @throws LecternError `invalid_input` */
function refuseOverlap(from: Place, to: Place, fromFolder: string, toFolder: string): void {
  if (from.kind !== to.kind) return;
  const [one, other] = [from, to].map(placeIdentity) as [string, string];
  const isInside = from.kind === 'folder' ? `${other}${sep}`.startsWith(`${one}${sep}`) : one === other;
  const isApart =
    one === other && fromFolder !== '' && toFolder !== '' && !`${toFolder}/`.startsWith(`${fromFolder}/`);
  if (!isInside || isApart) return;
  throw new LecternError('invalid_input', 'The destination lies inside of what is copied.', {
    next: 'Name another place with --to, or other folders with --from-folder and --to-folder.',
  });
}

/** Opens the destination. A missing folder is created; in a dry run a temporary empty folder replaces it. */
async function openDestination(to: Place, dryRun: boolean, scratch: string[]): Promise<Store> {
  if (to.kind !== 'folder' || existsSync(to.location)) return openStore(to);
  if (!dryRun) {
    await mkdir(to.location, { recursive: true });
    return openStore(to);
  }
  const folder = mkdtempSync(join(tmpdir(), 'lectern-dry-run-'));
  scratch.push(folder);
  return openStore({ ...to, location: folder });
}
