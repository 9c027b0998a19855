import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/sqlite/driver.ts';
import { makeCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import type { Changes, Install } from './install.ts';

/** What a fault needs beside its changes, and how it is taken back. */
export interface Seeded extends Changes {
  readonly end?: () => void;
}

export interface Fault {
  readonly name: string;
  /** The finding that has to name it. */
  readonly code: string;
  /** What else has to follow from it. */
  readonly also?: readonly string[];
  /** `--repair` takes it away. */
  readonly repaired?: true;
  /** Looked at by the command itself in a process of this user: what may be done goes by whose a process is. */
  readonly inProcess?: true;
  /** What is seeded belongs to whom the seed gives it. */
  readonly ownOwner?: true;
  /** Where a fault cannot be seeded on this machine. */
  readonly skip?: boolean;
  seed(install: Install): unknown;
}

const DAY_MS = 24 * 3600_000;
const isRoot = process.getuid?.() === 0;
const CAN_MOUNT = isRoot && canMount();

/** Every fault that a person may meet, each as small as can be. */
export const FAULTS: readonly Fault[] = [
  // The program
  { name: 'old Node', code: 'runtime.node_old', seed: () => ({ sources: { nodeVersion: '18.20.4' } }) },
  {
    name: 'a native module that does not load',
    code: 'native.module_missing',
    seed: () => ({
      sources: {
        load: async (name: string) => {
          if (name === '@parcel/watcher')
            throw new Error('No prebuild or local build of @parcel/watcher found.');
        },
      },
    }),
  },
  // Settings
  {
    name: 'a typing error in the configuration file',
    code: 'configuration.unknown_key',
    seed: append('read_onyl: true\n'),
  },
  { name: 'a value out of range', code: 'configuration.invalid', seed: append('history:\n  days: 0\n') },
  {
    name: 'a configuration file that is no YAML',
    code: 'configuration.invalid',
    also: ['configuration.no_vault'],
    seed: append('vaults: [\n'),
  },
  {
    name: 'a configuration file that is named and not there',
    code: 'configuration.unreadable',
    also: ['configuration.no_vault'],
    seed: ({ home }) => ({ flags: { config: join(home, 'gone.yaml') } }),
  },
  {
    name: 'a configuration file that may not be read',
    code: 'configuration.unreadable',
    also: ['configuration.no_vault'],
    seed: ({ config }) => chmodSync(config, 0o000),
  },
  {
    name: 'a configuration file inside the vault',
    code: 'configuration.inside_vault',
    seed({ vault, config }) {
      const inside = join(vault, 'lectern.yaml');
      copyFileSync(config, inside);
      chmodSync(inside, 0o644);
      return { flags: { config: inside } };
    },
  },
  {
    name: 'one folder as two vaults',
    code: 'configuration.same_folder',
    seed: (install) => rewrite(install, (text) => text.replace('http:', `  twice: ${install.vault}\nhttp:`)),
  },
  { name: 'no vault at all', code: 'configuration.no_vault', seed: (install) => rewrite(install, () => '') },
  {
    name: 'a variable that is spelled wrong',
    code: 'configuration.unknown_variable',
    seed: () => ({ environment: { LECTERN_LOG_LEVLE: 'info' } }),
  },
  {
    name: 'a secret that is not where the file says',
    code: 'configuration.secret_missing',
    seed: append('  token: { file: gone-token }\n'),
  },
  {
    name: 'a secret that others may read',
    code: 'configuration.secret_open',
    seed(install) {
      const file = join(install.home, '.config', 'lectern', 'token');
      writeFileSync(file, `${'x'.repeat(32)}\n`);
      chmodSync(file, 0o644);
      return append('  token: { file: token }\n')(install);
    },
  },
  {
    name: 'a rule for a tool that there is not',
    code: 'configuration.rule',
    seed: append('tools:\n  deny: [note_dleete]\n'),
  },
  { name: 'an embedder that is none', code: 'configuration.rule', seed: append('embedder: magic\n') },
  // The vault
  {
    name: 'a vault that is gone',
    code: 'vault.unreachable',
    seed: ({ vault, home }) => renameSync(vault, join(home, 'elsewhere')),
  },
  {
    name: 'a vault that is a file',
    code: 'vault.unreachable',
    seed({ vault }) {
      rmSync(vault, { recursive: true });
      writeFileSync(vault, 'not a folder');
    },
  },
  {
    name: 'a vault that may not be read',
    inProcess: true,
    code: 'vault.unreachable',
    seed: ({ vault }) => chmodSync(vault, 0o000),
  },
  {
    name: 'a vault that may not be written',
    inProcess: true,
    code: 'vault.not_writable',
    seed: ({ vault }) => chmodSync(vault, 0o555),
  },
  {
    name: 'a vault on a drive that is read-only',
    inProcess: true,
    code: 'vault.not_writable',
    skip: !CAN_MOUNT,
    seed: (install) => mounted(install, 'ro,size=80m', (folder) => ({ flags: { vault: [folder] } })),
  },
  {
    name: 'a vault inside another vault',
    code: 'vault.nested',
    seed: (install) =>
      rewrite(install, (text) => text.replace('http:', `  inner: ${join(install.vault, 'Projects')}\nhttp:`)),
  },
  {
    name: 'state inside the vault',
    code: 'vault.holds_state',
    seed(install) {
      const inside = join(install.vault, 'state');
      mkdirSync(inside, { mode: 0o777 });
      renameSync(install.state, join(inside, install.state.split('/').at(-1) ?? ''));
      return { flags: { state: inside } };
    },
  },
  // Notes
  {
    name: 'a note that may not be read',
    code: 'notes.closed',
    seed: ({ vault }) => chmodSync(note(vault), 0o000),
  },
  {
    name: 'a note in another encoding',
    code: 'notes.not_utf8',
    seed: ({ vault }) => write(vault, 'Latin.md', Buffer.from('# Caf\xe9\n', 'latin1')),
  },
  {
    name: 'a note in UTF-16',
    code: 'notes.utf16',
    seed: ({ vault }) => write(vault, 'Wide.md', Buffer.from('\ufeff# Wide\n', 'utf16le')),
  },
  {
    name: 'front matter that cannot be read',
    code: 'notes.front_matter',
    seed: ({ vault }) => write(vault, 'Broken.md', '---\ntitle: [a\nb: "c\n---\n# Broken\n'),
  },
  {
    name: 'two names that differ in case',
    code: 'names.case_twins',
    seed: ({ vault }) => write(vault, 'FRÜH.md', '# other\n'),
  },
  {
    name: 'a name in two Unicode spellings',
    code: 'names.unicode_twins',
    seed: ({ vault }) => write(vault, 'Früh.md'.normalize('NFD'), '# other\n'),
  },
  {
    name: 'a name that is not UTF-8',
    code: 'names.not_utf8',
    seed({ vault }) {
      const path = Buffer.concat([Buffer.from(`${vault}/Caf`), Buffer.from([0xe9]), Buffer.from('.md')]);
      writeFileSync(path, '# Café\n');
      chmodSync(path, 0o644);
    },
  },
  {
    name: 'a named pipe',
    code: 'names.special_file',
    seed: ({ vault }) => void execFileSync('mkfifo', [join(vault, 'Pipe.md')]),
  },
  {
    name: 'a note that is in the cloud',
    code: 'synced.not_downloaded',
    seed: ({ vault }) => write(vault, '.Away.md.icloud', 'stub'),
  },
  {
    name: 'a copy of a sync program',
    code: 'synced.conflict_copy',
    seed: ({ vault }) => write(vault, 'Früh.sync-conflict-20260112-003022-ABCDEFG.md', '# Früh\n'),
  },
  {
    name: 'a link that leads out of the vault',
    code: 'links.outside',
    seed: ({ vault, config }) => symlinkSync(config, join(vault, 'Out.md')),
  },
  {
    name: 'a link that leads nowhere',
    code: 'links.nowhere',
    seed: ({ vault }) => symlinkSync('/nowhere/at/all.md', join(vault, 'Gone.md')),
  },
  // State
  {
    name: 'a state folder that others may look into',
    code: 'state.open_to_others',
    repaired: true,
    seed: ({ state }) => chmodSync(state, 0o755),
  },
  {
    name: 'a journal that others may read',
    code: 'state.open_to_others',
    repaired: true,
    seed: ({ state }) => chmodSync(join(state, 'journal.db'), 0o644),
  },
  {
    name: 'a state folder of another user',
    inProcess: true,
    ownOwner: true,
    skip: !isRoot,
    code: 'state.other_owner',
    also: ['state.not_writable'],
    seed({ state, stateBase }) {
      execFileSync('chown', ['-R', '0:0', state]);
      chmodSync(stateBase, 0o755);
    },
  },
  {
    name: 'a state folder that cannot be written',
    inProcess: true,
    code: 'state.not_writable',
    seed: ({ state }) => chmodSync(state, 0o500),
  },
  {
    name: 'a drive that is nearly full',
    code: 'space.low',
    seed: (install) =>
      CAN_MOUNT
        ? mounted(install, 'size=2m', (folder) => ({ flags: { state: folder } }))
        : { sources: { space: async () => ({ free: 1024 * 1024, type: 0 }) } },
  },
  {
    name: 'state on a network drive',
    code: 'space.network',
    seed: () => ({ sources: { space: async () => ({ free: 2 ** 40, type: 0x6969 }) } }),
  },
  {
    name: 'a lock that a dead process left at the log',
    code: 'locks.stale',
    repaired: true,
    seed({ state }) {
      const lock = join(state, 'audit.log.lock');
      writeFileSync(lock, '', { mode: 0o600 });
      const old = (Date.now() - DAY_MS) / 1000;
      utimesSync(lock, old, old);
    },
  },
  {
    name: 'a damaged write lock',
    code: 'locks.damaged',
    repaired: true,
    seed: ({ state }) => writeFileSync(join(state, 'lock.db'), 'x'.repeat(5000), { mode: 0o600 }),
  },
  // What is kept
  {
    name: 'an index whose beginning is gone',
    code: 'index.damaged',
    repaired: true,
    seed: ({ state }) => damage(join(state, 'index.db'), 0, 200),
  },
  {
    name: 'an index with a page of rubbish',
    code: 'index.damaged',
    repaired: true,
    seed({ state }) {
      fold(join(state, 'index.db'));
      damage(join(state, 'index.db'), 3 * 4096, 9 * 4096);
    },
  },
  {
    name: 'an index that a server found damaged',
    code: 'index.damaged',
    repaired: true,
    seed: ({ state }) => writeFileSync(join(state, 'index.db.damaged'), '', { mode: 0o600 }),
  },
  {
    name: 'a journal whose beginning is gone',
    code: 'journal.damaged',
    repaired: true,
    seed({ state }) {
      fold(join(state, 'journal.db'));
      damage(join(state, 'journal.db'), 0, 4096);
    },
  },
  {
    name: 'a journal with a page of rubbish',
    code: 'journal.damaged',
    repaired: true,
    seed({ state }) {
      fold(join(state, 'journal.db'));
      damage(join(state, 'journal.db'), 5 * 4096, 6 * 4096);
    },
  },
  {
    name: 'a journal that is cut off',
    code: 'journal.damaged',
    repaired: true,
    seed({ state }) {
      const path = join(state, 'journal.db');
      fold(path);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length / 2 / 4096) * 4096));
    },
  },
  {
    name: 'a torn log of the journal',
    code: 'journal.damaged',
    repaired: true,
    seed: ({ state }) => tearLog(join(state, 'journal.db')),
  },
  {
    name: 'a damaged file of tokens',
    code: 'tokens.damaged',
    repaired: true,
    seed({ state }) {
      fold(join(state, 'auth.db'));
      damage(join(state, 'auth.db'), 0, 100);
    },
  },
  // The kernel (its limits are read from a folder that stands for /proc)
  {
    name: 'too few watches for the folders',
    code: 'watcher.watches',
    seed: (install) => limits(install, { watches: 1, instances: 128 }),
  },
  {
    name: 'no instance of inotify left',
    code: 'watcher.instances',
    seed: (install) => limits(install, { watches: 100_000, instances: 1 }, 1),
  },
  // The network
  {
    name: 'a port that another program has',
    code: 'port.taken',
    async seed() {
      const { port, end } = await listening(() => {}, 'silent');
      return { flags: { port: String(port) }, end };
    },
  },
  {
    name: 'an address that this machine has not',
    code: 'port.no_address',
    seed: () => ({ flags: { host: '192.0.2.7' } }),
  },
  {
    name: 'a port that only root may have',
    code: 'port.privileged',
    seed: (install) => ({ ...limits(install, { watches: 100_000, instances: 128 }), flags: { port: '443' } }),
  },
  {
    name: 'a certificate that ran out',
    code: 'certificate.expired',
    seed: (install) => certificate(install, -30, -1),
  },
  {
    name: 'a certificate that runs out next week',
    code: 'certificate.expires',
    seed: (install) => certificate(install, -80, 7),
  },
  {
    name: 'a certificate of tomorrow',
    code: 'certificate.early',
    seed: (install) => certificate(install, 1, 90),
  },
  {
    name: 'a key that is another certificate’s',
    code: 'certificate.other_key',
    seed: (install) => certificate(install, -1, 90, { otherKey: true }),
  },
  {
    name: 'a key that others may read',
    code: 'certificate.key_open',
    seed: (install) => certificate(install, -1, 90, { mode: 0o644 }),
  },
  {
    name: 'a certificate for another name',
    code: 'certificate.other_name',
    also: ['public_url.no_name'],
    seed: (install) => certificate(install, -1, 90, { publicUrl: 'https://notes.haselnuss.invalid' }),
  },
  {
    name: 'a token that ran out',
    code: 'tokens.expired',
    seed: ({ state }) => setExpiry(join(state, 'auth.db'), Date.now() - DAY_MS),
  },
  {
    name: 'a token that runs out soon',
    code: 'tokens.expires',
    seed: ({ state }) => setExpiry(join(state, 'auth.db'), Date.now() + 3 * DAY_MS),
  },
  {
    name: 'a public address where nothing answers',
    code: 'public_url.unreachable',
    seed: async () => ({ flags: { publicUrl: `http://127.0.0.1:${await freePort()}` } }),
  },
  {
    name: 'a public name that nobody knows',
    code: 'public_url.no_name',
    seed: () => ({ flags: { publicUrl: 'https://notes.haselnuss.invalid', trustProxy: ['127.0.0.1'] } }),
  },
  {
    name: 'a public address that is a private one',
    code: 'public_url.private',
    seed: () => ({ flags: { publicUrl: 'https://192.168.7.7', trustProxy: ['127.0.0.1'] } }),
  },
  {
    name: 'a proxy that leads elsewhere',
    code: 'public_url.not_lectern',
    seed: () => publicServer((_, response) => response.writeHead(502).end('Bad Gateway')),
  },
  {
    name: 'a proxy that keeps the addresses of OAuth to itself',
    code: 'public_url.no_metadata',
    seed: () =>
      publicServer((request, response) =>
        request.url === '/healthz' ? response.end('{"ok":true}') : response.writeHead(404).end(),
      ),
  },
  {
    name: 'a server that says it is somewhere else',
    code: 'public_url.other_issuer',
    seed: () =>
      publicServer((request, response) =>
        response.end(
          request.url === '/healthz'
            ? '{"ok":true}'
            : '{"issuer":"https://other.example/","resource":"https://other.example/mcp"}',
        ),
      ),
  },
  // Clients, models, live notes, time
  {
    name: 'a client that starts a program which is gone',
    code: 'clients.gone',
    seed: ({ home, vault }) => client(home, '/opt/gone/lectern', ['mcp', 'serve', '--vault', vault]),
  },
  {
    name: 'a client that serves a vault which is gone',
    code: 'clients.gone',
    seed: ({ home }) =>
      client(home, process.execPath, ['mcp', 'serve', '--vault', join(home, 'Quittenmus gone')]),
  },
  {
    name: 'a configuration of a client that cannot be read',
    code: 'clients.unreadable',
    seed: ({ home }) => writeClient(home, '{ "mcpServers": { "lectern": '),
  },
  {
    name: 'a model that is gone',
    code: 'embedder.model_missing',
    seed: ({ home }) => ({ flags: { embedder: `model:${join(home, 'models', 'gone')}` } }),
  },
  {
    name: 'an embedder that does not answer',
    code: 'embedder.unreachable',
    seed: async () => ({ flags: { embedder: `ollama:nomic@http://127.0.0.1:${await freePort()}` } }),
  },
  {
    name: 'a Joplin that is not running',
    code: 'live_stores.away',
    seed: async () => ({
      flags: { vault: [`joplin:http://127.0.0.1:${await freePort()}`] },
      environment: { LECTERN_JOPLIN_TOKEN: 'Haselnuss-token' },
    }),
  },
  {
    name: 'a Joplin with another token',
    code: 'live_stores.refused',
    async seed() {
      const { port, end } = await listening((_, response) =>
        response.writeHead(403).end('{"error":"Invalid token"}'),
      );
      return {
        flags: { vault: [`joplin:http://127.0.0.1:${port}`] },
        environment: { LECTERN_JOPLIN_TOKEN: 'Haselnuss-token' },
        end,
      };
    },
  },
  {
    name: 'a SilverBullet with another token',
    code: 'live_stores.refused',
    async seed() {
      const { port, end } = await listening((_, response) => response.writeHead(401).end());
      return {
        flags: { vault: [`silverbullet:http://127.0.0.1:${port}`] },
        environment: { LECTERN_SILVERBULLET_TOKEN: 'Haselnuss-token' },
        end,
      };
    },
  },
  {
    name: 'a clock that went back',
    code: 'clock.behind',
    seed: () => ({ sources: { now: () => Date.now() - 40 * DAY_MS } }),
  },
];

