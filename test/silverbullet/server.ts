import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** Which server of SilverBullet 2 is spoken: they answer the same requests differently. */
export type Generation = 'deno' | 'go' | 'rust';

export interface Faults {
  /** ms before each answer. */
  slow?: number;
  /** The connection ends after a write took effect and before it is answered; `torn`: half of the bytes are written. */
  cut?: 'after' | 'before' | 'torn' | undefined;
  /** Answers with this status. */
  status?: number | undefined;
  readOnly?: boolean;
  /** The listing is the one of when this was set. */
  staleListing?: boolean;
  /** ms by which the server's clock is off. */
  skew?: number;
  /** Half of the bytes of an answer, under the length of the whole. */
  halfAnswers?: boolean;
  /** Connections are taken and nothing is ever said, or they are ended at once. */
  dead?: 'hangs' | 'resets' | undefined;
  /** Somebody else removes a file right before it is to be removed. */
  forestalled?: boolean;
  /** All writes are of one time, as within a millisecond. */
  still?: boolean;
}

export interface Space {
  readonly url: string;
  readonly files: Map<string, { bytes: Buffer; created: number; modified: number }>;
  faults: Faults;
  /** Requests so far, as `GET /.fs/a.md`. */
  readonly requests: string[];
  /** Every session ends; programs have to log in again. */
  endSessions(): void;
  /** Another program writes or removes a file. */
  write(path: string, text: string | Uint8Array): void;
  remove(path: string): void;
  close(): Promise<void>;
}

export interface SpaceOptions {
  readonly generation: Generation;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** `SB_AUTH_TOKEN`. */
  readonly token?: string;
  /** `SB_USER`. */
  readonly user?: string;
  /** Path of the space, as servers of several spaces have one. */
  readonly prefix?: string;
}

