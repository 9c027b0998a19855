import { type ErrorCode, LecternError } from '../../src/errors.ts';
import { readablePathProblem } from '../../src/notes/path.ts';
import type { Placement, Store, StoreChanges, StoredFile, StoreEntry } from '../../src/stores/store.ts';

/** A store on the server of note-server.ts: what a second remote home of notes takes, and no more. */
export function openRemoteStore(base: string): Store {
  const ask = async (method: string, path: string, given: Asked = {}): Promise<Response> => {
    const url = new URL(encodeURIComponent(path), base);
    for (const [key, value] of Object.entries(given.query ?? {}))
      if (value !== undefined) url.searchParams.set(key, value);
    const response = await fetch(url, {
      method,
      headers: { ...given.headers },
      ...(given.body !== undefined && { body: Buffer.from(given.body) }),
    }).catch((cause: unknown) => {
      throw new LecternError('unavailable', 'The server of the notes does not answer.', {
        cause,
        next: 'Start it.',
      });
    });
    if (response.ok) return response;
    if (response.status !== 409)
      throw new LecternError('unavailable', `The server of the notes answers ${response.status}.`, {
        next: 'Try again.',
      });
    const { code, message } = (await response.json()) as { code: ErrorCode; message: string };
    throw new LecternError(code, message, { details: { path } });
  };
  const json = async <T>(method: string, path: string, given?: Asked) =>
    (await (await ask(method, path, given)).json()) as T;
  const read = async (path: string): Promise<StoredFile> => {
    check(path);
    const response = await ask('GET', path);
    const entry = JSON.parse(decodeURIComponent(response.headers.get('x-entry') ?? '')) as StoreEntry;
    return { entry, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  return {
    kind: 'remote',
    location: base,
    capabilities: { watch: false, ids: true, facts: true },
    async list(prefix, signal) {
      signal?.throwIfAborted();
      return {
        entries: await json<StoreEntry[]>('PROPFIND', '', { query: { below: prefix } }),
        problems: [],
      };
    },
    async stat(path) {
      check(path);
      return (await json<StoreEntry | null>('PROPFIND', path, { query: { do: 'entry' } })) ?? undefined;
    },
    read,
    readMany: (paths) => Promise.all(paths.map(read)),
    topNames: () => json<string[]>('PROPFIND', '', { query: { do: 'top' } }),
    async readSetting(path) {
      const response = await ask('GET', path, { query: { do: 'setting' } });
      return response.status === 204 ? undefined : new Uint8Array(await response.arrayBuffer());
    },
    async placeFor(path) {
      check(path);
      const { path: place, madeFolder } = await json<Placement>('PROPFIND', path, { query: { do: 'place' } });
      return { path: place, madeFolder };
    },
    async create(path, bytes, origin = {}) {
      check(path);
      const headers = { 'x-origin': encodeURIComponent(JSON.stringify(origin)) };
      return json<StoreEntry>('PUT', path, { body: bytes, headers });
    },
    async replace(path, bytes, { expectedEtag }) {
      check(path);
      return json<StoreEntry>('PUT', path, { body: bytes, headers: { 'if-match': expectedEtag } });
    },
    async setFacts(path, facts, { expectedEtag }) {
      check(path);
      const body = new TextEncoder().encode(JSON.stringify(facts));
      return json<StoreEntry>('PROPPATCH', path, { body, headers: { 'if-match': expectedEtag } });
    },
    async move(from, to) {
      check(from, to);
      return json<StoreEntry>('MOVE', from, { headers: { destination: encodeURIComponent(to) } });
    },
    async moveFolder(from, to) {
      check(from, to);
      await json('MOVE', from, { query: { do: 'folder' }, headers: { destination: encodeURIComponent(to) } });
    },
    async pruneFolders() {
      // The server has no empty folders.
    },
    async trash(path) {
      check(path);
      return json<{ trashPath: string }>('DELETE', path);
    },
    async remove(path, { expectedEtag }) {
      check(path);
      await json('DELETE', path, { query: { do: 'finally' }, headers: { 'if-match': expectedEtag } });
    },
    listTrash: () => json('PROPFIND', '', { query: { do: 'trash' } }),
    async restore(trashPath, to) {
      check(to);
      return json<StoreEntry>('MOVE', trashPath, {
        query: { do: 'restore' },
        headers: { destination: encodeURIComponent(to) },
      });
    },
    async changesSince(cursor) {
      return (
        (await json<StoreChanges | null>('PROPFIND', '', { query: { do: 'changes', since: cursor } })) ??
        undefined
      );
    },
    async watch() {
      throw new LecternError('unavailable', 'The server cannot be watched.');
    },
    async close() {},
  };
}

interface Asked {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

function check(...paths: readonly string[]): void {
  for (const path of paths) {
    const problem = readablePathProblem(path);
    if (problem !== undefined)
      throw new LecternError('invalid_path', `${JSON.stringify(path)} ${problem.reason}.`, {
        next: problem.next,
      });
  }
}
