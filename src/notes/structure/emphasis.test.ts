import { expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { hasHostileEmphasis, hideEmphasis, showEmphasis } from './emphasis.ts';

const HOSTILE = '*a_ '.repeat(20_000);

it('counts marks by paragraph', () => {
  expect(hasHostileEmphasis(HOSTILE)).toBe(true);
  expect(hasHostileEmphasis('**bold** text\r\n\r\n'.repeat(5_000))).toBe(false);
  expect(hasHostileEmphasis('- **bold**\n'.repeat(5_000))).toBe(true);
});

it('hides marks within lines only, and shows them again', () => {
  const text = '* a*b_c\n> _ _ _\n~~~js\nx~~y\n***\n\n1. *z*\r\n';
  const hidden = hideEmphasis(text);
  expect(hidden).toHaveLength(text.length);
  expect(hidden).toContain('* a');
  expect(hidden).toContain('> _ _ _\n~~~js\n');
  expect(hidden).not.toContain('a*b');
  expect(showEmphasis(hidden)).toBe(text);
});

it('reads the same from a note whether its marks were hidden or not', () => {
  const rest = [
    '# H *x* __y__',
    '- [x] a *b* [l](a_b*c.md "t_t") #t_a ^id',
    '[k_k] ![i](<j_j.png>)',
    '~~~\n# no\n~~~',
    '***',
    '[k_k]: z_z.md',
    '',
  ].join('\n\n');
  const plain = parseNote(rest, { dialect: 'obsidian' });
  const beside = parseNote(`${rest}\n${HOSTILE}`, { dialect: 'obsidian' });
  expect(plain.links).toHaveLength(3);
  expect(beside).toMatchObject({ ...plain, text: beside.text });
});
