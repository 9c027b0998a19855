import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../../errors.ts';
import { type Rect, rectOf } from '../geometry.ts';
import { type Canvas, type CanvasItem, type CanvasList, parseCanvas } from '../model.ts';
import { overlaps } from '../place.ts';
import { canvasProblems } from '../problems.ts';
import { patchCanvas } from './apply.ts';
import { anyCanvas, anyLayout, printed, someText } from './canvas.testing.ts';
import type { CanvasOpResult } from './editing.ts';
import { replaceCanvas } from './replace.ts';

type Op = Readonly<Record<string, unknown>>;

const place = fc.option(
  fc.record({ x: fc.integer({ min: -900, max: 900 }), y: fc.integer({ min: -900, max: 900 }) }),
  { nil: {} },
);
const id = fc.nat(6).map((at) => `n${at}`);
const color = fc.option(fc.constantFrom('1', '#aabbcc'), { nil: undefined });

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  fc
    .record({ op: fc.constant('add_node'), type: fc.constant('text'), text: someText, color, place })
    .map(flat),
  fc
    .record({
      op: fc.constant('add_node'),
      type: fc.constant('file'),
      file: fc.constant('N.md'),
      place,
      extra: fc.constantFrom(undefined, { k: { d: [1, { e: null }] } }),
    })
    .map(flat),
  fc.record({
    op: fc.constant('add_node'),
    type: fc.constant('text'),
    text: someText,
    near: id,
    side: fc.constantFrom(undefined, 'right', 'top', 'left', 'bottom'),
  }),
  fc.record({ op: fc.constant('add_node'), type: fc.constant('group'), label: someText, place }).map(flat),
  fc.record({
    op: fc.constant('update_node'),
    id,
    color: fc.constantFrom('2', '#000000', ''),
    width: fc.integer({ min: 1, max: 500 }),
  }),
  fc.record({
    op: fc.constant('update_node'),
    id,
    extra: fc.constantFrom({ styleAttributes: { shape: 'oval' } }, { fresh: [] }),
  }),
  fc.record({
    op: fc.constant('update_node'),
    id,
    unset: fc.constantFrom(['color'], ['styleAttributes', 'a"b'], ['label']),
    x: fc.integer(),
  }),
  fc
    .record({
      op: fc.constant('move_node'),
      id,
      place: fc.record({ x: fc.integer({ min: -900, max: 900 }) }),
    })
    .map(flat),
  fc.record({ op: fc.constant('move_node'), id, near: id }),
  fc.record({ op: fc.constant('remove_node'), id }),
  fc.record({ op: fc.constant('remove_node'), id, with_contents: fc.constant(true) }),
  fc.record({
    op: fc.constant('add_edge'),
    from_node: id,
    to_node: id,
    label: fc.option(someText, { nil: undefined }),
  }),
  fc.record({
    op: fc.constant('update_edge'),
    id: fc.nat(4).map((at) => `e${at}`),
    label: someText,
    from_side: fc.constantFrom('top', 'left'),
  }),
  fc.record({ op: fc.constant('remove_edge'), id: fc.nat(4).map((at) => `e${at}`) }),
  fc.record({
    op: fc.constant('add_group_around'),
    ids: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
    label: someText,
  }),
);

function flat({ place: at = {}, ...rest }: { place?: object; [key: string]: unknown }): Op {
  return { ...rest, ...at };
}

function source({ text }: Canvas, { span }: CanvasItem): string {
  return text.slice(span.start, span.end);
}

/** The source of a list split into its entries and the text around them: gap, entry, gap, …, gap. */
function pieces(canvas: Canvas, list: CanvasList): { gaps: string[]; items: CanvasItem[] } | undefined {
  const span = canvas.places?.members.findLast(({ key }) => key === list)?.value;
  if (span === undefined) return undefined;
  const items = [...canvas[list]];
  const edges = [span.start + 1, ...items.flatMap((item) => [item.span.start, item.span.end]), span.end - 1];
  const gaps: string[] = [];
  for (let at = 0; at < edges.length; at += 2) gaps.push(canvas.text.slice(edges[at], edges[at + 1]));
  return { gaps, items };
}

/** Applies ops one by one, so that an invalid one is left out. */
function patched(text: string, ops: readonly Op[]): { text: string; done: [Op, CanvasOpResult][] } {
  let now = text;
  const done: [Op, CanvasOpResult][] = [];
  for (const op of ops) {
    try {
      const { text: next, results } = patchCanvas(now, [op]);
      if (results[0] !== undefined) done.push([op, results[0]]);
      now = next;
    } catch (error) {
      if (!isLecternError(error)) throw error;
    }
  }
  return { text: now, done };
}

