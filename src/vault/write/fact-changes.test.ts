import { expect, test } from 'vitest';
import type { ParsedNote } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import { partChange } from './fact-changes.ts';

const TEXT = '# Note\n\n#inText and more\n';

/** What a patch is parted into, and the texts that were parsed for it. */
async function parted(...ops: readonly PatchOp[]) {
  const parsed: string[] = [];
  const parse = async (text: string): Promise<ParsedNote> => {
    parsed.push(text);
    return parseNote(text, { dialect: 'obsidian' });
  };
  const settings = { dialect: 'obsidian' } as const;
  const change = await partChange({ kind: 'patch', ops }, TEXT, { tags: ['kept'] }, { settings, parse });
  return { parsed, change };
}

test('the tags of the text are found by whoever parses notes for the vault, once for all ops: a long note takes a thread', async () => {
  const ops = [
    { op: 'add_tag', tag: 'new' },
    { op: 'add_tag', tag: 'INTEXT' },
    { op: 'remove_tag', tag: 'kept' },
  ] as const;
  const { parsed, change } = await parted(...ops);
  expect(parsed).toEqual([TEXT]);
  expect(change).toEqual({ text: undefined, facts: { tags: ['new'] } });
});

test('a patch that is about no tags has nothing parsed', async () => {
  const { parsed, change } = await parted({ op: 'append_body', markdown: 'x' });
  expect(parsed).toEqual([]);
  expect(change).toEqual({
    text: { kind: 'patch', ops: [{ op: 'append_body', markdown: 'x' }] },
    facts: {},
  });
});
