import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseMarkdown } from '../markdown.ts';
import { outdentChildren } from './logseq-outline.ts';

const outdented = (text: string) => outdentChildren(text, parseMarkdown(text, 0, 'logseq')) ?? text;

it('takes a tab of indentation from the children of a block without a bullet', () => {
  expect(outdented('## Title\n\t- child\n\t\t- grandchild\n')).toBe('## Title\n - child\n \t- grandchild\n');
});

it.each(['\n', '\r\n', '\r'])('keeps to the line whatever ends it: %j', (eol) => {
  const text = ['\t- deep', '', '## Two', '~~~', '\t- code', '~~~', ''].join(eol);
  expect(outdented(text)).toBe(text.replace('\t- deep', ' - deep'));
});

it('keeps the length of any text', () => {
  const pieces = ['\n', '\r\n', '\r', '\t- a', '  \t- b', '- c', '~~~', '# d', 'text', '\t', ' ', '---'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      expect(outdented(text)).toHaveLength(text.length);
    }),
    { numRuns: 500 },
  );
});
