import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import { parseConfig } from './parse.ts';

const FILE = '/etc/lectern/lectern.yaml';

function refusal(source: string): { message: string; next: string | undefined } {
  try {
    parseConfig(source, FILE);
  } catch (error) {
    if (!isLecternError(error)) throw error;
    expect(error.code).toBe('invalid_input');
    return { message: error.message, next: error.next };
  }
  throw new Error('The file was found good.');
}

describe('parseConfig', () => {
  it('makes folders and files absolute, from where the file is', () => {
    const { values } = parseConfig(
      'vaults:\n  work: notes\n  home: { path: ~/Notes }\nstate: ../state\nhttp: { tls_cert: c.pem, tls_key: /k.pem }\nembedder_key: { file: key }\n',
      FILE,
    );
    expect(values).toEqual({
      vaults: { work: resolve('/etc/lectern/notes'), home: { path: join(homedir(), 'Notes') } },
      state: resolve('/etc/state'),
      http: { tls_cert: resolve('/etc/lectern/c.pem'), tls_key: resolve('/k.pem') },
      embedder_key: { file: resolve('/etc/lectern/key') },
    });
  });

  it('takes a file of comments as one without settings, and knows the lines of the others', () => {
    expect(parseConfig('# nothing yet\n', FILE).values).toEqual({});
    const file = parseConfig('# one\nvaults:\n  work: /w\nhttp:\n  # port\n  port: 1\n', FILE);
    expect(file.lineOf(['vaults', 'work'])).toBe(3);
    expect(file.lineOf(['http', 'port'])).toBe(6);
    expect(file.lineOf(['http', 'host'])).toBeUndefined();
  });

  it.each([
    ['read_onli: true', /:1: There is no setting "read_onli"\./, 'Did you mean read_only?'],
    ['\nhttp:\n  prot: 1', /:\d: There is no setting "prot" in http\./, 'Did you mean port?'],
    ['vaults:\n  a: { path: /a, readonly: true }', /"readonly" in vaults\.a\./, 'Did you mean read_only?'],
    ['paths: { read: { denny: [x] } }', /"denny" in paths\.read\./, 'Did you mean deny?'],
    ['banana: 1', /"banana"\./, /^Settings there: vaults, read_only, /],
    ['read_only: yes', /:1: read_only cannot be this: /, 'Refuse every write.'],
    ['paths: { read: { deny: Private } }', /paths\.read\.deny cannot be this: /, /hidden everywhere/],
    ['http: { port: 70000 }', /http\.port cannot be this: /, /./],
    ['log_level: loud', /log_level cannot be this: /, /./],
    ['embedder_key: hunter2', /embedder_key cannot be this: /, /\{ env: NAME \}/],
    ['vaults:\n  "a b": /a', /:2: "a b" cannot be the name of a vault\./, /letters/],
    ['vaults:\n  2024: /a', /:2: "2024" cannot be the name of a vault\./, /digits alone/],
    ['vaults:\n  a: 3', /:2: vaults\.a cannot be this: /, /./],
    ['read_only: true\nread_only: false', /:2: .*unique/, 'Correct the YAML and try again.'],
    ['tools: [', /:1: /, 'Correct the YAML and try again.'],
    ['- a', /the file cannot be this: /, /^Settings there: /],
  ])('%j is refused in words', (source, message, next) => {
    const found = refusal(source);
    expect(found.message).toMatch(message);
    expect(found.message).toContain(FILE);
    if (typeof next === 'string') expect(found.next).toBe(next);
    else expect(found.next).toMatch(next);
  });

  it('does not repeat a secret that was written into it', () => {
    const found = refusal('embedder_key: hunter2');
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('answers any text with settings or a refusal, in little time', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, n) => `b${n}: &b${n} [*a,*a,*a,*a,*a,*a,*a,*a]`).join('\n')}`;
    const started = performance.now();
    for (const source of [bomb, '['.repeat(1000), '{a: '.repeat(500), 'x'.repeat(2_000_000)]) {
      refusal(source);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (source) => {
        try {
          parseConfig(source, FILE);
        } catch (error) {
          if (!isLecternError(error)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
