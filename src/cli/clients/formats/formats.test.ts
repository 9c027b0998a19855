import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { isLecternError } from '../../../errors.ts';
import type { Command, McpClient } from '../client.ts';
import { serversIn, withEntry, withoutEntry } from '../entry-file.ts';
import { clientNamed } from '../table.ts';
import type { Insertion } from './entry-format.ts';
import { parseJsonc } from './jsonc.ts';

/**
 * Files as people and programs write them, in all three syntaxes; results are checked with independent parsers.
 */

const COMMAND: Command = [
  '/usr/bin/node',
  '/opt/lectern.js',
  'mcp',
  'serve',
  '--vault',
  '/home/ann/Ann\'s "notes"',
];

const client = (id: string): McpClient => {
  const found = clientNamed(id);
  if (found === undefined) throw new Error(id);
  return found;
};
const put = (id: string, text: string | undefined, command = COMMAND) =>
  withEntry(client(id), 'settings', text, command);
const take = (id: string, text: string, inserted?: Insertion) =>
  withoutEntry(client(id), 'settings', text, inserted);

/** JavaScript parses comments and trailing commas as JSONC does. */
const readJsonc = (text: string): unknown =>
  JSON.parse(JSON.stringify(runInNewContext(`(${text.replace(/^\ufeff/, '')}\n)`)));
const READERS = {
  json: readJsonc,
  yaml: (text: string) => parseYaml(text.replace(/^\ufeff/, '')) as unknown,
  toml: (text: string) => parseToml(text.replace(/^\ufeff/, '')) as unknown,
};

describe('a file that is not there yet', () => {
  it.each([
    ['cursor', { mcpServers: { lectern: { type: 'stdio', command: COMMAND[0], args: COMMAND.slice(1) } } }],
    ['opencode', { mcp: { lectern: { type: 'local', command: COMMAND } } }],
    ['codex', { mcp_servers: { lectern: { command: COMMAND[0], args: COMMAND.slice(1) } } }],
    [
      'continue',
      {
        name: 'Local Config',
        version: '1.0.0',
        schema: 'v1',
        mcpServers: [{ name: 'lectern', type: 'stdio', command: COMMAND[0], args: COMMAND.slice(1) }],
      },
    ],
  ])('of %s reads as it should', (id, expected) => {
    const { text } = put(id, undefined);
    expect(READERS[client(id).format](text)).toEqual(expected);
    expect(text.endsWith('\n')).toBe(true);
    expect(client(id).command(serversIn(client(id), 'f', text).get('lectern') ?? {})).toEqual(COMMAND);
  });
});

describe('JSON with comments', () => {
  const E = '{"command":"n","args":[]}';
  const inline = (text: string) => put('windsurf', text, ['n']).text;
  it.each([
    // After the last server, with a comma, and not between a server and its comment.
    ['{"mcpServers": {"a": 1}}', `{"mcpServers": {"a": 1, "lectern": ${E}}}`],
    ['{"mcpServers": {"a": 1,}}', `{"mcpServers": {"a": 1, "lectern": ${E},}}`],
    ['{"x": 1}', `{"x": 1, "mcpServers": {"lectern":${E}}}`],
  ])('%s', (before, after) => {
    expect(inline(before)).toBe(after);
  });

  it('keeps comments, order and indentation', () => {
    const before = `// mine
{
\t"theme": "x", // dark
\t"context_servers": {
\t\t// first
\t\t"other": { "command": "o" } // keep
\t\t// last words
\t},
\t/* end */ "vim": true,
}
`;
    const { text, inserted } = put('zed', before, ['n', 'a']);
    expect(text).toBe(
      before.replace(
        '{ "command": "o" } // keep\n',
        `{ "command": "o" }, // keep
\t\t"lectern": {
\t\t\t"command": "n",
\t\t\t"args": [
\t\t\t\t"a"
\t\t\t],
\t\t\t"env": {}
\t\t}
`,
      ),
    );
    expect(take('zed', text, inserted)).toBe(before);
    expect(take('zed', text)).toBe(before);
    // A server was added after ours meanwhile: only ours is removed.
    const later = text.replace('"env": {}\n\t\t}\n', '"env": {}\n\t\t},\n\t\t"new": {}\n');
    expect(take('zed', later, inserted)).toBe(before.replace('} // keep\n', '}, // keep\n\t\t"new": {}\n'));
  });

  it('keeps what a person added to the entry, and changes nothing where nothing is new', () => {
    const first = put('cline', undefined).text;
    const own = first.replace('"disabled": false', '"disabled": false,\n      "autoApprove": ["note_read"]');
    const changed = put('cline', own, ['other']);
    expect(readJsonc(changed.text)).toEqual({
      mcpServers: { lectern: { command: 'other', args: [], disabled: false, autoApprove: ['note_read'] } },
    });
    expect(put('cline', own).text).toBe(own);
  });

  it('takes the level of servers that opencode has since version 2 where it is used', () => {
    const { text } = put('opencode', '{ "mcp": { "servers": { "a": {} } } }');
    expect(readJsonc(text)).toMatchObject({ mcp: { servers: { a: {}, lectern: { type: 'local' } } } });
    const older = put('opencode', '{ "mcp": { "servers": { "type": "local", "command": ["a"] } } }').text;
    expect(readJsonc(older)).toMatchObject({ mcp: { lectern: { type: 'local' } } });
  });
});

