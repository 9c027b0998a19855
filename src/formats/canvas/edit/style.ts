import { detectEol } from '../../../notes/text.ts';
import { type JsonObject, parseJsonAt } from '../../json-spans.ts';
import { type Canvas, type CanvasItem, type CanvasList, isEmptyText } from '../model.ts';
import {
  compact,
  type ListLayout,
  layoutOf,
  layoutOfMembers,
  type ObjectLayout,
  spaceAfter,
  spread,
  type TextLayout,
} from './layout.ts';

/** The formatting of a canvas file, so that added text matches it. */
export interface CanvasStyle {
  readonly text: TextLayout;
  readonly root: ObjectLayout;
  /** The text between the entries of a list. */
  list(list: CanvasList): ListLayout;
  /** The layout of an object of a list, and the order of its keys. */
  object(list: CanvasList, type: string): { readonly layout: ObjectLayout; readonly keys: readonly string[] };
}

/** One level of Obsidian's indentation. */
const TAB = '\t';

/**
 * Detects the style of a canvas from its nodes and edges, or else from its outer braces; an empty file gets
 * Obsidian's style.
 */
export function styleOf(canvas: Canvas): CanvasStyle {
  const { text, places } = canvas;
  const root = rootLayout(canvas);
  const unit = unitOf(root) ?? TAB;
  const isSpread = /[\r\n]/.test(root.open);
  const samples = new Map<string, CanvasItem | undefined>();

  const sampleOf = (list: CanvasList, type: string): CanvasItem | undefined => {
    const key = `${list} ${type}`;
    if (!samples.has(key)) {
      const items = canvas[list].filter(({ data }) => Object.keys(data).length > 0);
      samples.set(key, items.findLast((item) => item.type === type) ?? items.at(-1));
    }
    return samples.get(key);
  };
  const objectOf = (item: CanvasItem) => parseJsonAt(text, item.span.start) as JsonObject;

  return {
    text: { ascii: isAscii(text), unit },
    root,
    list(list) {
      for (const name of [list, list === 'nodes' ? 'edges' : 'nodes']) {
        const entries = places?.lists.get(name) ?? [];
        const span = places?.members.findLast(({ key }) => key === name)?.value;
        const [first, second] = entries;
        const last = entries.at(-1);
        if (span === undefined || first === undefined || last === undefined) continue;
        const open = text.slice(span.start + 1, first.start);
        const space = spaceAfter(root.colon);
        return {
          open,
          between:
            second === undefined ? `,${open === '' ? space : open}` : text.slice(first.end, second.start),
          close: text.slice(last.end, span.end - 1),
        };
      }
      return isSpread ? spread(eolOf(text), unit, unit, root.colon) : compact(root.colon);
    },
    object(list, type) {
      const own = sampleOf(list, type);
      const other = own ?? sampleOf(list === 'nodes' ? 'edges' : 'nodes', '');
      const object = other && objectOf(other);
      const layout = object && layoutOf(text, object);
      const keys = own === undefined ? [] : Object.keys(own.data);
      if (layout !== undefined) return { layout, keys };
      const isPretty = isSpread && root.colon.endsWith(' ');
      return {
        layout: isPretty ? spread(eolOf(text), unit + unit, unit, root.colon) : compact(root.colon),
        keys,
      };
    },
  };
}

function rootLayout({ text, places }: Canvas): ObjectLayout {
  const members = (places?.members ?? []).map(({ span, value }) => ({
    key: parseJsonAt(text, span.start).span,
    value,
  }));
  const own = places && layoutOfMembers(text, places.span, members);
  return own ?? spread(isEmptyText(text) ? '\n' : eolOf(text), '', TAB, ':');
}

/** The white space by which the content of the braces is indented more than the braces; undefined when none. */
function unitOf({ open, close }: ObjectLayout): string | undefined {
  const inner = /[\r\n]([ \t]*)$/.exec(open)?.[1];
  if (inner === undefined) return undefined;
  const outer = /[\r\n]([ \t]*)$/.exec(close)?.[1] ?? '';
  return inner.length > outer.length ? inner.slice(outer.length) : undefined;
}

/** The line ending of the white space between values; line breaks inside strings are escaped. */
function eolOf(text: string): string {
  return detectEol(text.slice(0, 10_000));
}

/** Whether the file escapes every character outside ASCII, as some programs do. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text) && /\\u(?!00[01])[0-9a-f]{4}/i.test(text);
}
