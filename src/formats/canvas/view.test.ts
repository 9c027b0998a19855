import { describe, expect, it } from 'vitest';
import { parseCanvas } from './model.ts';
import { canvasProblems } from './problems.ts';
import { canvasText, placeAtLine } from './text.ts';
import { type CanvasQuery, viewCanvas } from './view.ts';

const ALL: CanvasQuery = { order: 'reading', maxText: 1000, offset: 0, limit: 50, maxChars: 20_000 };
const at = (x: number, y: number, width = 100, height = 100) => ({ x, y, width, height });

const BOARD = JSON.stringify(
  {
    nodes: [
      { id: 'low', type: 'text', text: 'Last', ...at(0, 900) },
      { id: 'outer', type: 'group', label: 'Outer', ...at(-50, -50, 800, 500) },
      { id: 'inner', type: 'group', label: 'Inner', ...at(300, 0, 400, 400) },
      { id: 'second', type: 'text', text: '# Two\nsee [[Home|h]]', ...at(320, 40), zIndex: 3 },
      { id: 'third', type: 'file', file: 'Notes/Home.md', subpath: '#Part', ...at(480, 20), color: '3' },
      { id: 'first', type: 'text', text: 'One', ...at(0, 20) },
      { id: 'edge-of', type: 'link', url: 'https://x.y', ...at(700, 20) },
      { id: 'odd', type: 'portal', target: 'Other.canvas', ...at(0, 1200) },
    ],
    edges: [
      { id: 'e1', fromNode: 'first', toNode: 'third', label: 'goes to' },
      { id: 'e2', fromNode: 'low', toNode: 'gone', toEnd: 'none' },
    ],
  },
  null,
  1,
);

const ids = (query: Partial<CanvasQuery>) =>
  viewCanvas(BOARD, { ...ALL, ...query }).nodes.map(({ id }) => id);

describe('viewCanvas', () => {
  it('reads rows from the top, and what is in a group behind the group', () => {
    expect(ids({})).toEqual(['outer', 'first', 'inner', 'second', 'third', 'edge-of', 'low', 'odd']);
    expect(ids({ order: 'z' })).toEqual([
      'low',
      'outer',
      'inner',
      'second',
      'third',
      'first',
      'edge-of',
      'odd',
    ]);
  });

  it('tells which groups a node lies in wholly, the innermost first', () => {
    const { nodes } = viewCanvas(BOARD, ALL);
    const groups = Object.fromEntries(nodes.map(({ id, groups: around }) => [id, around]));
    expect(groups).toMatchObject({
      second: ['inner', 'outer'],
      first: ['outer'],
      inner: ['outer'],
      outer: [],
      'edge-of': [],
      low: [],
    });
  });

  it.each<[Partial<CanvasQuery>, string[]]>([
    [{ type: 'text' }, ['first', 'second', 'low']],
    [{ type: 'portal' }, ['odd']],
    [{ group: 'outer' }, ['first', 'inner', 'second', 'third']],
    [{ group: 'INNER ' }, ['second', 'third']],
    [{ text: 'two' }, ['second']],
    [{ text: 'x.Y' }, ['edge-of']],
    [{ file: 'Home' }, ['second', 'third']],
    [{ file: 'Notes/Home.md' }, ['second', 'third']],
    [{ file: 'Other/Home' }, ['second']],
    [{ ids: ['low', 'nothing'] }, ['low']],
    [{ type: 'text', group: 'Outer' }, ['first', 'second']],
    [{ text: 'nowhere' }, []],
  ])('finds %j', (query, found) => {
    expect(ids(query)).toEqual(found);
  });

  it('answers the edges of the nodes that are answered, with the titles of both ends', () => {
    expect(viewCanvas(BOARD, { ...ALL, ids: ['third'] }).edges).toMatchObject([
      {
        id: 'e1',
        from: 'first',
        fromTitle: 'One',
        to: 'third',
        toTitle: 'Home › Part',
        fields: { label: 'goes to' },
      },
    ]);
    expect(viewCanvas(BOARD, { ...ALL, ids: ['low'] }).edges).toMatchObject([
      { id: 'e2', fromTitle: 'Last', toTitle: undefined },
    ]);
    expect(viewCanvas(BOARD, ALL)).toMatchObject({ edgesTotal: 2, allNodes: 8, allEdges: 2 });
  });

  it('goes on from page to page', () => {
    const pages = [0, 3, 6].map((offset) => ids({ offset, limit: 3 }));
    expect(pages.flat()).toEqual(ids({}));
    expect(viewCanvas(BOARD, { ...ALL, offset: 6, limit: 3 }).matching).toBe(8);
  });

  it('gives bounds, cut texts, keys of plugins and lines', () => {
    const view = viewCanvas(BOARD, { ...ALL, maxText: 3, ids: ['second', 'low'] });
    expect(view.bounds).toEqual({ x: 0, y: 40, width: 420, height: 960 });
    const [second] = view.nodes;
    expect(second).toMatchObject({
      title: 'Two',
      fields: { text: '# T' },
      textChars: 20,
      extra: { zIndex: 3 },
    });
    expect(BOARD.split('\n')[(second?.line ?? 0) - 1]).toBe('  {');
    expect(BOARD.split('\n')[second?.line ?? 0]).toContain('"second"');
  });

  it('names groups that may be meant', () => {
    expect(() => viewCanvas(BOARD, { ...ALL, group: 'None' })).toThrow('The canvas has no group "None".');
  });

  it.each(['', '{}', '{"nodes":[]}'])('takes %j for an empty canvas', (text) => {
    expect(viewCanvas(text, ALL)).toMatchObject({ nodes: [], edges: [], bounds: undefined, problems: [] });
  });
});

