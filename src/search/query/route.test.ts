import { describe, expect, it } from 'vitest';
import { route } from './route.ts';

describe('route', () => {
  it.each([
    'how do I back up my notes',
    'gardening',
    'don’t repeat yourself',
    'self-hosting',
    'how to use Get-ChildItem recursively',
    '怎么备份笔记',
    'what happened in 2024',
  ])('leaves %j to words and meaning', (query) => {
    expect(route(query)).toMatchObject({ kind: 'plain', text: query });
  });

  it.each([
    ['POL-358', 'identifier'],
    ['fooBar', 'identifier'],
    ['my_variable', 'identifier'],
    ['src/main.ts', 'identifier'],
    ['2024-03-01', 'date'],
    ['20240301', 'date'],
    ['1.3.2024', 'date'],
    ['"exactly this"', 'Quoted'],
    ['cats OR dogs', 'operators'],
    ['cats -dogs', 'operators'],
    ['/ca[tr]s?/', 'operators'],
    ['line:(a b)', 'operators'],
    ['[status:open]', 'operators'],
    ['tag:work/plan', 'operators'],
    ['path:Projects', 'operators'],
    ['file:v2.md', 'operators'],
    ['task:call', 'operators'],
    ['-tag:work', 'operators'],
    ['foo:bar', 'identifier'],
  ])('sends %j to the lexical search', (query, reason) => {
    const routed = route(query);
    expect(routed.kind).toBe('lexical');
    expect(routed.kind === 'lexical' && routed.reason).toContain(reason);
  });

  it('keeps tags and paths beside the words', () => {
    const routed = route('tag:#work path:projects how to plan');
    expect(routed).toMatchObject({ kind: 'plain', text: 'how to plan', narrowing: { tags: ['work'] } });
    expect(routed.kind === 'plain' && routed.narrowing.paths).toHaveLength(1);
  });

  it('offers the words for a second look only where nothing narrows or excludes', () => {
    const words = (query: string) => {
      const routed = route(query);
      return routed.kind === 'lexical' ? routed.plain?.text : undefined;
    };
    expect(words('short names like [xml] or [regex]')).toBe('short names like xml or regex');
    expect(words('"quoted words" outside')).toBe('quoted words outside');
    expect(words('cats -dogs')).toBeUndefined();
    expect(words('"a b" tag:#x')).toBeUndefined();
  });

  it.each(['', '   ', '()', '-', '"', '#'])('has nothing to route in %j', (query) => {
    expect(route(query).kind).toBe('lexical');
  });
});