/** The expected effect of an op on plain values, computed independently of the code under test. */
function modelled(canvas: Record<string, unknown>, op: Op, result: CanvasOpResult): void {
  canvas.nodes ??= [];
  const nodes = canvas.nodes as Record<string, unknown>[];
  const edges = (canvas.edges ?? []) as Record<string, unknown>[];
  const node = nodes.find((one) => one.id === result.id);
  const { rect } = result;
  switch (op.op) {
    case 'add_node': {
      const { op: _, near: _n, side: _s, extra, color: c, ...fields } = op;
      nodes.push({
        ...defined(fields),
        ...(c !== undefined && { color: c }),
        ...rect,
        ...(extra as object),
        id: result.id,
      });
      return;
    }
    case 'add_group_around':
      nodes.push({ id: result.id, type: 'group', label: op.label, ...rect });
      return;
    case 'update_node': {
      const { op: _, id: _i, unset = [], extra, color: c, ...fields } = op;
      Object.assign(node ?? {}, fields, c !== undefined && c !== '' && { color: c }, extra);
      for (const key of [...(unset as string[]), ...(c === '' ? ['color'] : [])]) delete node?.[key];
      return;
    }
    case 'move_node': {
      const from = { ...(node as unknown as Rect) };
      const inside =
        node?.type === 'group' ? nodes.filter((one) => one !== node && within(nodes, one, node)) : [];
      for (const one of [...inside, node ?? {}]) {
        one.x = Number(one.x) + (rect?.x ?? 0) - from.x;
        one.y = Number(one.y) + (rect?.y ?? 0) - from.y;
      }
      return;
    }
    case 'remove_node': {
      const gone = new Set([
        node,
        ...(op.with_contents
          ? nodes.filter((one) => one !== node && node?.type === 'group' && within(nodes, one, node))
          : []),
      ]);
      const ids = new Set([...gone].map((one) => one?.id));
      canvas.nodes = nodes.filter((one) => !gone.has(one));
      if (canvas.edges) canvas.edges = edges.filter((one) => !ids.has(one.fromNode) && !ids.has(one.toNode));
      return;
    }
    case 'add_edge': {
      const added = {
        id: result.id,
        fromNode: op.from_node,
        toNode: op.to_node,
        ...(op.label !== undefined && { label: op.label }),
      };
      canvas.edges = [...edges, added];
      return;
    }
    case 'update_edge':
      Object.assign(edges.find((one) => one.id === result.id) ?? {}, {
        label: op.label,
        fromSide: op.from_side,
      });
      return;
    case 'remove_edge':
      canvas.edges = edges.filter((one) => one.id !== result.id);
  }
}

