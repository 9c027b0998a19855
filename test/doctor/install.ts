import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DoctorSources, MACHINE } from '../../src/app/doctor/context.ts';
import { type DoctorOptions, type DoctorReport, examine } from '../../src/app/doctor/doctor.ts';
import { clientUses } from '../../src/cli/doctor-clients.ts';
import { LECTERN } from '../support/raw-server.ts';

const run = promisify(execFile);

/** Anybody: what root may do is not what people may do. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** What a fault does not change is as it is in a healthy install. */
export interface Changes {
  readonly flags?: DoctorOptions['flags'];
  readonly environment?: Readonly<Record<string, string>>;
  readonly sources?: Partial<DoctorSources>;
}

/** Words that say who the owner is. None of them may be left in an answer for strangers. */
export const SECRET_WORDS = ['Zebrafink', 'Quittenmus', 'Wanderfalke', 'Haselnuss', 'Bernstein'] as const;

/**
 * An install of Lectern as a person has it after a while: a vault with notes, a state folder with index, journal and
 * tokens, a configuration file. It is made once; `reset` puts it back as it was.
 */
export class Install {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'lectern-doctor-')));
  readonly home = join(this.root, 'live', 'Wanderfalke');
  readonly vault = join(this.home, 'Zebrafink');
  readonly config = join(this.home, '.config', 'lectern', 'lectern.yaml');
  readonly stateBase = join(this.home, '.local', 'state', 'lectern');
  readonly #pristine = join(this.root, 'pristine');
  #state = '';

  /** The state folder of the vault. */
  get state(): string {
    return this.#state;
  }

  get environment(): Record<string, string> {
    return { HOME: this.home, PATH: process.env.PATH ?? '', USER: 'Bernstein' };
  }

  async make(port: number): Promise<void> {
    mkdirSync(join(this.vault, 'Projects'), { recursive: true });
    mkdirSync(join(this.config, '..'), { recursive: true });
    for (let number = 0; number < 12; number++)
      writeFileSync(
        join(this.vault, 'Projects', `Quittenmus ${number}.md`),
        `---\nstatus: open\ntags: [a, b]\n---\n# Quittenmus ${number}\n\nSee [[Quittenmus ${number + 1}]].\n`,
      );
    writeFileSync(join(this.vault, 'Früh.md'), '# Früh\n');
    writeFileSync(this.config, `vaults:\n  Zebrafink: ${this.vault}\nhttp:\n  port: ${port}\n`, {
      mode: 0o600,
    });
    await this.lectern('note', 'list');
    for (const text of ['one', 'two', 'three'])
      await this.lectern(
        'note',
        'update',
        'Projects/Written.md',
        '--body',
        `# ${text}\n${text} `.repeat(300),
      );
    await this.lectern('token', 'create', '--name', 'Haselnuss', '--expires', '300d');
    const [name = ''] = readdirSync(this.stateBase);
    this.#state = join(this.stateBase, name);
    if (isRoot) giveTo(join(this.root, 'live'), NOBODY);
    if (isRoot) chownSync(this.root, NOBODY, NOBODY);
    cpSync(join(this.root, 'live'), this.#pristine, { recursive: true, preserveTimestamps: true });
  }

  reset(): void {
    const live = join(this.root, 'live');
    openAll(live);
    rmSync(live, { recursive: true, force: true });
    cpSync(this.#pristine, live, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    if (isRoot) giveTo(live, NOBODY);
  }

  remove(): void {
    openAll(this.root);
    rmSync(this.root, { recursive: true, force: true });
  }

  async lectern(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [LECTERN, ...args], {
      env: this.environment,
      cwd: this.root,
    });
    return stdout;
  }

  /** The doctor on this install, as a user who is not root. */
  async examine(
    { flags = {}, environment = {}, sources = {} }: Changes = {},
    options: Pick<DoctorOptions, 'repair' | 'dryRun' | 'redact'> = {},
    inProcess = false,
  ): Promise<DoctorReport> {
    if (inProcess) return await this.#examineInProcess(flags, options);
    const user = isRoot ? NOBODY : process.getuid?.();
    const clients = () => clientUses(this.environment);
    const all: DoctorSources = { ...MACHINE, user, clients, ...sources };
    const ask = () =>
      examine({ flags, environment: { ...this.environment, ...environment }, sources: all, ...options });
    return isRoot ? await asNobody(ask) : await ask();
  }

  async #examineInProcess(flags: object, options: object): Promise<DoctorReport> {
    const given = Object.entries({ ...flags, ...options }).flatMap(([name, value]) => {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return value === true ? [flag] : [flag, ...[value].flat().map(String)];
    });
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const args = [LECTERN, 'doctor', '--json', ...given];
    const done = run(process.execPath, args, { env: this.environment, cwd: '/', ...user });
    // With something to tell it ends with 1.
    const { stdout } = await done.catch((error: { stdout: string }) => error);
    return JSON.parse(stdout) as DoctorReport;
  }

  /** Whatever a test has made is its user’s. */
  own(): void {
    if (isRoot) giveTo(join(this.root, 'live'), NOBODY);
  }

  /** Every file and folder of the vault with its bytes: what no repair may change. */
  notes(): ReadonlyMap<string, string> {
    return fingerprints(this.vault, () => true);
  }

  isVaultThere(): boolean {
    return lstatSync(this.vault, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  /** Everything there is, but for what SQLite keeps in shared memory. */
  everything(): ReadonlyMap<string, string> {
    return fingerprints(join(this.root, 'live'), (path) => !path.endsWith('-shm'));
  }
}

/** The effective user counts for every thread of the process. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

function giveTo(path: string, user: number): void {
  // A name that is not UTF-8 cannot be looked up as text.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  try {
    chownSync(path, user, user);
  } catch {
    // A drive that is read-only.
  }
  if (stats.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), user);
}

/** A test may have closed something to its owner. */
function openAll(path: string): void {
  if (!isRoot) execFileSync('chmod', ['-R', 'u+rwX', path], { stdio: 'ignore' });
}

function fingerprints(root: string, isWanted: (path: string) => boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (path: Buffer) => {
    const stats = lstatSync(path);
    const name = path.toString('latin1').slice(root.length);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) {
      found.set(name, `folder ${mode}`);
      for (const each of readdirSync(path, { encoding: 'buffer' }))
        visit(Buffer.concat([path, Buffer.from('/'), each]));
    } else if (stats.isSymbolicLink()) found.set(name, `link ${readlinkSync(path)}`);
    else if (!stats.isFile()) found.set(name, 'special');
    else if (isWanted(name))
      found.set(name, `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`);
  };
  visit(Buffer.from(root));
  return found;
}
