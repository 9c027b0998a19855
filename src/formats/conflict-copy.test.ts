import { describe, expect, it } from 'vitest';
import { copyName, isVersionOf } from './conflict-copy.ts';

describe('copyName', () => {
  it.each([
    ['a/Pad.sync-conflict-20230112-003022-ABCDEFG.md', 'a/Pad.md'],
    ['Pad.sync-conflict-20230112-003022.md', 'Pad.md'],
    ['Pad (conflicted copy 2026-07-10 070952).md', 'Pad.md'],
    ["Pad (Ann's conflicted copy 2026-07-10).md", 'Pad.md'],
    ["Pad (Ann's conflicted copy 2026-07-10) (2).md", 'Pad.md'],
    ['Pad (Conflicted copy MacBook 202607101200).md', 'Pad.md'],
    ['Pad (In Konflikt stehende Kopie von Ann 2026-07-10).md', 'Pad.md'],
    ['Pad (Copie en conflit de Ann 2026-07-10).md', 'Pad.md'],
    ['Pad (conflict 2026-11-27 221530).md', 'Pad.md'],
    ['Pad (conflict 2026-11-27 221530) 2.md', 'Pad.md'],
    ['Pad (Conflict 2026-11-27).canvas', 'Pad.canvas'],
    ['Pad_conflict-20170101-123456.md', 'Pad.md'],
    ['Pad_conf(1).md', 'Pad.md'],
    ['Pad (SFConflict ann@example.org 2015-03-07-11-30-28).md', 'Pad.md'],
  ])('%s is one beyond doubt', (path, original) => {
    expect(copyName(path)).toEqual({ originals: [original], isCertain: true });
  });

  it.each([
    ['a/Pad 2.md', ['a/Pad.md']],
    ['Pad (1).md', ['Pad.md']],
    ['Pad(1).md', ['Pad.md']],
    ['Pad (Conflict).md', ['Pad.md']],
    ['Talks (conflict resolution).md', ['Talks.md']],
    ['Ukraine (conflict 2014).md', ['Ukraine.md']],
    ['Pad [conflicted].md', ['Pad.md']],
    ['Pad.Conflict.md', ['Pad.md']],
    ['Pad-DESKTOP-AB12CD3.md', ['Pad-DESKTOP.md', 'Pad.md']],
    ['Pad-Anns-MacBook-Pro.md', ['Pad-Anns.md', 'Pad.md']],
    ['Chapter 2.md', ['Chapter.md']],
  ])('%s may be one', (path, originals) => {
    expect(copyName(path)).toEqual({ originals: originals as string[], isCertain: false });
  });

  it.each([
    'Pad.md',
    'Pad 1.md',
    'Pad 100.md',
    '2026-07-10.md',
    'Conflict.md',
    'The conflict of interests.md',
    'Conflicted copy.md',
    'a-b.md',
    'well-known.md',
    '(1).md',
    '2.md',
    'Meeting 2026.md',
  ])('%s is none', (path) => {
    expect(copyName(path)).toBeUndefined();
  });
});

describe('isVersionOf', () => {
  const long = Array.from({ length: 80 }, (_, at) => `word${at} of the text`).join(' ');
  it.each([
    ['an edit', '# Pad\nalpha note old\n', '# Pad\nalpha note\n', 'Pad 2', true],
    ['the same text', '# Pad\nalpha note\n', '# Pad\nalpha note\n', 'Pad 2', true],
    ['a longer version', `# Pad\n${long} and more of it`, `# Pad\n${long}`, 'Pad 2', true],
    [
      'the next chapter',
      '# Chapter 2\n\nText about two.',
      '# Chapter\n\nText about one.',
      'Chapter 2',
      false,
    ],
    ['one that names itself', `# Chapter 2\n${long}`, `# Chapter\n${long}`, 'Chapter 2', false],
    ['two empty notes', '', '', 'Untitled 2', false],
    ['two stubs', 'todo', 'todo', 'Untitled 2', false],
    ['another text', 'shopping list milk eggs', 'meeting with the team', 'Note 2', false],
  ])('%s', (_, copy, original, name, right) => {
    expect(isVersionOf(copy, original, name)).toBe(right);
  });
});
