import { isDeepStrictEqual } from 'node:util';
import { applySplices, type Splice } from '../../../notes/splice.ts';
import { type JsonObject, parseJsonAt, plainValue } from '../../json-spans.ts';
import { type Canvas, type CanvasData, type CanvasItem, type CanvasList, textOf } from '../model.ts';
import { EDGE_KEYS, NODE_KEYS } from '../node.ts';
import { inOrder, layoutOf, placeAmong, printMember, printObject, printValue } from './layout.ts';
import { listSplices } from './list-edit.ts';
import { type CanvasStyle, styleOf } from './style.ts';

/** A node or an edge of a canvas that is being edited; `data` are its fields after the edits so far. */
export interface Entry {
  readonly list: CanvasList;
  /** Its index in the file's list; undefined for a new one. */
  readonly place: number | undefined;
  /** Its original in the file; undefined for a new one. */
  readonly item: CanvasItem | undefined;
  id: string;
  type: string;
  data: CanvasData;
  /** Its new JSON text; undefined while it is unchanged. */
  source: string | undefined;
}

const LISTS = ['nodes', 'edges'] as const;

/**
 * A canvas that is being edited. Every byte outside the changed values stays: a changed value is replaced in
 * place, and new nodes, edges and keys are written in the file's own style.
 */
export class CanvasDocument {
  readonly #canvas: Canvas;
  readonly #lists: Record<CanvasList, Entry[]>;
  readonly #style: CanvasStyle;
  /** Increases with every change of nodes and edges, except when an entry is appended to a list. */
  version = 0;
  readonly #rootValues = new Map<string, unknown>();
  /** Entries by id; broken canvases have an id more than once. */
  readonly #byId: Readonly<Record<CanvasList, Map<string, Entry[]>>>;

  constructor(canvas: Canvas) {
    this.#canvas = canvas;
    this.#style = styleOf(canvas);
    this.#lists = { nodes: entriesOf(canvas, 'nodes'), edges: entriesOf(canvas, 'edges') };
    this.#byId = { nodes: byId(this.#lists.nodes), edges: byId(this.#lists.edges) };
  }

  /** The entries of a list with this id. */
  withId(list: CanvasList, id: string): readonly Entry[] {
    return this.#byId[list].get(id) ?? [];
  }

  get nodes(): readonly Entry[] {
    return this.#lists.nodes;
  }

  get edges(): readonly Entry[] {
    return this.#lists.edges;
  }

  /** Adds an entry. @param before the entry to insert it before; undefined appends it */
  add(list: CanvasList, data: CanvasData, before?: Entry): Entry {
    const type = textOf(data, 'type') ?? '';
    const { layout, keys } = this.#style.object(list, type);
    const entries = inOrder(Object.entries(data), keys, usualKeys(list));
    const entry: Entry = {
      list,
      place: undefined,
      item: undefined,
      id: textOf(data, 'id') ?? '',
      type,
      data,
      source: printObject(entries, layout, this.#style.text),
    };
    const all = this.#lists[list];
    const at = before === undefined ? -1 : all.indexOf(before);
    all.splice(at === -1 ? all.length : at, 0, entry);
    if (at !== -1) this.version += 1;
    this.#byId[list].set(entry.id, [...this.withId(list, entry.id), entry]);
    return entry;
  }

  removeAll(entries: ReadonlySet<Entry>): void {
    for (const list of LISTS)
      this.arrange(
        list,
        this.#lists[list].filter((entry) => !entries.has(entry)),
      );
    for (const { list, id } of entries)
      this.#byId[list].set(
        id,
        this.withId(list, id).filter((entry) => !entries.has(entry)),
      );
  }

  /** Sets some fields of an entry and removes others. @returns whether anything changed */
  update(entry: Entry, set: Readonly<Record<string, unknown>>, unset: readonly string[] = []): boolean {
    const before = this.#sourceOf(entry);
    const source = this.#updated(before, entry, set, unset);
    if (source === before) return false;
    this.version += 1;
    entry.source = source;
    entry.data = plainValue(parseJsonAt(source, 0)) as CanvasData;
    entry.id = textOf(entry.data, 'id') ?? '';
    entry.type = textOf(entry.data, 'type') ?? '';
    return true;
  }

  /** Replaces a list by these entries, in this order; other entries are removed. */
  arrange(list: CanvasList, entries: readonly Entry[]): void {
    this.#lists[list] = [...entries];
    this.version += 1;
  }

  /** Sets a top-level key other than `nodes` and `edges`. */
  setRoot(key: string, value: unknown): void {
    this.#rootValues.set(key, value);
  }

