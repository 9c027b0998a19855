import { describe, expect, it } from 'vitest';
import type { FileCondition } from '../../../notes/file-condition.ts';
import { factsOf } from '../evaluate/evaluator.testing.ts';
import { parseBase } from '../file/base-file.ts';
import { DateValue } from '../values/date-value.ts';
import { narrowingOf } from './narrowing.ts';

function narrowed(filters: string): FileCondition | undefined {
  const base = parseBase(
    `filters: ${filters}\nformulas: {late: due < today(), round: formula.round}`,
    'x.base',
  );
  const [view] = base.views;
  const self = factsOf('Home.md', { properties: { area: 'boats' } });
  return view && narrowingOf(base, view, [], { self, now: new DateValue(Date.UTC(2026, 0, 31), true) });
}

const tag = (name: string): FileCondition => ({ kind: 'tag', tag: name });
const filled = (name: string): FileCondition => ({ kind: 'property', name, tests: [{ is: 'filled' }] });

describe('narrowingOf', () => {
  it.each<[string, FileCondition]>([
    ['file.hasTag("a")', tag('a')],
    ['file.hasTag("a", "b")', { kind: 'any', of: [tag('a'), tag('b')] }],
    ['file.tags.contains("a")', tag('a')],
    ['file.hasTag("a") && other()', tag('a')],
    ['file.hasTag("a") && done', { kind: 'all', of: [tag('a'), filled('done')] }],
    [
      `{and: ['file.hasTag("a")', {or: ['file.hasTag("b")', done]}]}`,
      { kind: 'all', of: [tag('a'), { kind: 'any', of: [tag('b'), filled('done')] }] },
    ],
    [`{not: ['file.hasTag("a")']}`, { kind: 'not', of: tag('a') }],
    ['"!file.hasTag(\\"a\\")"', { kind: 'not', of: tag('a') }],
    ['file.ext == "md"', { kind: 'ext', ext: 'md' }],
    ['file.inFolder("/A/B/")', { kind: 'folder', folder: 'A/B' }],
    ['file.folder == "A"', { kind: 'prefix', prefix: 'A/' }],
    ['file.name == "a.md"', { kind: 'name', name: 'a.md' }],
    ['\'"x" == file.basename\'', { kind: 'basename', name: 'x' }],
    ['file.hasLink(this.file)', { kind: 'links', target: 'Home.md' }],
    ['file.links.contains(link("B#h"))', { kind: 'links', target: 'B' }],
    ['file.size > 10', { kind: 'number', of: 'size', min: 10 }],
    ['10 > file.size', { kind: 'number', of: 'size', max: 10 }],
    ['file.hasProperty("x")', { kind: 'property', name: 'x' }],
    ['"!note[\\"a b\\"].isEmpty()"', filled('a b')],
    ['x != null', filled('x')],
    ['list(x).contains(this)', filled('x')],
    ['done == true', { kind: 'property', name: 'done', tests: [{ is: 'equal', value: 'true' }] }],
    ['n >= 2', { kind: 'property', name: 'n', tests: [{ is: 'number', min: 2 }, { is: 'text' }] }],
    ['formula.late', { kind: 'property', name: 'due', tests: [{ is: 'dated', to: '2026-02-06' }] }],
    [
      'due >= date("2026-03-01") - "1M"',
      { kind: 'property', name: 'due', tests: [{ is: 'dated', from: '2026-01-26' }] },
    ],
  ])('%s', (filters, condition) => {
    expect(narrowed(filters)).toEqual(condition);
  });

  it.each([
    // Any file may match a filter that holds for null or for errors, or that only the file itself decides.
    'x == null',
    'x != "a"',
    '"!x"',
    'x.isEmpty()',
    'file.hasTag("a") || y.isEmpty()',
    "{or: ['file.hasTag(\"a\")', 'x != 1']}",
    '{not: [\'file.hasTag("a") || number(x) > 1\']}',
    '{not: [done]}',
    '{not: [\'file.hasTag("a") && x == 1\']}',
    'this.file.hasTag("a")',
    'file.hasTag("")',
    'file.hasTag(x)',
    'file.ext == "MD"',
    'file.inFolder("/")',
    'file.hasLink("./b")',
    'file.name != "a"',
    'formula.round',
    'random() > 2',
    'x.map(value)',
  ])('nothing for %s', (filters) => {
    expect(narrowed(filters)).toBeUndefined();
  });

  it('stays small, however large the filter is', () => {
    const terms = Array.from({ length: 5000 }, (_, at) => `x == ${at}`);
    expect(narrowed(JSON.stringify(terms.join(' || ')))).toBeUndefined();
    const all = narrowed(JSON.stringify(terms.join(' && ')));
    expect(all?.kind === 'all' && all.of.length).toBe(64);
  });
});
