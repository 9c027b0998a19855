import { stem } from '../../notes/path.ts';
import { singleSpaced } from '../../notes/structure/single-spaced.ts';
import { cutText } from '../../notes/text.ts';
import { type CanvasData, textOf } from './model.ts';

/** What the keys of a node and an edge mean, by JSON Canvas 1.0. */

export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export const ENDS = ['none', 'arrow'] as const;
export const BACKGROUND_STYLES = ['cover', 'ratio', 'repeat'] as const;

export type Side = (typeof SIDES)[number];

/** Keys of every node, in the order in which Obsidian writes them, those of its type behind `type`. */
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

/** Keys that only nodes of one type have. */
export const KEYS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  file: ['file', 'subpath'],
  link: ['url'],
  group: ['label', 'background', 'backgroundStyle'],
};

/** The key that a node of a type cannot do without. */
export const CONTENT_KEY: Readonly<Record<string, string>> = { text: 'text', file: 'file', link: 'url' };

/** Coordinates and sizes are less than this, so that a sum of two is exact everywhere. */
export const LARGEST_NUMBER = 1e9;

const TITLE_LENGTH = 80;

/**
 * What a node is called in one line: the first line of its text, the name of its file, its address or its label.
 *
 * @param fileTitle title of the file it shows, where that is known
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
