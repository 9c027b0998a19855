import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type JsonNode,
  jsonStringContent,
  member,
  parseJson,
  plainValue,
  sourceOffsets,
} from './json-spans.ts';

function strings(node: JsonNode): Extract<JsonNode, { kind: 'string' }>[] {
  if (node.kind === 'string') return [node];
  if (node.kind === 'array') return node.items.flatMap(strings);
  if (node.kind === 'object') return node.members.flatMap((one) => [one.key, ...strings(one.value)]);
  return [];
}

describe('parseJson', () => {
  it('reads what JSON.parse reads, with spans that read back', () => {
    fc.assert(
      fc.property(
        fc.json({ stringUnit: 'grapheme' }),
        fc.constantFrom(undefined, 1, '\t'),
        (json, indent) => {
          const text = JSON.stringify(JSON.parse(json), null, indent);
          const node = parseJson(text, 'It');
          expect(plainValue(node)).toEqual(JSON.parse(text));
          for (const { value, span } of strings(node))
            expect(JSON.parse(text.slice(span.start, span.end))).toBe(value);
        },
      ),
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      'u00e9',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      'null',
      ' ',
      '\n',
      '\t',
      '\u0001',
      '//',
      '\ud83d',
    );
    const accepts = (run: () => unknown) => {
      try {
        run();
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(accepts(() => parseJson(text, 'It'))).toBe(accepts(() => JSON.parse(text)));
      }),
      { numRuns: 1500 },
    );
  });

  it('keeps a repeated key and gives the last, as JSON.parse does', () => {
    const node = parseJson('{"a":1,"a":2,"__proto__":3}', 'It');
    if (node.kind !== 'object') throw new Error('not an object');
    expect(member(node, 'a')).toMatchObject({ value: 2 });
    expect(node.members).toHaveLength(3);
    expect(Object.keys(plainValue(node) as object)).toEqual(['a', '__proto__']);
  });

  it('neither recurses without end nor slows down', () => {
    const started = performance.now();
    expect(() => parseJson('['.repeat(1_000_000), 'It')).toThrow('nested too deeply');
    expect(() => parseJson(`"${'\\n'.repeat(500_000)}`, 'It')).toThrow('has no end');
    expect(() => parseJson(`[${'1,'.repeat(300_000)}`, 'It')).toThrow('not valid JSON');
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('sourceOffsets', () => {
  it('leads from each decoded character to where it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (value, ascii) => {
        let text = `[ "${jsonStringContent(value)}" ]`;
        if (ascii)
          text = text.replace(
            /[\u0080-\uffff]/g,
            (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
          );
        const [string] = strings(parseJson(text, 'It'));
        if (string === undefined) throw new Error('no string');
        const at = sourceOffsets(text, string);
        for (let i = 0; i < value.length; i += 1) {
          expect(JSON.parse(`"${text.slice(at(i), at(i + 1))}"`)).toBe(value[i]);
        }
        expect(at(value.length)).toBe(string.span.end - 1);
      }),
    );
  });
});
