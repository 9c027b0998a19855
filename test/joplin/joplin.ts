import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installPinned } from '../../scripts/pinned.mjs';
import { asciiJson } from '../../src/stores/joplin/api.ts';
import { inParallel } from '../../src/stores/turns.ts';

const LAUNCHER = fileURLToPath(new URL('launch.cjs', import.meta.url));
const APP = fileURLToPath(new URL('../joplin-app', import.meta.url));
const TOKEN = 'token-of-the-tests';
const START_MS = 60_000;

/** A Joplin of its own, with an empty profile. */
export interface Joplin {
  readonly url: string;
  readonly token: string;
  /** Calls the Data API as another program would. */
  call<T = unknown>(method: string, path: string, json?: object): Promise<T>;
  /** All pages of a listing. */
  all<T = unknown>(path: string): Promise<readonly T[]>;
  /** Makes notes and attachments by path, notebooks included. */
  seed(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  /** The owner's answer to a program that asked for the token. */
  answer(accept: boolean): void;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again on the same profile and port, unless it runs. */
  restart(): Promise<void>;
  /** Ends it and starts another one there, with an empty profile. */
  swap(): Promise<void>;
  /** Ends it, does something to its database that the Data API cannot, and starts it again. */
  change(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Installs Joplin when it is not yet in the cache: some 300 MB, and SQLite is compiled. */
export function installJoplin(): Promise<string> {
  return installPinned(APP, ['sqlite3']);
}

/** In CI nothing may be missing; elsewhere there may be no network. */
export const hasJoplin = await installJoplin().then(
  () => true,
  (error: Error) => {
    if (process.env.CI) throw error;
    console.log(`skipped: the tests on a real Joplin (${error.message})`);
    return false;
  },
);

/**
 * @param imported a folder of Markdown, which becomes a notebook of its name before the server starts
 * @param kept where the profile with it is kept, as Joplin imports some ten notes in a second; taken from there when it is
 */
export async function startJoplin(imported?: string, kept?: string): Promise<Joplin> {
  const folder = await installJoplin();
  const port = await freePort();
  const main = join(folder, 'node_modules', 'joplin', 'main.js');
  const profiles: string[] = [];
  const newProfile = () => {
    const made = mkdtempSync(join(tmpdir(), 'lectern-joplin-'));
    profiles.push(made);
    // What `joplin config` would write, which takes a start of Joplin for each value.
    writeFileSync(join(made, 'settings.json'), JSON.stringify({ 'api.token': TOKEN, 'api.port': port }));
    return made;
  };
  let profile = newProfile();
  const database = (place: string) => join(place, 'database.sqlite');
  if (kept !== undefined && existsSync(database(kept))) copyFileSync(database(kept), database(profile));
  else if (imported !== undefined) {
    await promisify(execFile)(process.execPath, [
      ...[main, '--profile', profile],
      ...['import', '--format', 'md_frontmatter', imported],
    ]);
    if (kept !== undefined) {
      mkdirSync(kept, { recursive: true });
      copyFileSync(database(profile), database(kept));
    }
  }
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(process.execPath, [LAUNCHER, folder, profile], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const until = Date.now() + START_MS;
    while (!(await answers(url))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error('Joplin did not start.');
      await delay(100);
    }
  };
  const kill = async () => {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  const send = async <T>(method: string, path: string, body?: string | FormData) => {
    const at = new URL(`${url}/${path}`);
    at.searchParams.set('token', TOKEN);
    const response = await fetch(at, { method, ...(body && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const call = <T>(method: string, path: string, json?: object) =>
    send<T>(method, path, json && asciiJson(json));
  return {
    url,
    token: TOKEN,
    call,
    async all<T>(path: string) {
      const found: T[] = [];
      const query = path.includes('?') ? '&' : '?';
      for (let page = 1; ; page++) {
        const answer = await call<{ items: readonly T[]; has_more: boolean }>(
          'GET',
          `${path}${query}page=${page}`,
        );
        found.push(...answer.items);
        if (!answer.has_more || answer.items.length === 0) return found;
      }
    },
    async seed(files) {
      const notebooks = new Map<string, string>();
      const notebook = async (path: string): Promise<string> => {
        const there = notebooks.get(path);
        if (path === '' || there !== undefined) return there ?? '';
        const parent_id = await notebook(posix.dirname(path).replace(/^\.$/, ''));
        const made = await call<{ id: string }>('POST', 'folders', {
          parent_id,
          title: posix.basename(path),
        });
        notebooks.set(path, made.id);
        return made.id;
      };
      // Notebooks first, one after the other, as each is made in the one above.
      for (const path of Object.keys(files)) if (path.endsWith('.md')) await notebook(posix.dirname(path));
      await inParallel(Object.entries(files), 6, async ([path, content]) => {
        if (path.endsWith('.md')) {
          const body =
            typeof content === 'string'
              ? content
              : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
          const parent_id = await notebook(posix.dirname(path));
          await call('POST', 'notes', { parent_id, title: posix.basename(path, '.md'), body });
          return;
        }
        const form = new FormData();
        form.set('data', new Blob([Buffer.from(content)]), posix.basename(path));
        form.set('props', JSON.stringify({ title: `/${path}` }));
        await send('POST', 'resources', form);
      });
    },
    answer: (accept) => void child.send({ accept }),
    kill,
    restart: async () => {
      if (!(await answers(url))) await start();
    },
    async swap() {
      profile = newProfile();
      await kill();
      await start();
    },
    async change(sql) {
      const { Database } = createRequire(join(folder, 'package.json'))('sqlite3');
      const database = new Database(join(profile, 'database.sqlite'));
      const run = promisify(database.exec.bind(database)) as (text: string) => Promise<void>;
      const first = promisify(database.get.bind(database)) as (text: string) => Promise<{ notes: number }>;
      // Joplin answers before it commits, and what it has not committed is lost with the kill.
      const { length } = await (this as Joplin).all('notes?fields=id');
      const committed = 'SELECT count(*) AS notes FROM notes WHERE deleted_time = 0 AND is_conflict = 0';
      for (const end = Date.now() + START_MS; (await first(committed)).notes !== length; await delay(20))
        if (Date.now() > end) throw new Error('Joplin does not commit its notes.');
      await kill();
      await run(sql);
      await promisify(database.close.bind(database))();
      await start();
    },
    async close() {
      await kill();
      for (const made of profiles) rmSync(made, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/ping`).catch(() => undefined);
  return response?.ok ?? false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