function within(
  nodes: readonly Record<string, unknown>[],
  inner: Record<string, unknown>,
  outer: Record<string, unknown>,
): boolean {
  const [a, b] = [inner, outer].map((one) => rectOf(one));
  if (!a || !b) return false;
  const isIn = a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
  const isSame = a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  return isIn && (inner.type !== 'group' || !isSame || nodes.indexOf(inner) > nodes.indexOf(outer));
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The canvas without the parts that the model does not predict: sides of edges and the order of nodes. */
function comparable(canvas: Record<string, unknown>): unknown {
  const byId = (list: unknown) =>
    Object.fromEntries(((list ?? []) as { id: string }[]).map((one) => [one.id, one]));
  const edges = Object.values(byId(canvas.edges)).map((one) => {
    const { fromSide: _f, toSide: _t, ...rest } = one as Record<string, unknown>;
    return [one.id, rest];
  });
  return { ...canvas, nodes: byId(canvas.nodes), edges: Object.fromEntries(edges) };
}

function plain(text: string): Record<string, unknown> {
  // 0 and -0 are the same number.
  return JSON.parse(text.replace(/^\ufeff/, ''), (_, value) => (Object.is(value, -0) ? 0 : value)) as Record<
    string,
    unknown
  >;
}

describe('a random patch', () => {
  it('yields JSON that equals the model, op by op', () => {
    fc.assert(
      fc.property(
        anyCanvas,
        anyLayout,
        fc.array(anyOp, { minLength: 1, maxLength: 5 }),
        (canvas, layout, ops) => {
          let text = printed(canvas, layout);
          for (const op of ops) {
            const { text: next, done } = patched(text, [op]);
            const model = plain(text);
            for (const [each, result] of done) modelled(model, each, result);
            if (done.length > 0) expect(comparable(plain(next))).toEqual(comparable(model));
            else expect(next).toBe(text);
            text = next;
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leaves every byte outside of what it touches', () => {
    fc.assert(
      fc.property(
        anyCanvas,
        anyLayout,
        fc.array(anyOp, { minLength: 1, maxLength: 4 }),
        (canvas, layout, ops) => {
          const text = printed(canvas, layout);
          const before = parseCanvas(text);
          const { text: after, done } = patched(text, ops);
          const now = parseCanvas(after);
          const touched = new Set(
            done.flatMap(([op, { id: own }]) =>
              op.op === 'move_node' || op.op === 'remove_node' ? [own, '*'] : [own],
            ),
          );
          for (const list of ['nodes', 'edges'] as const) {
            const old = pieces(before, list);
            const fresh = pieces(now, list);
            if (old === undefined || fresh === undefined) continue;
            const sources = new Map(old.items.map((item) => [item.id, source(before, item)]));
            for (const item of fresh.items) {
              const was = sources.get(item.id);
              // The contents that a group took along are changed too.
              if (was === undefined || touched.has(item.id) || (touched.has('*') && list === 'nodes'))
                continue;
              expect(source(now, item)).toBe(was);
            }
            // Entries that were and still are neighbours keep the text between them.
            for (const [at, item] of fresh.items.entries()) {
              const next = fresh.items[at + 1];
              const then = old.items.findIndex((one) => one.id === item.id);
              if (next === undefined || then === -1 || old.items[then + 1]?.id !== next.id) continue;
              expect(fresh.gaps[at + 1]).toBe(old.gaps[then + 1]);
            }
            const isSame = (one: CanvasItem | undefined, other: CanvasItem | undefined) =>
              one !== undefined && one.id === other?.id;
            if (isSame(old.items[0], fresh.items[0])) expect(fresh.gaps[0]).toBe(old.gaps[0]);
            if (isSame(old.items.at(-1), fresh.items.at(-1))) expect(fresh.gaps.at(-1)).toBe(old.gaps.at(-1));
          }
          // Everything except nodes and edges.
          const rest = (one: Canvas) =>
            (one.places?.members ?? [])
              .filter(({ key }) => key !== 'nodes' && key !== 'edges')
              .map(({ span }) => one.text.slice(span.start, span.end));
          expect(rest(now)).toEqual(rest(before));
          const ends = (one: Canvas) => [
            one.text.slice(0, one.places?.span.start),
            one.text.slice(one.places?.span.end),
          ];
          expect(ends(now)).toEqual(ends(before));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('puts no node on top of another, on the grid', () => {
    fc.assert(
      fc.property(
        anyCanvas,
        anyLayout,
        fc.array(anyOp, { minLength: 1, maxLength: 6 }),
        (canvas, layout, ops) => {
          let text = printed(canvas, layout);
          for (const op of ops) {
            const { text: next, done } = patched(text, [op]);
            const [, result] = done[0] ?? [];
            const isFree = (op.op === 'add_node' || op.op === 'move_node') && op.x === undefined;
            if (isFree && result?.rect) {
              const { rect } = result;
              expect([rect.x % 20, rect.y % 20].map(Math.abs)).toEqual([0, 0]);
              const own = parseCanvas(next).nodes.find((node) => node.id === result.id);
              for (const node of parseCanvas(next).nodes) {
                const other = rectOf(node.data);
                if (node.id === result.id || other === undefined || !overlaps(rect, other)) continue;
                // The node may lie wholly inside a group, and the contents of a moved group lie inside it.
                const isInGroup = node.type === 'group' && inside(rect, other);
                const isTakenAlong = own?.type === 'group' && inside(other, rect);
                expect(
                  isInGroup || isTakenAlong,
                  `${JSON.stringify(op)} ${JSON.stringify([rect, node])}`,
                ).toBe(true);
              }
            }
            text = next;
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('makes no canvas worse', () => {
    fc.assert(
      fc.property(anyCanvas, anyLayout, fc.array(anyOp, { maxLength: 6 }), (canvas, layout, ops) => {
        const { text } = patched(printed(canvas, layout), ops);
        expect(canvasProblems(parseCanvas(text)).map(({ message }) => message)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a canvas that is replaced', () => {
  it('by itself stays as it is, byte for byte', () => {
    fc.assert(
      fc.property(anyCanvas, anyLayout, (canvas, layout) => {
        const text = printed(canvas, layout);
        expect(replaceCanvas(text, plain(text))).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('by another holds that one, and what plugins had', () => {
    fc.assert(
      fc.property(anyCanvas, anyLayout, anyCanvas, (canvas, layout, other) => {
        const text = printed(canvas, layout);
        const given = plain(printed(other, { ...layout, bom: false }));
        const now = plain(replaceCanvas(text, given));
        for (const list of ['nodes', 'edges'] as const) {
          const wanted = (given[list] ?? []) as Record<string, unknown>[];
          const there = (now[list] ?? []) as Record<string, unknown>[];
          expect(there.map((one) => one.id)).toEqual(wanted.map((one) => one.id));
          for (const [at, one] of wanted.entries()) expect(there[at]).toMatchObject(one);
        }
      }),
      { numRuns: 200 },
    );
  });
});

function inside(inner: Rect, outer: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
