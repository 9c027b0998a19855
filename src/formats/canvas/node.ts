import { stem } from '../../notes/path.ts';
import { singleSpaced } from '../../notes/structure/single-spaced.ts';
import { cutText } from '../../notes/text.ts';
import { type CanvasData, textOf } from './model.ts';

/** Keys and values of nodes and edges by JSON Canvas 1.0 (jsoncanvas.org/spec/1.0). */

export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export const ENDS = ['none', 'arrow'] as const;
export const BACKGROUND_STYLES = ['cover', 'ratio', 'repeat'] as const;

export type Side = (typeof SIDES)[number];

/** Keys of nodes in the order in which Obsidian writes them. */
export const NODE_KEYS = [
  'id',
  'type',
  'text',
  'file',
  'subpath',
  'url',
  'x',
  'y',
  'width',
  'height',
  'color',
  'label',
  'background',
  'backgroundStyle',
] as const;

/** Keys of edges in the order in which Obsidian writes them. */
export const EDGE_KEYS = [
  'id',
  'fromNode',
  'fromSide',
  'fromEnd',
  'toNode',
  'toSide',
  'toEnd',
  'color',
  'label',
] as const;

/** Keys that only nodes of one type have, by type. */
export const KEYS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  file: ['file', 'subpath'],
  link: ['url'],
  group: ['label', 'background', 'backgroundStyle'],
};

/** The required content key of each type. */
export const CONTENT_KEY: Readonly<Record<string, string>> = { text: 'text', file: 'file', link: 'url' };

/**
 * Exclusive limit of the absolute value of coordinates and sizes; sums below it are exact in every language.
 */
export const LARGEST_NUMBER = 1e9;

const TITLE_LENGTH = 80;

/**
 * A node's title on one line of at most 80 characters: its file's title and subpath, the first line of its
 * text, its label or its URL; empty when it has none of these.
 *
 * @param fileTitle title of the file it shows; without one the file's name is used
 */
export function nodeTitle(data: CanvasData, fileTitle?: string): string {
  const file = textOf(data, 'file');
  if (file !== undefined)
    return clipped(`${fileTitle ?? stem(file)}${subpathTitle(textOf(data, 'subpath'))}`);
  const text = textOf(data, 'text');
  if (text !== undefined) return clipped(firstLine(text));
  return clipped(textOf(data, 'label') ?? textOf(data, 'url') ?? '');
}

function subpathTitle(subpath: string | undefined): string {
  return subpath === undefined || subpath === '' ? '' : ` › ${subpath.replace(/^#\^?/, '')}`;
}

function firstLine(text: string): string {
  const line = /\S[^\r\n]*/.exec(text)?.[0] ?? '';
  return line.slice(0, 4 * TITLE_LENGTH).replace(/^(?:#{1,6}|[-*+>])[ \t]+/, '');
}

function clipped(text: string): string {
  const line = singleSpaced(text).trim();
  if (line.length <= TITLE_LENGTH) return line;
  return `${cutText(line, TITLE_LENGTH - 1)}…`;
}
