import fc from 'fast-check';
import { isRecord } from '../../../is-record.ts';

/** Canvases as programs and people write them: layouts, number spellings, unknown keys and node types. */

export interface Layout {
  readonly bom: boolean;
  readonly eol: string;
  readonly unit: string;
  /** Depth up to which each value is on its own line. */
  readonly spreadTo: number;
  readonly colon: string;
  readonly ascii: boolean;
  readonly end: string;
}

export const anyLayout: fc.Arbitrary<Layout> = fc.record({
  bom: fc.boolean(),
  eol: fc.constantFrom('\n', '\n', '\r\n'),
  unit: fc.constantFrom('\t', '  ', '    '),
  spreadTo: fc.constantFrom(0, 2, 2, 3, 4),
  colon: fc.constantFrom(':', ': ', ' : '),
  ascii: fc.boolean(),
  end: fc.constantFrom('', '\n', ' \r\n'),
});

/** A number in an unusual JSON spelling. */
export class Spelled {
  constructor(
    readonly text: string,
    readonly value: number,
  ) {}
}

export function printed(value: unknown, layout: Layout): string {
  return `${layout.bom ? '\ufeff' : ''}${print(value, layout, 0)}${layout.end}`;
}

function print(value: unknown, layout: Layout, depth: number): string {
  if (value instanceof Spelled) return value.text;
  if (typeof value === 'string') return quoted(value, layout.ascii);
  const isSpread = depth < layout.spreadTo;
  const space = (levels: number) => (isSpread ? layout.eol + layout.unit.repeat(levels) : '');
  const comma = isSpread || layout.colon === ':' ? ',' : ', ';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const items = value.map((item) => space(depth + 1) + print(item, layout, depth + 1));
    return `[${items.join(comma)}${space(depth)}]`;
  }
  if (isRecord(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    const members = entries.map(
      ([key, inner]) =>
        `${space(depth + 1)}${quoted(key, layout.ascii)}${layout.colon}${print(inner, layout, depth + 1)}`,
    );
    return `{${members.join(comma)}${space(depth)}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function quoted(text: string, ascii: boolean): string {
  const json = JSON.stringify(text);
  return ascii
    ? json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}

const number = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -3000, max: 3000 }).map((n): number | Spelled => n) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      new Spelled('1.0', 1),
      new Spelled('2e2', 200),
      new Spelled('-0', -0),
      new Spelled('-12.50', -12.5),
    ),
  },
);
const size = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 10, max: 900 }).map((n): number | Spelled => n) },
  { weight: 1, arbitrary: fc.constantFrom(new Spelled('250.0', 250), new Spelled('6E1', 60)) },
);
export const someText = fc.oneof(
  fc.constantFrom('', 'see [[Home]]', '# Title\n\nline "two"\t\\ é 👍', 'a', '{"id":"n0"}', '],[', '\u2028'),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);
const plugin = fc.option(
  fc.constantFrom<Record<string, unknown>>(
    { styleAttributes: { shape: 'pill', border: null } },
    { 'a"b': [1, [2, {}], 'x'] },
    { __proto: 1, zIndex: new Spelled('3.00', 3) },
  ),
  { nil: {} },
);

const content = fc.oneof(
  someText.map((text) => ({ type: 'text', text })),
  fc.constantFrom('Home.md', 'a/b.md', 'ü.png').map((file) => ({ type: 'file', file })),
  fc.constant({ type: 'link', url: 'https://x.y/?a=b' }),
  someText.map((label) => ({ type: 'group', label })),
  fc.constant({ type: 'plugin-board', cards: [1, 2] }),
);

const node = fc.record({
  place: fc.record({ x: number, y: number, width: size, height: size }),
  content,
  plugin,
  first: fc.boolean(),
});

export const anyCanvas = fc
  .record({
    nodes: fc.array(node, { maxLength: 6 }),
    edges: fc.array(fc.record({ from: fc.nat(), to: fc.nat(), label: fc.option(someText), plugin }), {
      maxLength: 4,
    }),
    order: fc.constantFrom('nodes first', 'edges first', 'no edges', 'nothing', 'with metadata'),
  })
  .map(({ nodes, edges, order }) => {
    const list = nodes.map(({ place, content: own, plugin: extra, first }, at) =>
      first ? { id: `n${at}`, ...own, ...place, ...extra } : { id: `n${at}`, ...place, ...own, ...extra },
    );
    const joined =
      list.length === 0
        ? []
        : edges.map(({ from, to, label, plugin: extra }, at) => ({
            id: `e${at}`,
            fromNode: `n${from % list.length}`,
            toNode: `n${to % list.length}`,
            ...(label !== null && { label }),
            ...extra,
          }));
    switch (order) {
      case 'edges first':
        return { edges: joined, nodes: list };
      case 'no edges':
        return { nodes: list };
      case 'nothing':
        return {};
      case 'with metadata':
        return { metadata: { version: '1.0-1.0', frontmatter: {} }, nodes: list, edges: joined, z: [] };
      default:
        return { nodes: list, edges: joined };
    }
  });