describe('files that are left alone', () => {
  it.each([
    ['cursor', '{"mcpServers": {', 'invalid_input'],
    ['cursor', '{"a": 1 "b": 2}', 'invalid_input'],
    ['cursor', "{'a': 1}", 'invalid_input'],
    ['cursor', '{"a": 1} {}', 'invalid_input'],
    ['cursor', '{,}', 'invalid_input'],
    ['cursor', '{"a": 01}', 'invalid_input'],
    ['cursor', '{"a": "\u0001"}', 'invalid_input'],
    ['cursor', '/* no end', 'invalid_input'],
    ['cursor', '[]', 'conflict'],
    ['cursor', '{"mcpServers": null}', 'conflict'],
    ['cursor', '{"mcpServers": [], "x": 1}', 'conflict'],
    ['cursor', '{"mcpServers": {}, "mcpServers": {}}', 'conflict'],
    ['goose', 'extensions: [\n', 'invalid_input'],
    ['goose', 'a: 1\na: 2\n', 'invalid_input'],
    ['goose', 'extensions: text\n', 'conflict'],
    ['goose', 'extensions: ~\n', 'conflict'],
    ['goose', '- a\n', 'conflict'],
    ['goose', 'a: 1\n---\nb: 1\n', 'invalid_input'],
    ['goose', 'a: 1\n...\n', 'conflict'],
    ['continue', 'mcpServers: { a: 1 }\n', 'conflict'],
    ['codex', '[mcp_servers', 'invalid_input'],
    ['codex', 'a = 1\na = 2\n', 'invalid_input'],
    ['codex', 'mcp_servers = {}\n', 'invalid_input|conflict'],
    ['codex', 'mcp_servers.lectern.command = "x"\n', 'conflict'],
    ['codex', '[mcp_servers]\nlectern = { command = "x" }\n', 'conflict'],
  ])('%s: %j', (id, text, code) => {
    let thrown: unknown;
    try {
      put(id, text);
    } catch (error) {
      thrown = error;
    }
    expect(isLecternError(thrown) && code.split('|').includes(thrown.code)).toBe(true);
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const scalars = fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null));
const blanks = fc.array(fc.constantFrom(' ', '\n', '\t', '\r\n', '// c "x": {\n', '/* } , */'), {
  maxLength: 3,
});

/** JSON written by hand: white space and comments anywhere, with or without trailing commas. */
const jsonText: (depth: number) => fc.Arbitrary<string> = (depth) => {
  const text = blanks.map((parts) => parts.join(''));
  const leaf = scalars.map((value) => JSON.stringify(value));
  if (depth === 0) return leaf;
  const value = fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: jsonText(depth - 1) });
  const members = fc.uniqueArray(fc.tuple(words, value, text, text, text), {
    maxLength: 4,
    selector: ([key]) => key,
  });
  return fc.tuple(members, text, fc.boolean()).map(([all, inner, comma]) => {
    const body = all.map(([key, each, a, b, c]) => `${a}${JSON.stringify(key)}${b}:${c}${each}`).join(',');
    return `{${body}${comma && all.length > 0 ? ',' : ''}${inner}}`;
  });
};

const jsonFiles = fc
  .tuple(
    fc.option(jsonText(1), { nil: undefined }),
    fc.array(fc.tuple(words, jsonText(2)), { maxLength: 3 }),
    blanks,
    blanks,
    fc.boolean(),
    fc.nat(3),
  )
  .map(([servers, others, before, after, bom, position]) => {
    const named = new Map(others.filter(([key]) => key !== '__proto__' && key !== 'mcpServers'));
    const parts = [...named].map(([key, value]) => `${JSON.stringify(key)}: ${value}`);
    if (servers !== undefined) parts.splice(position, 0, `"mcpServers": ${servers}`);
    return `${bom ? '\ufeff' : ''}${before.join('')}{${parts.join(',')}}${after.join('')}`;
  });

const yamlParts = fc.constantFrom(
  '# note\n',
  '\n',
  'GOOSE_MODEL: "x" # y\n',
  "deep:\n  - a # one\n  - 'b'\n  # after\n",
  'text: |\n  # no comment\n  extensions: no\n',
  'flow: { a: [1, 2] } # f\n',
  '  # indented\n',
);
const yamlFiles = fc
  .tuple(
    fc.uniqueArray(yamlParts, { maxLength: 5 }),
    fc.constantFrom(
      '',
      'LIST:\n',
      'LIST: # mine\n',
      'LIST: EMPTY\n',
      'LIST: EMPTY # none\n',
      'LIST:\n    ITEM # it\n    # below\n\n',
      'LIST:\n  ITEM\n',
      'LIST:\nITEM\n',
      'LIST: FLOW # f\n',
    ),
    fc.nat(5),
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([parts, section, position, crlf, open, bom]) => {
    const all: string[] = [...parts];
    all.splice(position, 0, section);
    let text = all.join('');
    if (open) text = text.replace(/\n$/, '');
    if (crlf) text = text.replaceAll('\n', '\r\n');
    return bom ? `\ufeff${text}` : text;
  });
