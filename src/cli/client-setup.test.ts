import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientSetups, quote } from './client-setup.ts';

const command = [
  '/usr/bin/node',
  '/opt/lectern/lectern.js',
  'mcp',
  'serve',
  '--stdio',
  '--vault',
  "/home/ann/Ann's notes",
] as const;

describe('clientSetups', () => {
  it('has one line for each client, with the real paths', () => {
    const setups = clientSetups([...command], 'linux');
    expect(setups.map((setup) => setup.client)).toEqual([
      'Claude Desktop',
      'Claude Code',
      'Cursor',
      'VS Code',
    ]);
    for (const { line } of setups) expect(line).not.toContain('\n');
    const [desktop] = setups;
    expect(JSON.parse(desktop?.line ?? '')).toEqual({
      mcpServers: { lectern: { command: '/usr/bin/node', args: command.slice(1) } },
    });
  });

  it('names the file of the platform', () => {
    expect(clientSetups([...command], 'darwin')[0]?.where).toContain('Application Support');
    expect(clientSetups([...command], 'win32')[0]?.where).toContain('%APPDATA%');
  });
});

describe('quote', () => {
  it.skipIf(process.platform === 'win32')('comes back from a POSIX shell as it was', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({
            unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '\n', '漢', '!', '*'),
            maxLength: 8,
          }),
          { minLength: 1, maxLength: 4 },
        ),
        (words) => {
          const line = words.map((word) => quote(word, 'linux')).join(' ');
          const out = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
          expect(out.split('\0').slice(0, -1)).toEqual(words);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('escapes quotes and the backslashes before them for Windows', () => {
    expect(quote('C:\\Program Files\\node.exe', 'win32')).toBe('"C:\\Program Files\\node.exe"');
    expect(quote('C:\\My Notes\\', 'win32')).toBe('"C:\\My Notes\\\\"');
    expect(quote('{"a":"b"}', 'win32')).toBe('"{\\"a\\":\\"b\\"}"');
    expect(quote('C:\\notes', 'win32')).toBe('C:\\notes');
  });
});
