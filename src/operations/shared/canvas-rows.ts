import * as z from 'zod';
import type { Rect } from '../../formats/canvas/geometry.ts';
import { nodeTitle } from '../../formats/canvas/node.ts';
import type { EdgeView, NodeView } from '../../formats/canvas/view.ts';

/** Nodes and edges in the output of canvas operations. Fields of JSON Canvas keep their names. */

export const rectRow = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const field = z.string().optional();
/** Keys that plugins added, with their values; keys of large values are only named. */
const extra = z.record(z.string(), z.unknown()).optional();
const extraLeftOut = z.array(z.string()).optional();

export const canvasNodeRow = z.object({
  id: z.string(),
  type: z.string(),
  /** For a file node the title of the file, else the first line of the text, the label or the address. */
  title: z.string(),
  /** Absent when the number in the file is invalid. */
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  text: field,
  /** UTF-16 code units of the whole text, when it is cut. */
  text_chars: z.number().int().optional(),
  file: field,
  subpath: field,
  /** True when the file does not exist. */
  missing: z.boolean().optional(),
  url: field,
  label: field,
  background: field,
  backgroundStyle: field,
  color: field,
  /** Ids of the groups that contain it, innermost first. */
  groups: z.array(z.string()).optional(),
  extra,
  extra_left_out: extraLeftOut,
  /** 1-based, in the file. */
  line: z.number().int(),
});

export const canvasEdgeRow = z.object({
  id: z.string(),
  fromNode: z.string(),
  /** Absent when the node does not exist. */
  from_title: field,
  fromSide: field,
  fromEnd: field,
  toNode: z.string(),
  to_title: field,
  toSide: field,
  toEnd: field,
  label: field,
  color: field,
  extra,
  extra_left_out: extraLeftOut,
  line: z.number().int(),
});

export type CanvasNodeRow = z.output<typeof canvasNodeRow>;
export type CanvasEdgeRow = z.output<typeof canvasEdgeRow>;

type Titles = ReadonlyMap<string, string>;

/** @param tellsMissing whether a file that has no title in `files` is known not to exist */
export function toNodeRow(node: NodeView, files: Titles, tellsMissing: boolean): CanvasNodeRow {
  const { id, type, rect, fields, textChars, groups, line } = node;
  const { file } = fields;
  const title = file === undefined ? undefined : files.get(file);
  return {
    id,
    type,
    title: title === undefined ? node.title : nodeTitle(fields, title),
    ...rect,
    ...fields,
    ...(textChars !== undefined && { text_chars: textChars }),
    ...(file !== undefined && title === undefined && tellsMissing && { missing: true }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...extraOf(node.extra),
    line,
  };
}

export function toEdgeRow(edge: EdgeView, files: Titles): CanvasEdgeRow {
  const fromTitle = endTitle(edge.fromTitle, edge.fromFile, edge.fromSubpath, files);
  const toTitle = endTitle(edge.toTitle, edge.toFile, edge.toSubpath, files);
  const { fromSide, fromEnd, toSide, toEnd, label, color } = edge.fields;
  return {
    id: edge.id,
    fromNode: edge.from,
    ...(fromTitle !== undefined && { from_title: fromTitle }),
    ...(fromSide !== undefined && { fromSide }),
    ...(fromEnd !== undefined && { fromEnd }),
    toNode: edge.to,
    ...(toTitle !== undefined && { to_title: toTitle }),
    ...(toSide !== undefined && { toSide }),
    ...(toEnd !== undefined && { toEnd }),
    ...(label !== undefined && { label }),
    ...(color !== undefined && { color }),
    ...extraOf(edge.extra),
    line: edge.line,
  };
}

function endTitle(
  own: string | undefined,
  file: string | undefined,
  subpath: string | undefined,
  files: Titles,
): string | undefined {
  const title = file === undefined ? undefined : files.get(file);
  return title === undefined ? own : nodeTitle({ file, subpath }, title);
}

const LARGEST_EXTRA = 1000;

function extraOf(all: Readonly<Record<string, unknown>>): Pick<CanvasNodeRow, 'extra' | 'extra_left_out'> {
  const kept: [string, unknown][] = [];
  const left: string[] = [];
  for (const [key, value] of Object.entries(all)) {
    // JSON cannot represent this number; the problems report it.
    if (typeof value === 'number' && !Number.isFinite(value)) continue;
    if ((JSON.stringify(value) ?? '').length <= LARGEST_EXTRA) kept.push([key, value]);
    else left.push(key);
  }
  return {
    ...(kept.length > 0 && { extra: Object.fromEntries(kept) }),
    ...(left.length > 0 && { extra_left_out: left }),
  };
}

export function rectText({ x, y, width, height }: Rect): string {
  return `${width}x${height} at ${x},${y}`;
}

/** One line, followed by the text of a node unless the title is all of it. */
export function nodeText(row: CanvasNodeRow): string {
  const { x, y, width, height, text } = row;
  const isPlaced = x !== undefined && y !== undefined && width !== undefined && height !== undefined;
  const facts = [
    row.file === undefined ? undefined : `${row.file}${row.subpath ?? ''}${row.missing ? ' [missing]' : ''}`,
    row.url,
    row.background && `background ${row.background}`,
    row.backgroundStyle,
    row.color && `color ${row.color}`,
    row.groups && `in ${row.groups.join(' < ')}`,
    row.text_chars && `text cut, ${row.text_chars} characters`,
    row.extra && JSON.stringify(row.extra),
    row.extra_left_out && `left out: ${row.extra_left_out.join(', ')}`,
    `line ${row.line}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  const where = isPlaced ? ` ${rectText({ x, y, width, height })}` : '';
  const head = `${row.id} ${row.type}${where} "${row.title}" (${facts.join('; ')})`;
  if (text === undefined || text === '' || text === row.title) return head;
  return `${head}\n${text.replace(/^(?=.)/gm, '    ')}`;
}

export function edgeText(row: CanvasEdgeRow): string {
  const end = (id: string, title: string | undefined, side: string | undefined, shape: string | undefined) =>
    `${id}${title === undefined ? ' [no such node]' : ` "${title}"`}${side === undefined ? '' : ` ${side}`}${shape === undefined ? '' : ` ${shape}`}`;
  const from = end(row.fromNode, row.from_title, row.fromSide, row.fromEnd);
  const to = end(row.toNode, row.to_title, row.toSide, row.toEnd);
  const facts = [
    row.color && `color ${row.color}`,
    row.extra && JSON.stringify(row.extra),
    row.extra_left_out && `left out: ${row.extra_left_out.join(', ')}`,
    `line ${row.line}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  const label = row.label === undefined ? '' : ` "${row.label}"`;
  return `${row.id} edge ${from} → ${to}${label} (${facts.join('; ')})`;
}