const yamlFor = (isList: boolean) =>
  yamlFiles.map((text) =>
    text
      .replace('LIST', isList ? 'mcpServers' : 'extensions')
      .replace('EMPTY', isList ? '[]' : '{}')
      .replace('FLOW', isList ? '[{ name: a }, { name: "b" }]' : '{ a: { type: x }, b: {} }')
      .replace(/( *)ITEM/, (_, pad: string) =>
        isList ? `${pad}- name: a\n${pad}  command: c` : `${pad || '  '}a:\n${pad || '  '}  type: x`,
      ),
  );

const tomlParts = fc.constantFrom(
  '# note\n',
  '\n',
  'model = "o" # [mcp_servers.lectern]\n',
  'list = [\n  "a", # one\n  "[mcp_servers.lectern]",\n]\n',
  'text = """\n[mcp_servers.lectern]\ncommand = \\"x\\"\n"""\n',
);
const tomlTables = fc.constantFrom(
  '[a]\nb = 1\n',
  '  [ a . "b c" ]  # q\nd = \'[x]\'\n\n',
  '[mcp_servers.other]\ncommand = "o"\nargs = [ "[", "]" ]\n',
  '[mcp_servers."x]y"]\ncommand = "p"\n# behind\n',
  '[[products]]\nname = "n"\n',
  '[mcp_servers]\n',
);
const tomlFiles = fc
  .tuple(
    fc.uniqueArray(tomlParts, { maxLength: 4 }),
    fc.uniqueArray(tomlTables, { maxLength: 4 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([parts, tables, crlf, open]) => {
    let text = [...parts, ...tables].join('');
    if (open) text = text.replace(/\n$/, '');
    return crlf ? text.replaceAll('\n', '\r\n') : text;
  });

const FILES: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ['windsurf', jsonFiles],
  ['goose', yamlFor(false)],
  ['continue', yamlFor(true)],
  ['codex', tomlFiles],
];

describe.each(FILES)('any file of %s', (id, files) => {
  const read = READERS[client(id).format];

  it('keeps every byte but those put in, reads as before with the entry in it, and comes back to the byte', () => {
    let refused = 0;
    let done = 0;
    fc.assert(
      fc.property(files, (before) => {
        let edit: ReturnType<typeof put>;
        try {
          edit = put(id, before);
        } catch (error) {
          if (!isLecternError(error)) throw error;
          refused++;
          return;
        }
        done++;
        const { text, inserted } = edit;
        // Only one piece is new, and perhaps a comma.
        expect(inserted?.text.length).toBe(
          text.length - before.length - (inserted?.comma === undefined ? 0 : 1),
        );
        expect(JSON.stringify(read(text))).toContain(JSON.stringify(COMMAND.at(-1)));
        expect(serversIn(client(id), 'f', text).has('lectern')).toBe(true);
        expect(put(id, text).text).toBe(text);
        expect(take(id, text, inserted)).toBe(before);
        // Without the recorded insertion: everything else still parses to the same value.
        const bare = take(id, text);
        expect(serversIn(client(id), 'f', bare).has('lectern')).toBe(false);
        if (before.trim() !== '' && read(before) !== null && read(bare) !== null)
          expect({ [client(id).keys({})[0]]: [], ...(read(bare) as object) }).toMatchObject(
            withoutEmpty(read(before) as object),
          );
        // Another command replaces the first, and nothing else changes.
        const other = put(id, text, ['other']).text;
        expect(read(put(id, other).text)).toEqual(read(text));
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeLessThan(done / 5);
  });
});

/** Empty lists may be removed with the last entry. */
function withoutEmpty(value: object): object {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, inner]) => inner !== null && !(typeof inner === 'object' && Object.keys(inner).length === 0),
    ),
  );
}

it('reads JSONC as JavaScript does, and finds wrong what is wrong', () => {
  fc.assert(
    fc.property(jsonFiles, fc.nat(), fc.constantFrom('', ',', '}', '"', '/', 'x'), (text, at, noise) => {
      const place = at % (text.length + 1);
      const changed = text.slice(0, place) + noise + text.slice(place);
      let ours = true;
      try {
        parseJsonc(changed);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        ours = false;
      }
      let theirs = true;
      try {
        readJsonc(changed);
      } catch {
        theirs = false;
      }
      // JavaScript accepts more (names without quotes), never less.
      if (ours) expect(theirs).toBe(true);
      if (noise === '') expect(ours).toBe(true);
    }),
    { numRuns: 500 },
  );
});
