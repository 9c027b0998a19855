import { CANVAS_BYTES } from '../budgets.ts';
import { isLecternError, LecternError } from '../errors.ts';
import type { CanvasQuery, CanvasView } from '../formats/canvas/view.ts';
import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import { closest } from '../nearest.ts';
import { fileKindOf, nameKey, normalizePath, pathKey, stem } from '../notes/path.ts';
import type { SearchHit } from '../search/types.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import type { Store, StoreEntry } from '../stores/store.ts';
import type { Access } from './access.ts';
import { canvasPlace, canvasView, type NoteWorker } from './large/note-worker.ts';
import type { OpenedCanvas } from './session.ts';

interface CanvasParts {
  readonly store: Store;
  readonly largeNotes?: Pick<NoteWorker, 'canvas' | 'canvasPlace'>;
}

/** The path of a canvas as a caller writes it: the extension is optional. */
export function canvasPath(input: string): string {
  const path = normalizePath(input);
  return fileKindOf(path) === 'attachment' ? `${path}.canvas` : path;
}

const CANVASES_LOOKED_AT = 500;

/** No file at this path: another canvas may be meant. */
export async function noSuchCanvas(
  error: unknown,
  input: string,
  reader: NoteIndexReader,
  visible: PathFilter | undefined,
): Promise<unknown> {
  if (!isLecternError(error) || error.code !== 'not_found') return error;
  const page = { limit: CANVASES_LOOKED_AT, ...(visible && { visible }) };
  const paths = (await reader.list({ kinds: ['canvas'] }, 'path', page)).items.map(({ path }) => path);
  const name = closest(
    stem(input),
    paths.map((path) => stem(path)),
  );
  const meant = paths.find((path) => stem(path) === name);
  return new LecternError('not_found', `There is no canvas at ${input}.`, {
    details: { path: input, ...(meant !== undefined && { suggestions: [meant] }) },
    next:
      meant !== undefined
        ? `Did you mean ${meant}? Call again with an exact path.`
        : paths.length === 0
          ? 'There are no canvases; canvas_write makes one.'
          : `Canvases: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ', …' : ''}.`,
  });
}

/** @throws LecternError `invalid_input` for a file that is not a canvas or is broken, with the line; `too_large` */
export async function openCanvas(
  entry: StoreEntry,
  query: CanvasQuery,
  { store, largeNotes }: CanvasParts,
): Promise<Omit<OpenedCanvas, 'files'>> {
  const { path } = entry;
  if (entry.kind !== 'canvas')
    throw new LecternError('invalid_input', `${path} is not a canvas.`, {
      details: { path, kind: entry.kind },
      next: 'Canvases end in .canvas; notes are read with note_read.',
    });
  if (entry.size > CANVAS_BYTES) throw tooLarge(path, entry.size);
  const file = await store.read(path);
  const { bytes } = file;
  const view = await canvasView({ path, bytes, query }, largeNotes).catch((error: unknown) => {
    throw ofFile(path, error);
  });
  return { path, etag: etagOfFile(file), size: bytes.length, mtimeMs: file.entry.mtimeMs, view };
}

/** The canvas is broken; the error says how. */
function ofFile(path: string, error: unknown): unknown {
  if (!isLecternError(error) || error.code !== 'invalid_input' || error.message.startsWith(path))
    return error;
  return new LecternError('invalid_input', `${path}: ${error.message}`, {
    details: { path, ...error.details },
    cause: error,
    ...(error.next !== undefined && { next: error.next }),
  });
}

/**
 * Titles of the files shown by the nodes of a view, by the path the canvas contains. Hidden files are left
 * out like missing ones.
 */
export async function filesOfView(
  { nodes, edges }: CanvasView,
  reader: NoteIndexReader,
  access: Access,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set<string>();
  for (const { fields } of nodes) if (fields.file !== undefined) wanted.add(fields.file);
  for (const { fromFile, toFile } of edges)
    for (const file of [fromFile, toFile]) if (file !== undefined) wanted.add(file);
  const found = new Map<string, string>();
  for (const path of wanted) {
    const key = pathKey(path);
    const alike = (await reader.filesNamed(nameKey(path)))
      .filter((one) => pathKey(one) === key && access.mayRead(one))
      .sort();
    const shown = alike.find((one) => one === path) ?? alike[0];
    const title = shown === undefined ? undefined : (await reader.file(shown))?.title;
    if (title !== undefined) found.set(path, title);
  }
  return found;
}

/**
 * Adds to hits in canvases the node or edge they are in, and its line in the file: the searched text is not
 * part of the file. A canvas changed since it was indexed stays as it is.
 */
export async function inCanvases(
  hits: readonly SearchHit[],
  { store, largeNotes }: CanvasParts,
): Promise<readonly SearchHit[]> {
  return Promise.all(
    hits.map(async (hit) => {
      if (fileKindOf(hit.path) !== 'canvas') return hit;
      const file = await store.read(hit.path).catch(() => undefined);
      if (file === undefined || etagOfFile(file) !== hit.etag) return hit;
      const { path, line: searched } = hit;
      const task = { path, bytes: file.bytes, line: searched };
      const place = await canvasPlace(task, largeNotes).catch(() => undefined);
      if (place === undefined) return hit;
      const { list, id, line } = place;
      // A heading above the snippet may belong to another node.
      return { ...hit, line, headings: [], ...(list === 'nodes' ? { node: id } : { edge: id }) };
    }),
  );
}

function tooLarge(path: string, size: number): LecternError {
  return new LecternError(
    'too_large',
    `${path} has ${size} bytes; canvases are read up to ${CANVAS_BYTES} bytes.`,
    {
      details: { path, size, limit: CANVAS_BYTES },
      next: 'Read it in parts as a resource, vault://{path}?offset=0&length=1048576.',
    },
  );
}
