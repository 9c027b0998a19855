import { afterEach, describe, expect, it } from 'vitest';
import { JsonRpcError } from '../../src/catalogues/json-rpc-error.ts';
import { CATALOGUES } from '../../src/catalogues/list.ts';
import { LecternError } from '../../src/errors.ts';
import { openTestDoor, type TestDoor } from '../support/test-door.ts';
import { DIALECTS, type DialectName, EVERY_TOOL, joplinId, type Speaker, speaker } from './any-dialect.ts';

/** One note, every dialect: exact edits, one history, one write path. */

const open: TestDoor[] = [];
afterEach(async () => {
  for (const door of open.splice(0)) await door.close();
});

async function doorOn(files: Record<string, string>): Promise<TestDoor> {
  const door = await openTestDoor(files, EVERY_TOOL);
  open.push(door);
  return door;
}

interface Edit {
  readonly tool: string;
  /** Makes the edit on `Work/Plan.md`. */
  make(client: Speaker): Promise<unknown>;
  /** What becomes of the note's text. */
  expected(text: string, eol: string): string;
}

const replace = (find: string, by: string) => (text: string) => text.replace(find, by);

/** Each changes a word or adds a line, by what its clients have for that. */
const EDITS: Readonly<Record<DialectName, readonly Edit[]>> = {
  indx: [
    {
      tool: 'note_patch',
      make: (client) =>
        client.facts('note_patch', {
          path: 'Work/Plan.md',
          ops: [{ op: 'replace_text', old: 'indx-word', new: 'changed by indx' }],
        }),
      expected: replace('indx-word', 'changed by indx'),
    },
  ],
  joplin: [
    {
      tool: 'joplin/update_note',
      make: async (client) =>
        client.facts('update_note', {
          id: await joplinId(client, 'Plan'),
          replace_text: { find: 'joplin-word', replace: 'changed by joplin' },
        }),
      expected: replace('joplin-word', 'changed by joplin'),
    },
    {
      tool: 'joplin/update_note',
      make: async (client) =>
        client.facts('update_note', { id: await joplinId(client, 'Plan'), append: '\njoplin was here' }),
      expected: (text, eol) => `${text}${eol}joplin was here`,
    },
  ],
  obsidian: [
    {
      tool: 'obsidian/obsidian_append_note',
      make: (client) =>
        client.facts('obsidian_append_note', { path: 'Work/Plan.md', content: ' obsidian', inline: true }),
      expected: (text) => text.replace(/(\r?\n)?$/, (end) => ` obsidian${end}`),
    },
    {
      tool: 'obsidian/obsidian_set_property',
      make: (client) =>
        client.facts('obsidian_set_property', { path: 'Work/Plan.md', name: 'status', value: 'set' }),
      expected: replace('status: open ', 'status: set '),
    },
  ],
  silverbullet: [
    {
      tool: 'silverbullet/write_page',
      make: async (client) => {
        const { body, lastModified } = await client.facts('read_page', { page: 'Work/Plan' });
        return await client.facts('write_page', {
          page: 'Work/Plan',
          body: body.replace('silverbullet-word', 'changed by silverbullet'),
          expected_last_modified: lastModified,
        });
      },
      expected: replace('silverbullet-word', 'changed by silverbullet'),
    },
  ],
  inklings: [
    {
      tool: 'inklings/update_page_content',
      make: async (client) => {
        const { content } = await client.facts('read_page', { slug: 'plan' });
        return await client.facts('update_page_content', {
          slug: 'plan',
          content: content.replace('inklings-word', 'changed by inklings'),
        });
      },
      expected: replace('inklings-word', 'changed by inklings'),
    },
  ],
};

const BODY = [
  '---',
  '# a comment',
  'status: open    # kept',
  "odd:   [ 'a' ,b ]",
  '---',
  '# Plan 🚢  ',
  '',
  '| a | b\\|c |',
  '|:--|--:|',
  '|  x|y  |',
  '',
  ...DIALECTS.map((name) => `- [ ] ${name}-word, see [[Other|*o*]] and [x](../Other.md#A%20b)  `),
  '',
  '```',
  'code\t ',
  '```',
  '%% hidden %% é é 会',
].join('\n');

const TEXTS: readonly (readonly [what: string, text: string, eol: string])[] = [
  ['lines that end in LF', `${BODY}\n`, '\n'],
  ['no line end at its end', BODY, '\n'],
  ['CRLF', `${BODY}\n`.replaceAll('\n', '\r\n'), '\r\n'],
  ['a byte order mark', `\ufeff${BODY}\n`, '\n'],
  ['one CRLF among LF', `${BODY.replace('# Plan 🚢  \n', '# Plan 🚢  \r\n')}\n`, '\n'],
];

describe('the same note edited through all dialects in turn', () => {
  it.each(TEXTS)(
    '%s: no byte outside the edits changes, one history tells who did what',
    async (_, text, eol) => {
      const door = await doorOn({ 'Work/Plan.md': text, 'Other.md': '# A b\n' });
      let wanted = text;
      const done: string[][] = [];
      for (const dialect of DIALECTS) {
        const client = await speaker(door, dialect);
        for (const { tool, make, expected } of EDITS[dialect]) {
          await make(client);
          wanted = expected(wanted, eol);
          expect(door.vault.file('Work/Plan.md'), tool).toBe(wanted);
          done.push(['mcp', tool, expect.stringMatching(new RegExp(`^${dialect} \\d+$`))]);
        }
      }
      const { items } = await door.vault.session.history({ path: 'Work/Plan.md', limit: 50 });
      expect(items.map(({ door: through, tool, actor }) => [through, tool, actor])).toEqual(done.reverse());
    },
  );
});

