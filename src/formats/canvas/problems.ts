import { cutText, LineIndex } from '../../notes/text.ts';
import { isCoordinate, isSize } from './geometry.ts';
import { type Canvas, type CanvasData, type CanvasItem, textOf } from './model.ts';
import { BACKGROUND_STYLES, CONTENT_KEY, ENDS, LARGEST_NUMBER, SIDES } from './node.ts';

/** A violation of JSON Canvas 1.0 in a file that is valid JSON. */
export interface CanvasProblem {
  /** 1-based line of the node or edge. */
  readonly line: number;
  readonly id: string;
  readonly message: string;
}

/** The problems of a canvas, those of nodes first, each in the order of the file. */
export function canvasProblems(canvas: Canvas): readonly CanvasProblem[] {
  const { nodes, edges, text } = canvas;
  if (nodes.length + edges.length === 0) return [];
  let lines: LineIndex | undefined;
  const lineOf = (item: CanvasItem) => {
    lines ??= new LineIndex(text);
    return lines.lineAt(item.span.start);
  };
  const firstOf = new Map<string, CanvasItem>();
  const ids = new Set(nodes.map(({ id }) => id));
  const found: CanvasProblem[] = [];
  const look = (item: CanvasItem, problems: readonly string[], what: string) => {
    const first = firstOf.get(item.id);
    if (item.id !== '' && first === undefined) firstOf.set(item.id, item);
    const twice =
      first === undefined || item.id === ''
        ? []
        : [`the id is that of another ${what}, too (line ${lineOf(first)})`];
    for (const message of [...twice, ...problems]) found.push({ line: lineOf(item), id: item.id, message });
  };
  for (const node of nodes) look(node, nodeProblems(node.data), 'node');
  for (const edge of edges) {
    const dangling = (['fromNode', 'toNode'] as const).flatMap((key) => {
      const end = textOf(edge.data, key);
      return end === undefined || ids.has(end) ? [] : [`${key} names no node: ${shown(end)}`];
    });
    look(edge, [...edgeProblems(edge.data), ...dangling], 'node or edge');
  }
  return found;
}

/** The problems of one node's own fields, as parts of a sentence. */
export function nodeProblems(data: CanvasData): readonly string[] {
  const type = textOf(data, 'type');
  const content = type === undefined ? undefined : CONTENT_KEY[type];
  return [
    ...missingText(data, 'id'),
    ...missingText(data, 'type'),
    ...['x', 'y'].flatMap((key) => (isCoordinate(data[key]) ? [] : [wrongNumber(data, key)])),
    ...['width', 'height'].flatMap((key) => (isSize(data[key]) ? [] : [wrongNumber(data, key)])),
    ...(content !== undefined && typeof data[content] !== 'string'
      ? [`${content} is ${data[content] === undefined ? 'missing' : 'no text'}`]
      : []),
    ...(type === 'file'
      ? [...wrongText(data, 'subpath'), ...notOf(data, 'subpath', isSubpath, 'a text that starts with #')]
      : []),
    ...(type === 'group'
      ? [
          ...wrongText(data, 'label'),
          ...wrongText(data, 'background'),
          ...notOneOf(data, 'backgroundStyle', BACKGROUND_STYLES),
        ]
      : []),
    ...notOf(data, 'color', isColor, 'a preset "1" to "6" or #rrggbb'),
  ];
}

/** The problems of one edge's own fields, as parts of a sentence; whether its nodes exist is not checked. */
export function edgeProblems(data: CanvasData): readonly string[] {
  return [
    ...missingText(data, 'id'),
    ...missingText(data, 'fromNode'),
    ...missingText(data, 'toNode'),
    ...notOneOf(data, 'fromSide', SIDES),
    ...notOneOf(data, 'toSide', SIDES),
    ...notOneOf(data, 'fromEnd', ENDS),
    ...notOneOf(data, 'toEnd', ENDS),
    ...wrongText(data, 'label'),
    ...notOf(data, 'color', isColor, 'a preset "1" to "6" or #rrggbb'),
  ];
}

function missingText(data: CanvasData, key: string): string[] {
  const value = data[key];
  if (typeof value === 'string' && value !== '') return [];
  return [`${key} is ${value === undefined ? 'missing' : value === '' ? 'empty' : 'no text'}`];
}

function wrongText(data: CanvasData, key: string): string[] {
  return notOf(data, key, (value) => typeof value === 'string', 'a text');
}

function wrongNumber(data: CanvasData, key: string): string {
  const value = data[key];
  if (value === undefined) return `${key} is missing`;
  if (typeof value !== 'number') return `${key} is no number`;
  if (Math.abs(value) < LARGEST_NUMBER) return `${key} is negative: ${value}`;
  return `${key} is out of range: ${value}`;
}

function notOneOf(data: CanvasData, key: string, words: readonly string[]): string[] {
  return notOf(data, key, (value) => words.some((word) => word === value), `one of ${words.join(', ')}`);
}

function notOf(data: CanvasData, key: string, isGood: (value: unknown) => boolean, wanted: string): string[] {
  const value = data[key];
  if (value === undefined || isGood(value)) return [];
  return [`${key} is not ${wanted}: ${shown(value)}`];
}

function isColor(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[1-6]|#[0-9a-f]{6}|#[0-9a-f]{3})?$/i.test(value);
}

function isSubpath(value: unknown): boolean {
  return typeof value !== 'string' || value === '' || value.startsWith('#');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${cutText(text, 59)}…`;
}
