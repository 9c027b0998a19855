import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { applyPatch } from '../patch/apply.ts';
import { renameTag } from '../patch/rename-tag.ts';

const read = (text: string) => parseNote(text, { dialect: 'logseq' });

describe('tags:: of a Logseq block', () => {
  it.each<[string, readonly string[]]>([
    [
      '- x\n  tags:: one, two words, [[three]], #four, #[[five six]]\n',
      ['one', 'two words', 'three', 'four', 'five six'],
    ],
    ['- x\n\ttags:: a/b\n\t- y\n\t  TAGS::\tc ,d\r\n', ['a/b', 'c', 'd']],
    ['- first\n- tags:: a\n', ['a']],
    ['- x\n  not tags:: a\n  mytags:: b\n  tags: c\n  tags::d\n', []],
    ['- `tags:: a`\n- ```\n  tags:: a\n  ```\n- x\n  tags:: "a, b", 1984, `c`\n', []],
    ['- x\n  alias:: a\n', []],
  ])('%j names the pages %j', (text, pages) => {
    const { links } = read(text);
    expect(links.map(({ target }) => target)).toEqual(pages);
    for (const { targetSpan, target } of links)
      expect(text.slice(targetSpan.start, targetSpan.end)).toBe(target);
  });

  it('follows a rename of the tag, in order', () => {
    const text = '- x #a\n  tags:: a, #a, b, A/c, ab\n  - y #a\n';
    expect(renameTag(text, 'logseq', 'a', 'z z').text).toBe(
      '- x #[[z z]]\n  tags:: z z, #[[z z]], b, z z/c, ab\n  - y #[[z z]]\n',
    );
  });

  it.each([
    ['a, b', 'b'],
    ['b, a', 'b'],
    ['b, a, c', 'b, c'],
    ['a, #a, b', 'b'],
    ['#a, b', 'b'],
    ['b , #[[a]]', 'b'],
  ])('gives an entry up with its comma: %j', (list, left) => {
    const ops = [{ op: 'remove_tag', tag: 'a' }] as const;
    expect(applyPatch(`- x\n  tags:: ${list}\n`, ops, { dialect: 'logseq' }).text).toBe(
      `- x\n  tags:: ${left}\n`,
    );
  });
});