  /** The JSON text of the canvas with the edits so far. */
  print(): string {
    const { text, places } = this.#canvas;
    const { root } = this.#style;
    if (places === undefined) {
      const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
      if (this.nodes.length + this.edges.length + this.#rootValues.size === 0) return text;
      const members = [
        ...LISTS.map((list) => this.#memberText(list, this.#listText(list))),
        ...[...this.#rootValues].map(([key, value]) =>
          this.#memberText(key, printValue(value, root, this.#style.text)),
        ),
      ];
      return `${mark}{${root.open}${members.join(root.between)}${root.close}}`;
    }
    return applySplices(text, [...LISTS.flatMap((list) => this.#listSplices(list)), ...this.#rootSplices()]);
  }

  #updated(
    source: string,
    entry: Entry,
    set: Readonly<Record<string, unknown>>,
    unset: readonly string[],
  ): string {
    const object = parseJsonAt(source, 0) as JsonObject;
    const { members } = object;
    const layout = layoutOf(source, object) ?? this.#style.object(entry.list, entry.type).layout;
    const keys = members.map(({ key }) => key.value);
    const changed = new Map<number, string | undefined>();
    for (const [at, key] of keys.entries()) if (unset.includes(key)) changed.set(at, undefined);
    const added: { before: number; text: string }[] = [];
    for (const [key, value] of inOrder(Object.entries(set), [], usualKeys(entry.list))) {
      const at = keys.lastIndexOf(key);
      const member = members[at];
      if (member === undefined) {
        const text = printMember(key, value, layout, this.#style.text);
        added.push({ before: placeAmong(keys, key, usualKeys(entry.list)), text });
      } else if (!isSame(plainValue(member.value), value)) {
        const head = source.slice(member.key.span.start, member.value.span.start);
        changed.set(at, head + printValue(value, layout, this.#style.text));
      }
    }
    const parts = members.map(({ key, value }) => ({ start: key.span.start, end: value.span.end }));
    return applySplices(source, listSplices({ span: object.span, parts, changed, added, layout }));
  }

  #sourceOf({ item, source }: Entry): string {
    return source ?? (item === undefined ? '' : this.#canvas.text.slice(item.span.start, item.span.end));
  }

  #listText(list: CanvasList): string {
    const entries = this.#lists[list];
    if (entries.length === 0) return '[]';
    const { open, between, close } = this.#style.list(list);
    return `[${open}${entries.map((entry) => this.#sourceOf(entry)).join(between)}${close}]`;
  }

  #memberText(key: string, value: string): string {
    return `${JSON.stringify(key)}${this.#style.root.colon}${value}`;
  }

  #listSplices(list: CanvasList): readonly Splice[] {
    const span = this.#canvas.places?.members.findLast(({ key }) => key === list)?.value;
    const entries = this.#lists[list];
    const count = this.#canvas[list].length;
    if (span === undefined) return [];
    const places = entries.flatMap(({ place }) => place ?? []);
    if (places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0)))
      return [{ ...span, insert: this.#listText(list) }];
    const left = new Set(places);
    const changed = new Map<number, string | undefined>();
    for (let place = 0; place < count; place++) if (!left.has(place)) changed.set(place, undefined);
    const added: { before: number; text: string }[] = [];
    let before = count;
    for (const entry of [...entries].reverse()) {
      if (entry.place === undefined) added.push({ before, text: this.#sourceOf(entry) });
      else {
        before = entry.place;
        if (entry.source !== undefined) changed.set(entry.place, entry.source);
      }
    }
    return listSplices({
      span,
      parts: this.#canvas.places?.lists.get(list) ?? [],
      changed,
      added: added.reverse(),
      layout: this.#style.list(list),
    });
  }

  /** Splices for top-level keys that the file does not have or that have a new value. */
  #rootSplices(): readonly Splice[] {
    const { text, places } = this.#canvas;
    if (places === undefined) return [];
    const keys = places.members.map(({ key }) => key);
    const added: { before: number; text: string }[] = [];
    const changed = new Map<number, string | undefined>();
    const isEmpty = keys.length === 0 && this.nodes.length + this.edges.length > 0;
    for (const list of LISTS) {
      if (keys.includes(list) || (this.#lists[list].length === 0 && !isEmpty)) continue;
      const before = placeAmong(keys, list, LISTS);
      added.push({ before, text: this.#memberText(list, this.#listText(list)) });
    }
    for (const [key, value] of this.#rootValues) {
      const at = keys.lastIndexOf(key);
      const place = places.members[at];
      const printed = printValue(value, this.#style.root, this.#style.text);
      if (place === undefined) added.push({ before: keys.length, text: this.#memberText(key, printed) });
      else {
        const now = plainValue(parseJsonAt(text, place.value.start));
        if (!isSame(now, value)) changed.set(at, text.slice(place.span.start, place.value.start) + printed);
      }
    }
    if (added.length + changed.size === 0) return [];
    const parts = places.members.map(({ span }) => span);
    return listSplices({ span: places.span, parts, changed, added, layout: this.#style.root });
  }
}

/** Deep equality in which 0 equals -0, as both spellings are the same number. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

function byId(entries: readonly Entry[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) {
    const same = found.get(entry.id);
    if (same) same.push(entry);
    else found.set(entry.id, [entry]);
  }
  return found;
}

function usualKeys(list: CanvasList): readonly string[] {
  return list === 'nodes' ? NODE_KEYS : EDGE_KEYS;
}

function entriesOf(canvas: Canvas, list: CanvasList): Entry[] {
  return canvas[list].map((item, place) => ({
    list,
    place,
    item,
    id: item.id,
    type: item.type,
    data: item.data,
    source: undefined,
  }));
}
