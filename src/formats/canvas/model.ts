import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import type { Span } from '../../notes/model.ts';
import { lineAndColumn } from '../../notes/text.ts';
import { type JsonPlaces, jsonPlaces } from '../json-places.ts';
import { type JsonObject, type JsonString, member, parseJsonAt } from '../json-spans.ts';

/**
 * A parsed JSON Canvas 1.0 file (jsoncanvas.org/spec/1.0). All spans are UTF-16 code units of `Canvas.text`.
 */
export interface Canvas {
  readonly text: string;
  /** In ascending z-order. */
  readonly nodes: readonly CanvasItem[];
  readonly edges: readonly CanvasItem[];
  /** Spans of members and entries; undefined for an empty file, which Obsidian reads as an empty canvas. */
  readonly places: JsonPlaces | undefined;
}

/** A node or an edge as it is in the file. */
export interface CanvasItem {
  /** Empty when missing or not a text. */
  readonly id: string;
  /** A node's `text`, `file`, `link`, `group`, or a type of an extension; empty for an edge. */
  readonly type: string;
  /** The object, braces included. */
  readonly span: Span;
  /** Every field as plain JSON, unknown ones included. */
  readonly data: CanvasData;
}

export type CanvasData = Readonly<Record<string, unknown>>;

/** The two lists of a canvas. */
export type CanvasList = 'nodes' | 'edges';

/**
 * Parses a canvas. Unknown fields are kept; invalid values of fields are left to `canvasProblems`.
 *
 * @throws LecternError `invalid_input` for broken JSON and for a document that is no canvas, with
 *   `details: { offset, line, column }`
 */
export function parseCanvas(text: string): Canvas {
  if (isEmptyText(text)) return { text, nodes: [], edges: [], places: undefined };
  const places = jsonPlaces(text, 'The canvas', ['nodes', 'edges']);
  const { value } = places;
  if (!isRecord(value)) throw notCanvas(text, 'its top level is not an object', places.span.start);
  return { text, nodes: itemsOf(text, places, 'nodes'), edges: itemsOf(text, places, 'edges'), places };
}

/** Whether a text of less than 1,000 characters is only white space, with or without a byte order mark. */
export function isEmptyText(text: string): boolean {
  return text.length < 1000 && /^\ufeff?\s*$/.test(text);
}

/** A text field of a node or edge with its span; undefined when it is missing or not a text. */
export function textField({ text }: Canvas, { span }: CanvasItem, key: string): JsonString | undefined {
  const value = member(parseJsonAt(text, span.start) as JsonObject, key);
  return value?.kind === 'string' ? value : undefined;
}

/** The value of a text field; undefined when it is missing or not a text. */
export function textOf(data: CanvasData, key: string): string | undefined {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
}

function itemsOf(text: string, { value, lists, members }: JsonPlaces, key: CanvasList): CanvasItem[] {
  const list = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (list === undefined) return [];
  const spans = lists.get(key);
  if (!Array.isArray(list) || spans === undefined) {
    const place = members.findLast((one) => one.key === key);
    throw notCanvas(text, `its "${key}" is not a list`, place?.value.start ?? 0);
  }
  return list.map((data: unknown, at) => {
    const span = spans[at] ?? { start: 0, end: 0 };
    if (!isRecord(data)) throw notCanvas(text, `an entry of "${key}" is not an object`, span.start);
    return { id: textOf(data, 'id') ?? '', type: textOf(data, 'type') ?? '', span, data };
  });
}

function notCanvas(text: string, reason: string, offset: number): LecternError {
  const { line, column } = lineAndColumn(text, offset);
  return new LecternError(
    'invalid_input',
    `The file is not a canvas: ${reason} (line ${line}, column ${column}).`,
    {
      details: { offset, line, column },
      next: 'Repair the file in an editor first; nothing was changed.',
    },
  );
}
