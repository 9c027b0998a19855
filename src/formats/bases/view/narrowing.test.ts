import { describe, expect, it } from 'vitest';
import { parseBase } from '../file/base-file.ts';
import { narrowingOf } from './narrowing.ts';

describe('narrowingOf', () => {
  it.each([
    ['file.hasTag("a")', { notes: false, tags: ['a'] }],
    ['file.ext == "md" && file.hasTag("#a")', { notes: true, tags: ['a'] }],
    ['{and: [\'file.hasTag("a")\', \'file.hasTag("b/c")\']}', { notes: false, tags: ['a', 'b/c'] }],
    // Alternatives, negations and whatever an index would tell otherwise narrow nothing.
    ['file.hasTag("a", "b")', { notes: false, tags: [] }],
    ['file.hasTag("a") || n == 1', { notes: false, tags: [] }],
    ['{or: [\'file.hasTag("a")\']}', { notes: false, tags: [] }],
    ['{not: [\'file.hasTag("a")\']}', { notes: false, tags: [] }],
    ['"!file.hasTag(\\"a\\")"', { notes: false, tags: [] }],
    ['this.file.hasTag("a")', { notes: false, tags: [] }],
    ['file.hasTag("")', { notes: false, tags: [] }],
    ['file.hasTag(x)', { notes: false, tags: [] }],
    ['file.ext == "canvas"', { notes: false, tags: [] }],
  ])('%s', (filters, narrowing) => {
    const base = parseBase(`filters: ${filters}`, 'x.base');
    const [view] = base.views;
    expect(view && narrowingOf(base, view)).toEqual(narrowing);
  });
});