/** What each dialect adds to a note without having read it, and where that is found in the text. */
const ADDITIONS: Readonly<
  Record<DialectName, { readonly tool: string; given(client: Speaker, word: string): Promise<object> }>
> = {
  indx: {
    tool: 'note_patch',
    given: async (_, word) => ({
      path: 'Work/Plan.md',
      ops: [{ op: 'append_body', markdown: word }],
    }),
  },
  joplin: {
    tool: 'update_note',
    given: async (client, word) => ({ id: await joplinId(client, 'Plan'), append: `${word}\n` }),
  },
  obsidian: {
    tool: 'obsidian_append_note',
    given: async (_, word) => ({ path: 'Work/Plan.md', content: word }),
  },
  silverbullet: {
    tool: 'append_to_page',
    given: async (_, word) => ({ page: 'Work/Plan', content: `${word}\n` }),
  },
  inklings: {
    tool: 'update_page_metadata',
    given: async (_, word) => ({ slug: 'plan', icon: word }),
  },
};

/** Each dialect with itself and with Lectern's own; every one with every other in the campaigns (`npm run test:long`). */
const PAIRS = DIALECTS.flatMap((one, at) =>
  DIALECTS.slice(at)
    .filter((other) => process.env.LECTERN_CAMPAIGN || at === 0 || one === other)
    .map((other) => [one, other] as const),
);

/** How each dialect says that somebody else was faster; never which version there is now. */
const CONFLICTS: Readonly<Record<DialectName, object>> = {
  indx: { result: { isError: true, structuredContent: { code: 'conflict' } } },
  joplin: { result: { isError: true, content: [{ text: expect.stringContaining('changed meanwhile') }] } },
  obsidian: { error: { code: -32_000, data: { errorCode: 'CONFLICT' } } },
  silverbullet: { result: { content: [{ text: expect.stringContaining('"error": "conflict"') }] } },
  inklings: { error: { code: -32_603, message: expect.stringContaining('changed meanwhile') } },
};

it.each(DIALECTS)(
  '%s says of a conflict that there was one, and not which version there is',
  async (name) => {
    const catalogue = await CATALOGUES.find((entry) => entry.name === name)?.load();
    const [tool] = catalogue?.tools ?? [];
    if (catalogue === undefined || tool === undefined) throw new Error(name);
    const conflict = new LecternError('conflict', 'The note was changed meanwhile.', {
      details: { path: 'Work/Plan.md', etag: '0123456789abcdef', current_etag: '0123456789abcdef' },
    });
    const told = (() => {
      try {
        return { result: catalogue.failure(conflict, { tool, given: { page: 'Work/Plan' } }) };
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        return { error: { code: error.code, message: error.message, data: error.data } };
      }
    })();
    expect(told).toMatchObject(CONFLICTS[name]);
    expect(JSON.stringify(told)).not.toContain('0123456789abcdef');
  },
);

describe.each(PAIRS)('%s and %s write one note at once', (one, other) => {
  it('nothing is lost, and each is told in its own words', async () => {
    const door = await doorOn({ 'Work/Plan.md': 'start\n', 'Other.md': '' });
    const both = [await speaker(door, one), await speaker(door, other)] as const;
    const rounds = await Promise.all(
      Array.from({ length: 5 }, (_, round) => round).flatMap((round) =>
        both.map(async (client, side) => {
          const word = `word-${side}-${round}`;
          const { tool, given } = ADDITIONS[client.dialect];
          return { client, word, tool, given: await given(client, word) };
        }),
      ),
    );
    const answers = await Promise.all(
      rounds.map(async ({ client, word, tool, given }) => {
        const answer = await client.call(tool, given);
        return { client, word, answer };
      }),
    );
    const text = door.vault.file('Work/Plan.md') ?? '';
    const { items } = await door.vault.session.history({ path: 'Work/Plan.md', limit: 50 });
    let written = 0;
    for (const { client, word, answer } of answers) {
      const failed =
        answer.error !== undefined ||
        answer.result?.isError === true ||
        answer.result?.content?.[0]?.text.includes('"error"') === true;
      if (failed) {
        expect(answer, client.dialect).toMatchObject(CONFLICTS[client.dialect]);
        expect(JSON.stringify(answer)).not.toMatch(/"[0-9a-f]{16}"/);
      } else written += 1;
      // An icon takes the place of the one before; what is added to the text stays.
      if (client.dialect !== 'inklings')
        expect(text.includes(word), `${client.dialect} ${word}`).toBe(!failed);
    }
    expect(written).toBeGreaterThan(0);
    expect(items.length).toBe(written);
    expect(text.replace(/^---\nicon: [\w-]+\n---\n/, '').startsWith('start\n')).toBe(true);
    // Whatever anybody replaced is in the history: taken back one by one, the note is what it was.
    for (const { writeId } of items)
      await door.vault.session.undo({ writeId, tool: 'note_undo', dryRun: false });
    expect(door.vault.file('Work/Plan.md')).toBe('start\n');
  });
});