/** A server that answers `/.fs` as SilverBullet does, over a real socket. */
export async function startSpace(options: SpaceOptions): Promise<Space> {
  const { generation, prefix = '' } = options;
  const files: Space['files'] = new Map();
  const requests: string[] = [];
  const streams = new Set<ServerResponse>();
  let sessions = new Set<string>();
  let last = 0;
  let stale: string | undefined;
  // No two writes have one time: what the real disk does as well, but for the same millisecond.
  const now = () => {
    if (state.faults.still) return last;
    last = Math.max(last + 1, Date.now() + (state.faults.skew ?? 0));
    return last;
  };
  const tell = (name: string, action: string) => {
    const event = { name, action, lastModified: files.get(name)?.modified ?? 0 };
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const write = (path: string, bytes: Buffer, modified = now()) => {
    files.set(path, { bytes, created: files.get(path)?.created ?? modified, modified });
    tell(path, 'write');
  };
  const remove = (path: string) => {
    files.delete(path);
    tell(path, 'delete');
  };
  const item = (name: string) => {
    const file = files.get(name);
    return (
      file && {
        name,
        created: file.created,
        lastModified: file.modified,
        contentType: name.endsWith('.md') ? 'text/markdown' : 'application/octet-stream',
        size: file.bytes.length,
        perm: 'rw',
      }
    );
  };
  const listing = () => {
    const shown = [...files.keys()].filter(
      (name) => !name.split('/').some((part) => part.startsWith('.')) && /\.[^./]+$/.test(name),
    );
    const plug = {
      name: '_plug/core.plug.js',
      created: 0,
      lastModified: 0,
      contentType: 'application/javascript',
      size: -1,
      perm: 'ro',
    };
    return JSON.stringify([...shown.map(item), plug]);
  };
  const headersOf = (path: string): Record<string, string> => {
    const meta = item(path);
    return {
      'Content-Type': generation === 'rust' ? 'application/octet-stream' : (meta?.contentType ?? ''),
      'X-Last-Modified': String(meta?.lastModified),
      'X-Created': String(meta?.created),
      'X-Permission': 'rw',
      'X-Content-Length': String(meta?.size),
      'Cache-Control': 'no-cache',
      ...(generation !== 'deno' && { 'X-Content-Type': meta?.contentType ?? '' }),
    };
  };
  const isLetIn = (request: IncomingMessage) => {
    if (options.user === undefined) return true;
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return bearer === options.token;
    const session = /auth_sb=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
    return session !== undefined && sessions.has(session);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error as Error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { faults } = state;
    const url = (request.url ?? '/').split('?', 1)[0] ?? '/';
    requests.push(`${request.method} ${url}`);
    const body = await bodyOf(request);
    if (faults.dead === 'resets') return request.socket.destroy();
    if (faults.dead === 'hangs') return undefined;
    if (faults.slow) await delay(faults.slow);
    if (!url.startsWith(`${prefix}/`)) return response.writeHead(302, { Location: '/' }).end();
    const path = url.slice(prefix.length);
    if (faults.status !== undefined) return response.writeHead(faults.status).end('Something is wrong');
    if (path === '/.auth' && request.method === 'POST') {
      const form = new URLSearchParams(body.toString());
      if (`${form.get('username')}:${form.get('password')}` !== options.user)
        return response.writeHead(401).end();
      const session = `s${sessions.size + 1}x${Date.now()}`;
      sessions.add(session);
      return response
        .writeHead(302, { Location: '/', 'Set-Cookie': `auth_sb=${session}; Path=/; HttpOnly` })
        .end();
    }
    if (path === '/.ping' && generation !== 'deno')
      return response.writeHead(200, { 'X-Space-Path': '/space' }).end('OK');
    if (!isLetIn(request)) {
      const isWrong = request.headers.authorization !== undefined;
      if (isWrong) return response.writeHead(401).end('Unauthorized');
      return response
        .writeHead(401, { Location: `${prefix}/.auth` })
        .end(generation === 'rust' ? 'Unauthorized' : '');
    }
    if (path === '/.ping') return response.writeHead(200).end('OK');
    if (path === '/.config')
      return json(response, {
        readOnly: faults.readOnly ?? false,
        spaceFolderPath: '/space',
        indexPage: 'index',
      });
    if (path === '/.events' && generation === 'rust') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': open\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return undefined;
    }
    if (path === '/.fs') {
      if (generation !== 'rust' && request.headers['x-sync-mode'] === undefined)
        return response.writeHead(generation === 'deno' ? 302 : 307, { Location: '/' }).end();
      if (!faults.staleListing) stale = undefined;
      else stale ??= listing();
      const text = stale ?? listing();
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Space-Path': '/space' });
      return response.end(faults.halfAnswers ? text.slice(0, text.length / 2) : text);
    }
    if (!path.startsWith('/.fs/')) return response.writeHead(404).end();
    const name = path.slice('/.fs/'.length).split('/').map(decodeURIComponent).join('/');
    const absent = generation === 'deno' ? '404 Not Found' : '404 page not found\n';
    if (request.method === 'GET') {
      const file = files.get(name);
      if (file === undefined) return response.writeHead(404).end(absent);
      if (request.headers['x-get-meta'] !== undefined) return response.writeHead(200, headersOf(name)).end();
      const half = faults.halfAnswers ? file.bytes.subarray(0, file.bytes.length / 2) : file.bytes;
      if (generation !== 'rust') return response.writeHead(200, headersOf(name)).end(half);
      const packed = { ...headersOf(name), 'Content-Encoding': 'gzip', Vary: 'Accept, Accept-Encoding' };
      return response.writeHead(200, packed).end(gzipSync(half));
    }
    if (faults.readOnly)
      return response.writeHead({ deno: 405, go: 500, rust: 403 }[generation]).end('Read only');
    const bad =
      name.includes('../') || (generation === 'deno' && (/(^|\/)\./.test(name) || !/\.[^./]+$/.test(name)));
    if (bad) return response.writeHead(generation === 'rust' ? 403 : 500).end('Write failed');
    if (request.method === 'PUT') {
      if (faults.cut === 'before') return request.socket.destroy();
      const given = Number(request.headers['x-last-modified'] ?? 0);
      const modified = generation !== 'deno' && given > 0 ? given : now();
      if (faults.cut === 'torn') {
        state.faults = { ...faults, cut: undefined };
        write(name, body.subarray(0, body.length / 2));
        return request.socket.destroy();
      }
      write(name, body, modified);
      if (faults.cut === 'after') return request.socket.destroy();
      return response.writeHead(200, headersOf(name)).end('OK');
    }
    if (request.method === 'DELETE') {
      if (faults.forestalled) remove(name);
      if (!files.has(name)) return response.writeHead(generation === 'deno' ? 500 : 404).end(absent);
      remove(name);
      if (faults.cut === 'after') return request.socket.destroy();
      return response.writeHead(200).end('OK');
    }
    return response.writeHead(405).end();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: Space = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    files,
    faults: {},
    requests,
    endSessions() {
      sessions = new Set();
    },
    write: (path, text) => write(path, Buffer.from(text)),
    remove,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  for (const [path, content] of Object.entries(options.files ?? {})) write(path, Buffer.from(content));
  return state;
}

function json(response: ServerResponse, value: object): ServerResponse {
  return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
