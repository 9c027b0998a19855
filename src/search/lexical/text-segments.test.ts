import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../notes/model.ts';
import type { SegmentKind } from '../query/ast.ts';
import { segments } from './text-segments.ts';

const parts = (text: string, kind: SegmentKind, dialect: Dialect = 'obsidian'): string[] =>
  [...segments(text, kind, dialect)].map(({ start, end }) => text.slice(start, end));

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

  test('tasks are not in comments', () => {
    const text = 'a %% open\n%%\n- [ ] b\n\n%%\n- [ ] no\n%%\n- [x] c\n';
    expect(parts(text, 'task')).toEqual(['b', 'c']);
    expect(parts(text, 'task-todo')).toEqual(['b']);
  });

  test('tasks of Logseq and SilverBullet have words', () => {
    const page =
      '- TODO a\n\t- DOING b\n- DONE c\n- WAITING d\n- CANCELLED e\n- NOW\n- TODOS no\n```\n- TODO no\n```\n';
    expect(parts(page, 'task', 'logseq')).toEqual(['a', 'b', 'c', 'd', 'e', '']);
    expect(parts(page, 'task-todo', 'logseq')).toEqual(['a', 'b', 'd', '']);
    expect(parts(page, 'task-done', 'logseq')).toEqual(['c', 'e']);
    expect(parts(page, 'task')).toEqual([]);
    const space = '* [TODO] a\n* [x] b\n* [IN PROGRESS] c\n* [ ] d\n';
    expect(parts(space, 'task-todo', 'silverbullet')).toEqual(['a', 'c', 'd']);
    expect(parts(space, 'task-done', 'silverbullet')).toEqual(['b']);
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
