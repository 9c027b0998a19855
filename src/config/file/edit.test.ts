import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { isLecternError } from '../../errors.ts';
import { removeFromConfig, setInConfig } from './edit.ts';

const FILE = `# Lectern
vaults:
  work: ~/Work # the office
  home:
    path: '~/Notes'
    read_only: true   # for now

paths:
  read:
    deny: # hidden
      - Private # mine
      - "**/*.secret.md"
  write: { deny: [Archive, 'Old, older'] }
tools:
http:
  # where
  host: 127.0.0.1
  port: 7862  # changed

log_level: warn
# the end
`;

describe('setInConfig', () => {
  it.each([
    ['http.port', 80, 'port: 7862', 'port: 80'],
    ['log_level', 'debug', 'log_level: warn', 'log_level: debug'],
    ['vaults.home.read_only', false, 'read_only: true ', 'read_only: false '],
    ['vaults.home', '~/Other', "path: '~/Notes'", 'path: ~/Other'],
    ['vaults.work', '~/W', 'work: ~/Work', 'work: ~/W'],
    ['vaults.work.read_only', true, 'work: ~/Work', 'work: { path: ~/Work, read_only: true }'],
    ['vaults.new', '/n', 'for now\n', 'for now\n  new: /n\n'],
    ['paths.read.deny', ['Private', 'x: y'], '      - "**/*.secret.md"\n', '      - "x: y"\n'],
    [
      'paths.read.deny',
      ['**/*.secret.md', 'Q'],
      '      - Private # mine\n      - "**/*.secret.md"\n',
      '      - "**/*.secret.md"\n      - Q\n',
    ],
    ['paths.read.allow', ['A'], '.secret.md"\n', '.secret.md"\n    allow: [A]\n'],
    ['paths.write.deny', ['Old, older', 'b,c'], "[Archive, 'Old, older']", '[\'Old, older\', "b,c"]'],
    ['paths.write.allow', ['A'], "older'] }", "older'], allow: [A] }"],
    ['tools.deny', ['note_delete'], 'tools:\n', 'tools:\n  deny: [note_delete]\n'],
    ['http.oauth', true, '# changed\n', '# changed\n  oauth: true\n'],
    ['daily_notes.format', 'YYYY', 'log_level: warn\n', 'log_level: warn\ndaily_notes:\n  format: YYYY\n'],
    [
      'embedder_key',
      { env: 'MY_KEY' },
      'log_level: warn\n',
      'log_level: warn\nembedder_key: { env: MY_KEY }\n',
    ],
    ['read_only', true, 'log_level: warn\n', 'log_level: warn\nread_only: true\n'],
  ] as const)('%s to %j changes that alone', (setting, value, old, now) => {
    const key = setting.split('.') as [string, ...string[]];
    expect(FILE.split(old)).toHaveLength(2);
    expect(setInConfig(FILE, key, value)).toBe(FILE.replace(old, () => now));
    const dos = FILE.replaceAll('\n', '\r\n');
    expect(setInConfig(dos, key, value)).toBe(FILE.replace(old, () => now).replaceAll('\n', '\r\n'));
  });

  it.each([
    ['', 'http:\n  port: 1\n'],
    ['# nothing yet', '# nothing yet\nhttp:\n  port: 1\n'],
    ['http:', 'http:\n  port: 1'],
    ['http: # here\n', 'http: # here\n  port: 1\n'],
    ['http: {}\n', 'http: { port: 1 }\n'],
    ['{ log_level: warn }\n', '{ log_level: warn, http: { port: 1 } }\n'],
    ['log_level: warn', 'log_level: warn\nhttp:\n  port: 1\n'],
    ['http:\n    host: a', 'http:\n    host: a\n    port: 1\n'],
    ['\ufeffhttp:\n  host: a\n', '\ufeffhttp:\n  host: a\n  port: 1\n'],
    ['---\nhttp: { port: 2 }\n...\n', '---\nhttp: { port: 1 }\n...\n'],
  ])('writes into %j', (source, now) => {
    expect(setInConfig(source, ['http', 'port'], 1)).toBe(now);
    expect(setInConfig(now, ['http', 'port'], 1)).toBe(now);
  });

  it('refuses what it could only do by losing a comment', () => {
    for (const source of [
      'paths:\n  read:\n    deny:\n      # why\n      - a\n',
      'paths: { read: { deny: [a, # why\n b] } }\n',
    ]) {
      expect(() => setInConfig(source, ['paths', 'read', 'deny'], ['z'])).toThrow(
        expect.objectContaining({ code: 'conflict' }),
      );
    }
  });
});