function note(vault: string): string {
  return join(vault, 'Projects', 'Quittenmus 3.md');
}

function write(vault: string, name: string, bytes: string | Uint8Array): void {
  writeFileSync(join(vault, name), bytes);
  chmodSync(join(vault, name), 0o644);
}

/** Adds a line to the configuration file, whose last group is `http`. */
function append(text: string): (install: Install) => void {
  return (install) => rewrite(install, (before) => before + text);
}

function rewrite({ config }: Install, change: (text: string) => string): void {
  writeFileSync(config, change(readFileSync(config, 'utf8')));
}

/** A drive of its own. */
function mounted(install: Install, options: string, seeded: (folder: string) => Seeded): Seeded {
  const folder = join(install.home, 'Haselnuss drive');
  mkdirSync(folder);
  mount(folder, options);
  return { ...seeded(folder), end: () => void execFileSync('umount', [folder]) };
}

function mount(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=777`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** Only root may, and not in every container. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-mount-'));
  try {
    mount(folder, 'size=1m');
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function damage(path: string, from: number, to: number): void {
  const bytes = readFileSync(path);
  for (let at = from; at < Math.min(to, bytes.length); at++) bytes[at] = (at * 31 + 7) & 0xff;
  writeFileSync(path, bytes);
}

/** Brings into the file itself what lies in its log. */
function fold(path: string, sql = ''): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/** Five transactions in a log, of which the first is no longer as it was written. */
function tearLog(path: string): void {
  // Made elsewhere: a connection that is closed late would take the log away.
  const aside = mkdtempSync(join(tmpdir(), 'lectern-torn-'));
  const copy = join(aside, 'journal.db');
  fold(path);
  copyFileSync(path, copy);
  const database = openDatabase(copy);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0');
  for (let number = 0; number < 5; number++)
    database.exec(
      `INSERT INTO refusal (time, tool, code, actor_kind, actor_name, actor_session, paths) VALUES (${number}, 't', 'c', 'k', 'n', 's', '[]')`,
    );
  for (const suffix of ['', '-wal']) {
    copyFileSync(copy + suffix, path + suffix);
    chmodSync(path + suffix, 0o600);
  }
  database.close();
  damage(`${path}-wal`, 32 + 24 + 100, 32 + 24 + 300);
  rmSync(aside, { recursive: true });
}

function setExpiry(path: string, time: number): void {
  fold(path, `UPDATE token SET expires = ${time}`);
}

/** A folder with what Linux tells of its limits; `used` instances are held by one process of this user. */
function limits(
  { home }: Install,
  { watches, instances }: { watches: number; instances: number },
  used = 0,
): Seeded {
  const proc = join(home, 'proc');
  const set = (path: string, text: string) => {
    mkdirSync(join(proc, path, '..'), { recursive: true });
    writeFileSync(join(proc, path), text);
  };
  set('sys/fs/inotify/max_user_watches', `${watches}\n`);
  set('sys/fs/inotify/max_user_instances', `${instances}\n`);
  set('sys/net/ipv4/ip_unprivileged_port_start', '1024\n');
  for (let number = 0; number < used; number++) {
    set(`77/fdinfo/${number}`, 'inotify wd:1 ino:2 sdev:3\n');
    set('77/status', `Name:\teditor\nUid:\t${isRoot ? 65_534 : process.getuid?.()}\t0\t0\t0\n`);
  }
  return { sources: { proc } };
}

async function listening(
  listener: RequestListener,
  how: 'http' | 'silent' = 'http',
): Promise<{ port: number; end: () => void }> {
  const server =
    how === 'http'
      ? createServer(listener)
      : createSocketServer((socket) => socket.on('error', () => {}).end('220 mail ready\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, end: () => void server.close() };
}

async function publicServer(listener: RequestListener): Promise<Seeded> {
  const { port, end } = await listening(listener);
  return { flags: { publicUrl: `http://127.0.0.1:${port}`, oauth: true }, end };
}

function certificate(
  { home }: Install,
  fromDays: number,
  toDays: number,
  { otherKey = false, mode = 0o600, publicUrl = '' } = {},
): Seeded {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  const { cert, key } = makeCertificate(at(fromDays), at(toDays), ['localhost']);
  const [tlsCert, tlsKey] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, otherKey ? makeCertificate(at(0), at(1), ['x']).key : key);
  chmodSync(tlsKey, mode);
  if (isRoot) execFileSync('chown', ['65534', tlsKey]);
  return { flags: { tlsCert, tlsKey, ...(publicUrl !== '' && { publicUrl }) } };
}

/** What a client has in its file. */
function client(home: string, command: string, args: readonly string[]): void {
  const server = { lectern: { type: 'stdio', command, args } };
  writeClient(home, JSON.stringify({ mcpServers: server }, undefined, 2));
}

function writeClient(home: string, text: string): void {
  mkdirSync(join(home, '.cursor'), { recursive: true });
  writeFileSync(join(home, '.cursor', 'mcp.json'), text);
}
