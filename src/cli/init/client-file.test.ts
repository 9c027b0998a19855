import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command, McpClient } from '../clients/client.ts';
import { CLIENTS, clientNamed } from '../clients/table.ts';
import { removeEmpty } from '../made-folders.ts';
import { planEntry, planRemoval, writeEntry, writeRemoval } from './client-file.ts';
import { Records } from './records.ts';

let home: string;
let records: Records;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-init-'));
  records = new Records({ HOME: home, XDG_STATE_HOME: join(home, 'state') });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const cursor = clientNamed('cursor') as McpClient;
const put = async (client: McpClient, file: string, command: Command) =>
  await writeEntry(await planEntry(client, file, command), records);
const take = async (client: McpClient, file: string) => {
  const folders = await writeRemoval(await planRemoval(client, file, records), records);
  for (const folder of folders) removeEmpty(folder);
};
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a file of a client', () => {
  it('keeps its mode, and what is made anew is for its owner alone', async () => {
    const file = join(home, 'mcp.json');
    writeFileSync(file, '{"env": {"KEY": "secret"}}');
    chmodSync(file, 0o644);
    const backup = await put(cursor, file, ['n']);
    expect([mode(file), mode(backup ?? '')]).toEqual(['644', '600']);
    expect(readFileSync(backup ?? '', 'utf8')).toBe('{"env": {"KEY": "secret"}}');
    const fresh = join(home, 'a', 'b', 'mcp.json');
    await put(cursor, fresh, ['n']);
    expect([mode(fresh), mode(dirname(fresh))]).toEqual(['600', '700']);
    expect([
      mode(join(home, 'state', 'lectern')),
      mode(join(home, 'state', 'lectern', 'clients.json')),
    ]).toEqual(['700', '600']);
    await take(cursor, fresh);
    await take(cursor, file);
    expect(readdirSync(home)).toEqual(['mcp.json']);
    expect(mode(file)).toBe('644');
  });

  it('that is a link stays one, and the file it leads to is changed and put back', async () => {
    const real = join(home, 'dotfiles.json');
    const file = join(home, 'mcp.json');
    writeFileSync(real, '{ }\n');
    symlinkSync('dotfiles.json', file);
    await put(cursor, file, ['n']);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('lectern');
    await take(cursor, file);
    expect([readFileSync(real, 'utf8'), lstatSync(file).isSymbolicLink()]).toEqual(['{ }\n', true]);
  });

  it('that is no text in UTF-8 is left alone', async () => {
    const file = join(home, 'mcp.json');
    const bytes = Buffer.from('\ufeff{}', 'utf16le');
    writeFileSync(file, bytes);
    await expect(put(cursor, file, ['n'])).rejects.toMatchObject({ code: 'invalid_input' });
    expect(readFileSync(file)).toEqual(bytes);
    expect(readdirSync(home)).toEqual(['mcp.json']);
  });

  it('gives way to nobody: a change in between is seen, and nothing is overwritten', async () => {
    const file = join(home, 'mcp.json');
    writeFileSync(file, '{}');
    const plan = await planEntry(cursor, file, ['n']);
    writeFileSync(file, '{"mine": 1}');
    await expect(writeEntry(plan, records)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(file, 'utf8')).toBe('{"mine": 1}');
  });

  it('with an entry of a person goes back to what it says without it', async () => {
    const file = join(home, 'mcp.json');
    writeFileSync(file, '{"mcpServers": {"lectern": {"command": "own", "env": {"A": "1"}}, "b": {}}}');
    await put(cursor, file, ['n']);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.lectern).toMatchObject({
      command: 'n',
      env: { A: '1' },
    });
    await take(cursor, file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { b: {} } });
  });

  it('without a record of it loses our entry and nothing else', async () => {
    const file = join(home, 'mcp.json');
    writeFileSync(file, '{\n  // mine\n  "mcpServers": {\n    "a": {}\n  }\n}\n');
    const before = readFileSync(file, 'utf8');
    await put(cursor, file, ['n']);
    rmSync(join(home, 'state'), { recursive: true });
    await take(cursor, file);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

const STARTS: Readonly<Record<string, readonly string[]>> = {
  json: ['{}', '{\n  "x": 1 // y\n}\n', '\ufeff{\r\n\t"mcpServers": {},\r\n}', ' '],
  yaml: [
    '',
    '# only\n',
    'a: 1',
    'extensions:\n  b:\n    type: x\nmcpServers:\n- name: b\n',
    'a: 1\r\nb: [c]\r\n',
  ],
  toml: ['', 'model = "x"', '[a]\nb = 1\n', 'c = 1\r\n\r\n[mcp_servers.other]\r\ncommand = "o"\r\n'],
};
/** Text that another program or person may append to a file of each syntax. */
const LATER: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => `${text}\n// later\n`,
  yaml: (text) => `${text}\n# later\n`,
  toml: (text) => `${text}\n# later\n`,
};

describe('any way of setting up and taking back', () => {
  it('ends with the file as it was, and with others’ changes if there were any', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CLIENTS),
        fc.nat(9),
        fc.array(fc.constantFrom<readonly string[]>(['n'], ['n', '--read-only'], ['o', 'ü "x"']), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.boolean(),
        async (client, which, commands, isChanged) => {
          const folder = mkdtempSync(join(home, 'c-'));
          const file = join(folder, 'deep', 'settings');
          const starts = [undefined, ...(STARTS[client.format] ?? [])];
          const start = starts[which % starts.length];
          if (start !== undefined) {
            mkdirSync(dirname(file));
            writeFileSync(file, start);
          }
          for (const command of commands) await put(client, file, command as unknown as Command);
          if (isChanged)
            writeFileSync(
              file,
              (LATER[client.format] as (text: string) => string)(readFileSync(file, 'utf8')),
            );
          await take(client, file);
          if (isChanged) {
            const left = readFileSync(file, 'utf8');
            expect(left).toContain('later');
            expect(left).not.toContain('lectern');
          } else if (start === undefined) expect(readdirSync(folder)).toEqual([]);
          else {
            expect(readFileSync(file, 'utf8')).toBe(start);
            expect(readdirSync(dirname(file))).toEqual(['settings']);
          }
          expect(existsSync(join(home, 'state'))).toBe(false);
          rmSync(folder, { recursive: true });
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);
});
