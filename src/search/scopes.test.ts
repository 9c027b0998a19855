import { describe, expect, test } from 'vitest';
import type { ScopeName } from './query/ast.ts';
import { segments } from './scopes.ts';

const parts = (text: string, scope: ScopeName): string[] =>
  [...segments(text, scope)].map(({ start, end }) => text.slice(start, end));

const NOTE = [
  '---',
  'title: # no heading',
  '---',
  '# One',
  'para a',
  'para b',
  '',
  '- item',
  '  more of it',
  '  - nested',
  '- other',
  '```',
  '# code',
  '',
  '- [ ] no task',
  '```',
  '## Two',
  '- [ ] open',
  '- [x] done',
  '1. [-] cancelled',
  '> - [ ] quoted',
  '- [ ]no space',
  '- [ab] two letters',
].join('\n');

describe('segments', () => {
  test('lines, without their ends', () => {
    expect(parts('a\r\nb\n\nc', 'line')).toEqual(['a', 'b', '', 'c']);
  });

  test('blocks: paragraphs, list items with what is nested, headings, fences', () => {
    expect(parts(NOTE, 'block').slice(1, 6)).toEqual([
      '# One',
      'para a\npara b',
      '- item\n  more of it\n  - nested',
      '- other',
      '```\n# code\n\n- [ ] no task\n```',
    ]);
  });

  test('sections: from heading to heading, of any level, not inside fences', () => {
    expect(parts(NOTE, 'section').map((part) => part.split('\n')[0])).toEqual(['---', '# One', '## Two']);
    expect(parts(NOTE, 'section').join('')).toBe(NOTE);
  });

  test('tasks', () => {
    expect(parts(NOTE, 'task')).toEqual(['open', 'done', 'cancelled', 'quoted']);
    expect(parts(NOTE, 'task-todo')).toEqual(['open', 'quoted']);
    expect(parts(NOTE, 'task-done')).toEqual(['done', 'cancelled']);
    expect(parts('* [X] a\r\n', 'task-done')).toEqual(['a']);
  });

  test('hostile texts take linear time', () => {
    const before = process.cpuUsage();
    for (const text of [
      '```\n'.repeat(50_000),
      '# '.repeat(200_000),
      '- '.repeat(200_000),
      `- [${' '.repeat(300_000)}`,
      '> '.repeat(200_000),
      '\n'.repeat(300_000),
    ]) {
      for (const scope of ['line', 'block', 'section', 'task'] as const) parts(text, scope);
    }
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
  });
});
