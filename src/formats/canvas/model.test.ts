import { describe, expect, it } from 'vitest';
import { LecternError } from '../../errors.ts';
import { applySplices } from '../../notes/splice.ts';
import { jsonStringContent } from '../json-spans.ts';
import { parseCanvas } from './model.ts';
import { canvasLinks, canvasReferences } from './references.ts';
import { canvasText } from './text.ts';

const canvas = (...nodes: unknown[]) => JSON.stringify({ nodes, edges: [] }, null, '\t');
const file = { id: 'f', type: 'file', file: 'a/N.md', subpath: '#H', x: 0, y: 0, width: 1, height: 1 };
const textNode = (text: string) => ({ id: 't', type: 'text', text, x: 0, y: 0, width: 1, height: 1 });

function failure(text: string): LecternError {
  try {
    parseCanvas(text);
  } catch (error) {
    if (error instanceof LecternError) return error;
  }
  throw new Error('parsed');
}

describe('parseCanvas', () => {
  it.each(['', ' \n', '\ufeff', '{}', '{"nodes":[]}'])('takes %j for an empty canvas', (text) => {
    expect(parseCanvas(text)).toMatchObject({ nodes: [], edges: [] });
  });

  it('keeps what it does not know, and says where each node stands', () => {
    const text =
      '{\n\t"nodes":[\n\t\t{"id":"a","type":"text","text":"hi","styleAttributes":{"k":1}}\n\t],\n\t"edges":[{"id":"e","fromNode":"a","toNode":"b","label":"to"}],\n\t"metadata":{"version":"1.0"}\n}';
    const { nodes, edges } = parseCanvas(text);
    expect(nodes[0]?.data).toEqual({ id: 'a', type: 'text', text: 'hi', styleAttributes: { k: 1 } });
    expect(text.slice(nodes[0]?.span.start, nodes[0]?.span.end)).toBe(
      '{"id":"a","type":"text","text":"hi","styleAttributes":{"k":1}}',
    );
    expect(edges[0]).toMatchObject({ id: 'e', data: { fromNode: 'a', toNode: 'b', label: 'to' } });
  });

  it('says where broken JSON breaks', () => {
    const error = failure('{\n "nodes":[{"id":"1"');
    expect(error).toMatchObject({ code: 'invalid_input', details: { line: 2, column: 20 } });
    expect(error.message).toContain('line 2, column 20');
  });

  it.each(['[]', '1', '{"nodes":{}}', '{"nodes":[1]}', '{"edges":"x"}'])(
    'refuses %j, which is no canvas',
    (text) => {
      expect(failure(text).code).toBe('invalid_input');
    },
  );
});

describe('canvasReferences', () => {
  it('finds file nodes and the links in texts', () => {
    const text = canvas(file, textNode('see [[B|the b]] and ![x](img/p.png)\n`[[not]]`'), {
      id: 'l',
      type: 'link',
      url: 'https://x.y',
    });
    expect(
      canvasReferences(parseCanvas(text)).map(({ node, kind, target, subpath, display, embed }) => [
        node,
        kind,
        target,
        subpath,
        display,
        embed,
      ]),
    ).toEqual([
      ['f', 'file', 'a/N.md', '#H', undefined, true],
      ['t', 'text', 'B', '', 'the b', false],
      ['t', 'text', 'img/p.png', '', 'x', true],
    ]);
  });

  it('lets a link be rewritten in place, escapes before it and in it included', () => {
    const before = textNode('“q” "x"\n\t👍 \\ [[Old "name"|shown]] é [[Old "name"#H]]');
    // Other programs may escape every non-ASCII character.
    const escaped = canvas(file, before).replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    for (const text of [canvas(file, before), escaped]) {
      const references = canvasReferences(parseCanvas(text));
      const splices = references
        .filter(({ target }) => target === 'Old "name"')
        .map(({ targetSpan }) => ({ ...targetSpan, insert: jsonStringContent('New "n\\"') }));
      const after = parseCanvas(applySplices(text, splices));
      expect(after.nodes[1]?.data).toEqual({
        ...before,
        text: before.text.replaceAll('Old "name"', 'New "n\\"'),
      });
      expect(splices).toHaveLength(2);
    }
  });

  it('gives the file node path to rewrite', () => {
    const text = canvas(file);
    const [reference] = canvasReferences(parseCanvas(text));
    expect(text.slice(reference?.targetSpan.start, reference?.targetSpan.end)).toBe('a/N.md');
  });
});

describe('for the index', () => {
  it('links carry a short context, cut between characters', () => {
    const long = `[[B]] ${'👍'.repeat(400)}`;
    const [link] = canvasLinks(parseCanvas(canvas(textNode(long))));
    expect(link).toMatchObject({ target: 'B', subpath: '', embed: false });
    expect(link?.context.length).toBeLessThanOrEqual(300);
    expect(link?.context).not.toMatch(/\p{Surrogate}/u);
    expect(canvasLinks(parseCanvas(canvas(file)))[0]?.context).toBe('a/N.md#H');
  });

  it('text holds texts, labels, paths and addresses', () => {
    const group = { id: 'g', type: 'group', label: 'Plan' };
    const text = canvasText(
      parseCanvas(canvas(textNode('hello'), group, file, { id: 'l', type: 'link', url: 'https://x.y' })),
    );
    expect(text.split('\n')).toEqual(['hello', 'Plan', 'a/N.md', 'https://x.y']);
  });
});
