import { describe, expect, it } from 'vitest';
import { isLecternError, type LecternError } from '../../../errors.ts';
import { patchCanvas } from './apply.ts';

type Op = Readonly<Record<string, unknown>>;

const patch = (text: string, ...ops: Op[]) => patchCanvas(text, ops).text;

function refusal(text: string, ...ops: Op[]): LecternError {
  try {
    patch(text, ...ops);
  } catch (error) {
    if (isLecternError(error)) return error;
    throw error;
  }
  throw new Error('It was done.');
}

/** A canvas in Obsidian's formatting. */
const OBSIDIAN =
  '{\n\t"nodes":[\n\t\t{"id":"a","type":"text","text":"one","x":0,"y":0,"width":250,"height":60},\n\t\t{"id":"b","type":"file","file":"B.md","x":400,"y":0,"width":400,"height":400,"color":"4"},\n\t\t{"id":"c","type":"text","text":"three","x":0,"y":500,"width":250,"height":60}\n\t],\n\t"edges":[\n\t\t{"id":"ab","fromNode":"a","fromSide":"right","toNode":"b","toSide":"left"}\n\t]\n}';
const NEW = { op: 'add_node', id: 'n', type: 'text', text: 'new', x: 0, y: 700, width: 250, height: 60 };
const NEW_NODE = '{"id":"n","type":"text","text":"new","x":0,"y":700,"width":250,"height":60}';
const EDGE = { op: 'add_edge', id: 'e', from_node: 'a', to_node: 'n', from_side: 'bottom', to_side: 'top' };
const NEW_EDGE = '{"id":"e","fromNode":"a","fromSide":"bottom","toNode":"n","toSide":"top"}';

describe('what is new is written as the file is', () => {
  it('one node in a line behind tabs, as Obsidian has it', () => {
    expect(patch(OBSIDIAN, NEW, EDGE)).toBe(
      OBSIDIAN.replace('"height":60}\n\t],', `"height":60},\n\t\t${NEW_NODE}\n\t],`).replace(
        '"left"}\n\t]',
        `"left"},\n\t\t${NEW_EDGE}\n\t]`,
      ),
    );
  });

  it.each([
    ['two spaces', 2],
    ['four spaces', 4],
    ['tabs', '\t'],
  ])('members in lines of their own, indented with %s', (_, indent) => {
    const value = JSON.parse(OBSIDIAN) as { nodes: object[]; edges: object[] };
    const added = {
      nodes: [...value.nodes, JSON.parse(NEW_NODE)],
      edges: [...value.edges, JSON.parse(NEW_EDGE)],
    };
    for (const eol of ['\n', '\r\n']) {
      const print = (what: unknown) => JSON.stringify(what, null, indent).replaceAll('\n', eol);
      expect(patch(print(value), NEW, EDGE)).toBe(print(added));
      expect(patch(print({ nodes: [], edges: [] }), NEW)).toBe(
        print({ nodes: [JSON.parse(NEW_NODE)], edges: [] }),
      );
      expect(patch(`\ufeff${print(value)}${eol}`, NEW, EDGE)).toBe(`\ufeff${print(added)}${eol}`);
    }
  });

  it('all in one line', () => {
    expect(patch('{"nodes":[],"edges":[]}', NEW)).toBe(`{"nodes":[${NEW_NODE}],"edges":[]}`);
    expect(patch('{"nodes": [{"id": "a", "type": "group", "x": 0}], "edges": []}', NEW)).toBe(
      `{"nodes": [{"id": "a", "type": "group", "x": 0}, ${JSON.stringify(JSON.parse(NEW_NODE), null, 1)
        .replace(/\n\s*/g, ' ')
        .replace('{ ', '{')
        .replace(' }', '}')}], "edges": []}`,
    );
  });

  it('in Obsidian’s style where there is no example', () => {
    const whole = `{\n\t"nodes":[\n\t\t${NEW_NODE}\n\t],\n\t"edges":[]\n}`;
    expect(['', ' \n', '{}'].map((text) => patch(text, NEW))).toEqual([whole, whole, whole]);
    expect(patch('\ufeff', NEW)).toBe(`\ufeff${whole}`);
  });

  it('with escapes where the file has nothing but ASCII', () => {
    const text = '{"nodes":[{"id":"a","type":"text","text":"\\u00e9","x":0,"y":0,"width":1,"height":1}]}';
    expect(patch(text, { ...NEW, text: 'ü👍' })).toContain('"text":"\\u00fc\\ud83d\\udc4d"');
    expect(patch(OBSIDIAN, { ...NEW, text: 'ü👍' })).toContain('"text":"ü👍"');
  });

  it('in the order of keys that others of its type have', () => {
    const text =
      '{"nodes":[{"x":1,"y":2,"id":"a","width":3,"height":4,"color":"1","text":"t","type":"text"}]}';
    expect(patch(text, { ...NEW, extra: { k: 1 } })).toContain(
      '{"x":0,"y":700,"id":"n","width":250,"height":60,"text":"new","type":"text","k":1}',
    );
  });

  it('lists that a file does not have are made, and other members stay', () => {
    expect(patch('{"metadata":{"version":"1.0"}}', NEW)).toBe(
      `{"nodes":[${NEW_NODE}],"metadata":{"version":"1.0"}}`,
    );
    expect(patch(`{"nodes":[${NEW_NODE.replace('"n"', '"a"')}]}`, NEW, EDGE)).toBe(
      `{"nodes":[${NEW_NODE.replace('"n"', '"a"')},${NEW_NODE}],"edges":[${NEW_EDGE}]}`,
    );
  });
});

