import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LECTERN, ProcessWire } from '../support/process-wire.ts';
import { ERAS, type Era } from '../support/protocol.ts';
import { openTestProvider, type TestProvider } from './provider.ts';

/** The built program with a provider: where its key comes from, and where it does not go. */

const KEY = 'sk-very-secret-key';
const PROVIDERS = ['openai-compatible', 'openai', 'anthropic', 'google'];

let provider: TestProvider;
let home: string;
beforeAll(async () => {
  provider = await openTestProvider();
  home = mkdtempSync(join(tmpdir(), 'lectern-ai-key-'));
  mkdirSync(join(home, 'notes'));
  writeFileSync(join(home, 'notes', 'Crane.md'), '# Crane\n\nThe crane waits for the tide.\n');
  writeFileSync(join(home, 'ai-key'), `${KEY}\n`, { mode: 0o600 });
});
afterEach(() => {
  provider.requests.length = 0;
});
afterAll(async () => {
  await provider.close();
  rmSync(home, { recursive: true, force: true });
});

function config(key: string, name = 'openai-compatible'): string {
  const file = join(home, 'lectern.yaml');
  writeFileSync(
    file,
    `vaults: { notes: notes }\nai:\n  provider: ${name}\n  model: test-model\n  base_url: ${provider.baseUrl}\n  key: ${key}\n`,
  );
  return file;
}

function lectern(args: readonly string[], environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    ...environment,
  };
  return spawnSync(process.execPath, [LECTERN, ...args], {
    env,
    cwd: home,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

describe('the key', () => {
  it('is not shown, and a file of it that others may read is refused', () => {
    const file = config('{ file: ai-key }');
    const shown = lectern(['config', 'show', '--config', file]);
    expect(shown.stdout).toMatch(/^ai\.key +\*{8}$/m);
    expect(shown.stdout + shown.stderr).not.toContain(KEY);
    chmodSync(join(home, 'ai-key'), 0o644);
    const refused = lectern(['ai', 'status', '--config', file]);
    chmodSync(join(home, 'ai-key'), 0o600);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('chmod 600');
    expect(refused.stderr).not.toContain(KEY);
  });

  it.runIf(process.platform === 'linux')('may be in the keychain of the system', async () => {
    // Stands in for the command that asks it: no test may touch a real one.
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'secret-tool'),
      `#!/bin/sh\n[ "$*" = "lookup service lectern account ai" ] && printf ${KEY}\n`,
      { mode: 0o755 },
    );
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [LECTERN, 'ai', 'ask', 'What does the crane wait for?', '--vault', 'notes'],
      {
        cwd: home,
        env: {
          PATH: `${bin}:/usr/bin:/bin`,
          HOME: home,
          XDG_STATE_HOME: join(home, 'state'),
          LECTERN_AI_PROVIDER: 'openai-compatible',
          LECTERN_AI_MODEL: 'test-model',
          LECTERN_AI_URL: provider.baseUrl,
        },
      },
    );
    expect(provider.requests.map(({ headers }) => headers.authorization)).toContain(`Bearer ${KEY}`);
    expect(stdout + stderr).not.toContain(KEY);
  });

  it('is asked for at the start where a provider has none', () => {
    const { status, stderr } = lectern(['ai', 'status', '--vault', 'notes'], {
      LECTERN_AI_PROVIDER: 'anthropic',
      LECTERN_AI_MODEL: 'a',
      ANTHROPIC_API_KEY: 'not for Lectern',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('LECTERN_AI_KEY');
  });
});

/** All pairs in the campaigns, else each provider in one era: where the key is kept knows nothing of the protocol. */
const PAIRS = PROVIDERS.flatMap((name, at) =>
  (process.env.LECTERN_CAMPAIGN ? ERAS : [ERAS[at % ERAS.length] as Era]).map((era) => ({ name, era })),
);

describe('the program', () => {
  it.each(PAIRS)(
    'with $name answers over $era, and leaves the key in no file and no log',
    async ({ name, era }) => {
      const wire = await new ProcessWire(
        ['--config', config('{ file: ai-key }', name), '--log-level', 'debug'],
        home,
        era,
      ).open();
      const { result } = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
      expect(result.structuredContent).toMatchObject({ provider: name, reachable: true });
      await wire.end();
      expect(wire.stderr).not.toContain(KEY);
      const state = join(home, 'state');
      const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      expect(files.length).toBeGreaterThan(3);
      for (const { name: file, parentPath } of files)
        expect(readFileSync(join(parentPath, file)).includes(KEY), file).toBe(false);
    },
  );
});
