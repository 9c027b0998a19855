import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLecternError } from '../../src/errors.ts';
import type { FactChanges, StoreChange } from '../../src/stores/store.ts';
import { type MemoryStore, openMemoryStore } from '../doubles/memory-store.ts';

/**
 * A server that keeps notes behind a socket, in the manner of WebDAV: GET, PUT with If-Match, MOVE, DELETE, PROPFIND for
 * listings, PROPPATCH for facts beside the text, and a feed of changes by cursor. Notes have ids and facts.
 */
export interface NoteServer {
  readonly url: string;
  /** The same notes as another client of the server sees them. */
  readonly notes: MemoryStore;
  /** While true every request is answered with 503. */
  away: boolean;
  requests: number;
  close(): Promise<void>;
}

export async function startNoteServer(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  maxBytes?: number,
): Promise<NoteServer> {
  const notes = openMemoryStore({ files, facts: true, ...(maxBytes !== undefined && { maxBytes }) });
  const log: StoreChange[] = [];
  notes.shared.listeners.add((change) => void log.push(change));
  const server: Server = createServer((request, response) => {
    state.requests++;
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      if (state.away) return void response.writeHead(503).end();
      await route(request, response);
    } catch (error) {
      if (!isLecternError(error)) return void response.writeHead(500).end(String(error));
      const { code, message } = error;
      response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message }));
    }
  };
  const route = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const path = decodeURIComponent(url.pathname.slice(1));
    const header = (name: string) => String(request.headers[name] ?? '');
    const json = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
    const destination = decodeURIComponent(header('destination'));
    switch (`${request.method} ${url.searchParams.get('do') ?? ''}`.trim()) {
      case 'PROPFIND':
        return json((await notes.list(url.searchParams.get('below') ?? '')).entries);
      case 'PROPFIND entry':
        return json(await notes.stat(path));
      case 'PROPFIND place':
        return json(await notes.placeFor(path));
      case 'PROPFIND top':
        return json(await notes.topNames());
      case 'PROPFIND trash':
        return json(await notes.listTrash());
      case 'PROPFIND changes': {
        const since = url.searchParams.get('since');
        if (since !== null && !(Number(since) >= 0 && Number(since) <= log.length)) return json(undefined);
        return json({ changes: since === null ? [] : log.slice(Number(since)), cursor: String(log.length) });
      }
      case 'GET': {
        const { entry, bytes } = await notes.read(path);
        return response.writeHead(200, { 'x-entry': encodeURIComponent(JSON.stringify(entry)) }).end(bytes);
      }
      case 'GET setting': {
        const bytes = await notes.readSetting(path);
        return bytes === undefined ? response.writeHead(204).end() : response.writeHead(200).end(bytes);
      }
      case 'PUT': {
        const bytes = await bodyOf(request);
        const etag = header('if-match');
        if (etag) return json(await notes.replace(path, bytes, { expectedEtag: etag }));
        return json(await notes.create(path, bytes, JSON.parse(decodeURIComponent(header('x-origin')))));
      }
      case 'PROPPATCH': {
        const facts = JSON.parse(new TextDecoder().decode(await bodyOf(request))) as FactChanges;
        return json(await notes.setFacts?.(path, facts, { expectedEtag: header('if-match') }));
      }
      case 'MOVE':
        return json(await notes.move(path, destination));
      case 'MOVE folder':
        return json(await notes.moveFolder(path, destination));
      case 'MOVE restore':
        return json(await notes.restore(path, destination));
      case 'DELETE':
        return json(await notes.trash(path));
      case 'DELETE finally':
        return json(await notes.remove(path, { expectedEtag: header('if-match') }));
      default:
        return response.writeHead(405).end();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: NoteServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    notes,
    away: false,
    requests: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await notes.close();
    },
  };
  return state;
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}