describe('removeFromConfig', () => {
  it.each([
    ['http.port', '  port: 7862  # changed\n', ''],
    [
      'paths.read.deny',
      '  read:\n    deny: # hidden\n      - Private # mine\n      - "**/*.secret.md"\n',
      '',
    ],
    ['vaults.work', '  work: ~/Work # the office\n', ''],
    ['paths.write.deny', "  write: { deny: [Archive, 'Old, older'] }\n", ''],
  ] as const)('%s', (setting, old, now) => {
    expect(removeFromConfig(FILE, setting.split('.') as [string, ...string[]])).toBe(FILE.replace(old, now));
  });

  it('leaves what is not there, and takes one of several out of braces', () => {
    expect(removeFromConfig(FILE, ['embedder'])).toBe(FILE);
    expect(removeFromConfig('http: { host: a, port: 1 } # x\n', ['http', 'host'])).toBe(
      'http: { port: 1 } # x\n',
    );
    expect(removeFromConfig('http: { host: a, port: 1 } # x\n', ['http', 'port'])).toBe(
      'http: { host: a } # x\n',
    );
  });
});

/** Files as people write them, in any of these layouts, with comments in between. */
const files = fc
  .record({
    http: fc.constantFrom(
      '',
      'http:\n  host: a # h\n',
      'http: { host: a }\n',
      'http:\n',
      'http:\n    # c\n    port: 3\n',
    ),
    paths: fc.constantFrom(
      '',
      'paths:\n  read:\n    deny:\n      - a # one\n      - b\n',
      'paths:\n  read: { deny: [a, "b,c"] }\n',
      'paths:\n  read:\n    deny:\n    - a\n',
      'paths: { read: { allow: [x] } }\n',
    ),
    vaults: fc.constantFrom(
      '',
      'vaults: { w: /w }\n',
      'vaults:\n  w: /w\n',
      'vaults:\n  w: { path: /w } # w\n',
    ),
    comments: fc.array(fc.constantFrom('# note\n', '\n', '  # indented\n'), { minLength: 4, maxLength: 4 }),
    order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    eol: fc.constantFrom('\n', '\r\n'),
    open: fc.boolean(),
  })
  .map(({ http, paths, vaults, comments, order, eol, open }) => {
    const parts = [http, paths, vaults];
    const text = order.map((at, n) => (comments[n] ?? '') + (parts[at] ?? '')).join('') + (comments[3] ?? '');
    return (open ? text.replace(/\n$/, '') : text).replaceAll('\n', eol);
  });

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && !/\p{Cc}|[\u2028\u2029\u0085\ufeff]/u.test(text));
const changes = fc.oneof(
  fc.tuple(fc.constant(['http', 'port'] as const), fc.integer({ min: 0, max: 9 })),
  fc.tuple(fc.constant(['http', 'host'] as const), words),
  fc.tuple(
    fc.constantFrom(['paths', 'read', 'deny'] as const, ['paths', 'write', 'allow'] as const),
    fc.array(words, { maxLength: 4 }),
  ),
  fc.tuple(fc.constantFrom(['vaults', 'w', 'read_only'] as const, ['read_only'] as const), fc.boolean()),
);

describe('any change to any file', () => {
  it('reads back as asked, keeps every comment and is undone by its removal, or is refused', () => {
    let refused = 0;
    let done = 0;
    fc.assert(
      fc.property(files, changes, (source, [key, value]) => {
        let text: string;
        try {
          text = setInConfig(source, [...key] as [string, ...string[]], value);
        } catch (error) {
          if (!isLecternError(error)) throw error;
          refused++;
          return;
        }
        done++;
        expect(parseDocument(text).getIn(key, false)).toBeDefined();
        expect(text.match(/#.*/g)?.length ?? 0).toBeGreaterThanOrEqual(
          source.match(/# (?:note|indented|h|c|one|w)$/gm)?.length ?? 0,
        );
        expect(parseDocument(removeFromConfig(text, [...key] as [string, ...string[]])).hasIn(key)).toBe(
          false,
        );
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeLessThan(done / 10);
  });
});