describe('what is changed', () => {
  it('leaves spelling, unknown keys and nested values of the same node', () => {
    const text =
      '{"nodes":[ {"id" : "a", "type":"text", "text":"\\u0041\\/b","x":1.0,"y":-0,"width":2e2,"height":60, "styleAttributes":{"border": null , "a":[1,2]}} ]}';
    expect(patch(text, { op: 'update_node', id: 'a', x: 1, width: 200, height: 80, color: '2' })).toBe(
      text.replace('"height":60', '"height":80, "color":"2"'),
    );
    expect(patch(text, { op: 'update_node', id: 'a', text: 'A/b', y: 0 })).toBe(text);
    expect(patch(text, { op: 'update_node', id: 'a', unset: ['styleAttributes'] })).toBe(
      text.replace(', "styleAttributes":{"border": null , "a":[1,2]}', ''),
    );
    expect(patch(text, { op: 'update_node', id: 'a', extra: { styleAttributes: { border: 'thick' } } })).toBe(
      text.replace('{"border": null , "a":[1,2]}', '{"border":"thick"}'),
    );
  });

  it('takes out a node and its edges with one comma each', () => {
    const [a, b, c] = OBSIDIAN.split('\n').slice(2, 5);
    const gone = (text: string) => text.replace(/\[\n\t\t\{"id":"ab".*\n\t\]/, '[]');
    expect(patch(OBSIDIAN, { op: 'remove_node', id: 'a' })).toBe(gone(OBSIDIAN.replace(`${a}\n`, '')));
    expect(patch(OBSIDIAN, { op: 'remove_node', id: 'b' })).toBe(gone(OBSIDIAN.replace(`${b}\n`, '')));
    expect(patch(OBSIDIAN, { op: 'remove_node', id: 'c' })).toBe(OBSIDIAN.replace(`,\n${c}`, ''));
    const all = ['a', 'b', 'c'].map((id) => ({ op: 'remove_node', id }));
    expect(patch(OBSIDIAN, ...all)).toBe('{\n\t"nodes":[],\n\t"edges":[]\n}');
    expect(patch(OBSIDIAN, ...all, NEW)).toBe(`{\n\t"nodes":[\n\t\t${NEW_NODE}\n\t],\n\t"edges":[]\n}`);
    expect(patchCanvas(OBSIDIAN, [{ op: 'remove_node', id: 'a' }]).results).toEqual([
      { op: 0, name: 'remove_node', id: 'a', removedNodes: 1, removedEdges: 1 },
    ]);
  });

  it('a group that is put around nodes lies below them', () => {
    const { text, results } = patchCanvas(OBSIDIAN, [
      { op: 'add_group_around', ids: ['b', 'c'], label: 'G', id: 'g' },
    ]);
    const ids = (JSON.parse(text) as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
    expect(ids).toEqual(['g', 'a', 'b', 'c']);
    expect(results[0]).toMatchObject({ rect: { x: -40, y: -40, width: 880, height: 640 }, inside: 3 });
  });

  it('a group takes along what lies in it, unless it shall not', () => {
    const grouped = patch(OBSIDIAN, { op: 'add_group_around', ids: ['a', 'b'], id: 'g' });
    const places = (text: string) =>
      (JSON.parse(text) as { nodes: { id: string; x: number; y: number }[] }).nodes.map(
        ({ id, x, y }) => `${id} ${x},${y}`,
      );
    expect(places(patch(grouped, { op: 'move_node', id: 'g', x: 960 }))).toEqual([
      'g 960,-40',
      'a 1000,0',
      'b 1400,0',
      'c 0,500',
    ]);
    expect(places(patch(grouped, { op: 'move_node', id: 'g', x: 960, with_contents: false }))).toEqual([
      'g 960,-40',
      'a 0,0',
      'b 400,0',
      'c 0,500',
    ]);
    expect(places(patch(grouped, { op: 'remove_node', id: 'g' }))).toHaveLength(3);
    expect(places(patch(grouped, { op: 'remove_node', id: 'g', with_contents: true }))).toEqual(['c 0,500']);
  });

  it('a card turned into one of another type keeps its edges and leaves its old content', () => {
    expect(patch(OBSIDIAN, { op: 'update_node', id: 'a', type: 'file', file: 'A.md' })).toBe(
      OBSIDIAN.replace('"type":"text","text":"one","x":0', '"type":"file","file":"A.md","x":0'),
    );
  });

  it('new ids are 16 hex digits, the same for the same patch of the same canvas', () => {
    const add = { op: 'add_node', type: 'text', text: 'x' };
    const ids = (text: string) => patchCanvas(text, [add, add]).results.map(({ id }) => id);
    const [first, second] = ids(OBSIDIAN);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(first).not.toBe(second);
    expect(ids(OBSIDIAN)).toEqual([first, second]);
    expect(ids(OBSIDIAN.replace('one', 'two'))).not.toContain(first);
  });
});

describe('a place that is found', () => {
  const at = (text: string, ...ops: Op[]) => {
    const { rect } = patchCanvas(text, ops).results.at(-1) ?? {};
    return rect && [rect.x, rect.y];
  };
  const card = { op: 'add_node', type: 'text', text: 'x' };

  it('is beside a node, on the side that is asked for, below all when nobody says', () => {
    expect(at('', card)).toEqual([0, 0]);
    expect(at(OBSIDIAN, card)).toEqual([0, 600]);
    expect(at(OBSIDIAN, { ...card, near: 'c' })).toEqual([300, 500]);
    expect(at(OBSIDIAN, { ...card, near: 'c', side: 'left' })).toEqual([-300, 500]);
    expect(at(OBSIDIAN, { ...card, near: 'c', side: 'top' })).toEqual([0, 400]);
    expect(at(OBSIDIAN, { ...card, near: 'a' })).toEqual([0, 100]);
    expect(at(OBSIDIAN, { ...card, near: 'a', side: 'right' })).toEqual([840, 0]);
    expect(at(OBSIDIAN, { op: 'move_node', id: 'a', near: 'c' })).toEqual([300, 500]);
  });

  it('of several in one call is a row, and then another', () => {
    const { results } = patchCanvas(
      '',
      Array.from({ length: 7 }, () => card),
    );
    expect(results.map(({ rect }) => [rect?.x, rect?.y])).toEqual([
      [0, 0],
      [300, 0],
      [600, 0],
      [900, 0],
      [1200, 0],
      [0, 100],
      [300, 100],
    ]);
  });

  it('stays in the group of the node beside which it is, or goes into one that is named', () => {
    const group = {
      op: 'add_node',
      type: 'group',
      id: 'g',
      label: 'Plan',
      x: -40,
      y: 460,
      width: 660,
      height: 240,
    };
    const grouped = patch(OBSIDIAN, group);
    expect(at(grouped, { ...card, near: 'c' })).toEqual([300, 500]);
    expect(at(grouped, { ...card, near: 'c' }, { ...card, near: 'c' })).toEqual([0, 600]);
    expect(at(grouped, { ...card, group: 'plan' })).toEqual([280, 480]);
    // The group has no room left.
    const full = Array.from({ length: 4 }, () => ({ ...card, near: 'c' }));
    expect(at(grouped, ...full)).not.toEqual(undefined);
    expect(refusal(grouped, { ...card, group: 'Plan', width: 900 }).message).toContain(
      'has no room for 900 x 60',
    );
  });

  it('faces the other end of an edge', () => {
    const sides = (from: string, to: string) => {
      const text = patch(OBSIDIAN, { op: 'add_edge', id: 'e', from_node: from, to_node: to });
      const edge = (JSON.parse(text) as { edges: Record<string, string>[] }).edges.at(-1);
      return [edge?.fromSide, edge?.toSide];
    };
    expect(sides('a', 'b')).toEqual(['right', 'left']);
    expect(sides('b', 'a')).toEqual(['left', 'right']);
    expect(sides('a', 'c')).toEqual(['bottom', 'top']);
    expect(sides('c', 'a')).toEqual(['top', 'bottom']);
  });
});

describe('what is refused', () => {
  const twice = OBSIDIAN.replace('"id":"c"', '"id":"a"');

  it.each<[string, string, Op | Op[], string]>([
    ['no op', OBSIDIAN, [], 'at least one op'],
    ['an unknown op', OBSIDIAN, { op: 'ad_node' }, 'unknown op "ad_node"'],
    ['a missing field', OBSIDIAN, { op: 'add_edge', from_node: 'a' }, 'is missing to_node'],
    ['a field of another op', OBSIDIAN, { op: 'remove_edge', id: 'ab', x: 1 }, 'does not take x'],
    ['a field that is mistyped', OBSIDIAN, { op: 'update_node', id: 'a', colour: '1' }, 'did you mean color'],
    ['a field of another type', OBSIDIAN, { op: 'update_node', id: 'a', url: 'x' }, 'a text node has no url'],
    ['a node that is not there', OBSIDIAN, { op: 'remove_node', id: 'z' }, 'there is no node "z"'],
    ['an edge that is not there', OBSIDIAN, { op: 'remove_edge', id: 'a' }, 'there is no edge "a"'],
    [
      'an edge to nothing',
      OBSIDIAN,
      { op: 'add_edge', from_node: 'a', to_node: 'q' },
      'there is no node "q"',
    ],
    ['an id that is taken', OBSIDIAN, { ...NEW, id: 'ab' }, 'the id "ab" is taken'],
    [
      'an id that two have',
      twice,
      { op: 'update_node', id: 'a', x: 1 },
      '2 nodes have the id "a" (lines 3, 5)',
    ],
    ['half a place', OBSIDIAN, { op: 'add_node', type: 'text', text: '', x: 1 }, 'x and y go together'],
    ['two places', OBSIDIAN, { ...NEW, near: 'a' }, 'takes either x and y, or near'],
    ['a side of nothing', OBSIDIAN, { ...card(), side: 'left' }, 'side is of a node'],
    ['a wrong side', OBSIDIAN, { ...card(), near: 'a', side: 'beside' }, 'side must be one of'],
    ['a number that is none', OBSIDIAN, { op: 'move_node', id: 'a', x: 'left' }, 'x must be a number'],
    ['not a number', OBSIDIAN, { op: 'move_node', id: 'a', x: Number.NaN }, 'x must be a number'],
    ['a huge number', OBSIDIAN, { op: 'move_node', id: 'a', x: 1e300 }, 'x is out of range'],
    ['a size below nothing', OBSIDIAN, { op: 'update_node', id: 'a', width: -5 }, 'width is negative'],
    ['a wrong colour', OBSIDIAN, { op: 'update_node', id: 'a', color: 'red' }, 'color is not a preset'],
    ['a wrong end', OBSIDIAN, { op: 'update_edge', id: 'ab', to_end: 'dot' }, 'toEnd is not one of'],
    ['a path out of the vault', OBSIDIAN, { op: 'add_node', type: 'file', file: '../x.md' }, 'names no file'],
    ['a subpath that is none', OBSIDIAN, { op: 'update_node', id: 'b', subpath: 'x' }, 'subpath is not'],
    ['a card without content', OBSIDIAN, { op: 'add_node', type: 'link' }, 'url is missing'],
    [
      'to take out what must stay',
      OBSIDIAN,
      { op: 'update_node', id: 'a', unset: ['text'] },
      'text cannot be',
    ],
    ['a field as an extra', OBSIDIAN, { op: 'update_node', id: 'a', extra: { x: 1 } }, 'extra is for keys'],
    ['nothing to change', OBSIDIAN, { op: 'update_node', id: 'a' }, 'has nothing to change'],
    ['half a character', OBSIDIAN, { ...NEW, text: '\ud83d' }, 'well-formed Unicode'],
    ['a group that is none', OBSIDIAN, { ...card(), group: 'Plan' }, 'there is no group "Plan"'],
    ['broken JSON', '{"nodes":[{"id":"1"', NEW, 'line 1, column 20'],
    ['what is no JSON', '{"nodes":[{"x":NaN}]}', NEW, 'NaN is no value that JSON has (line 1, column 16)'],
    ['what is no canvas', '{\n"nodes":{}}', NEW, 'its "nodes" is not a list (line 2, column 9)'],
    ['what is no list of objects', '{"nodes":[\n1]}', NEW, 'is not an object (line 2, column 1)'],
  ])('%s', (_, text, ops, message) => {
    const error = refusal(text, ...(Array.isArray(ops) ? ops : [ops]));
    expect(error.message).toContain(message);
    expect(error.next).toBeTruthy();
  });

  it('too many ops', () => {
    expect(refusal(OBSIDIAN, ...Array.from({ length: 201 }, () => NEW)).code).toBe('too_large');
  });

  it('nothing of what was wrong already keeps others from being mended', () => {
    const broken = OBSIDIAN.replace('"width":250,"height":60}', '"width":"wide"}');
    expect(patch(broken, { op: 'update_node', id: 'a', width: 250, height: 60 })).toContain(
      '"y":0,"width":250,"height":60}',
    );
    expect(patch(broken, { op: 'update_node', id: 'a', color: '1' })).toContain(
      '"width":"wide","color":"1"}',
    );
  });

  function card(): Op {
    return { op: 'add_node', type: 'text', text: 'x' };
  }
});