describe('canvasProblems', () => {
  it('says what is wrong and in which line, and reads the rest', () => {
    const text = [
      '{"nodes":[',
      '{"id":"a","type":"text","text":"x","x":0,"y":0,"width":1,"height":1},',
      '{"id":"a","type":"text","x":1e999,"y":"0","width":-1,"height":1},',
      '{"type":"group","x":0,"y":0,"width":1,"height":1,"color":"blue"}],',
      '"edges":[{"id":"e","fromNode":"a","toNode":"b","fromSide":"up"},',
      '{"id":"e","toNode":"a"}]}',
    ].join('\n');
    expect(canvasProblems(parseCanvas(text)).map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '3: the id is that of another node, too (line 2)',
      '3: x is out of range: Infinity',
      '3: y is no number',
      '3: width is negative: -1',
      '3: text is missing',
      '4: id is missing',
      '4: color is not a preset "1" to "6" or #rrggbb: "blue"',
      '5: fromSide is not one of top, right, bottom, left: "up"',
      '5: toNode names no node: "b"',
      '6: the id is that of another node or edge, too (line 5)',
      '6: fromNode is missing',
    ]);
    expect(viewCanvas(text, ALL).nodes.map(({ id, rect }) => [id, rect !== undefined])).toEqual([
      ['', true],
      ['a', true],
      ['a', false],
    ]);
  });
});

describe('placeAtLine', () => {
  it('leads from each line of the searched text to the node or edge', () => {
    const canvas = parseCanvas(BOARD);
    const lines = canvasText(canvas).split('\n');
    const places = lines.map((line, index) => `${line} = ${placeAtLine(canvas, index + 1)?.id}`);
    expect(places).toEqual([
      'Last = low',
      'Outer = outer',
      'Inner = inner',
      '# Two = second',
      'see [[Home|h]] = second',
      'Notes/Home.md = third',
      'One = first',
      'https://x.y = edge-of',
      'goes to = e1',
    ]);
    expect(placeAtLine(canvas, lines.length + 1)).toBeUndefined();
  });
});
