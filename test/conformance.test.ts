import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceFixture } from './conformance/fixture.ts';
import { ConformanceSuite, type Results, type Revision } from './conformance/suite.ts';
import { freePort } from './support/free-port.ts';
import { openOAuthDoor } from './support/oauth-door.ts';
import { openTestDoor } from './support/test-door.ts';

/**
 * The public conformance suite against Lectern, one test for each of its scenarios. What is left
 * out, and why, is written down in docs/conformance.md.
 */

const RUN_LIMIT_MS = 150_000;
const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];

/** How many scenarios each revision requires of a server: none may get lost on the way. */
const REQUIRED = { '2025-11-25': 30, '2026-07-28': 37 };

/** Scenarios beyond the required ones that are for any server, and pass. */
const BEYOND: Record<Revision, readonly string[]> = {
  '2025-11-25': ['server-session-lifecycle', 'json-schema-2020-12', 'server-sse-polling'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation'],
};

/** Scenarios that need nothing of a server but what every server has. */
const GENERIC: Record<Revision, readonly string[]> = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'logging-set-level',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
};

/** In CI nothing may be missing; elsewhere there may be no network. */
const suite = await ConformanceSuite.install().catch((error: Error) => {
  if (process.env.CI) throw error;
  console.log(`skipped: the conformance suite (${error.message})`);
  return undefined;
});

function expectToPass(results: Results | undefined, scenario: string): void {
  const checks = results?.get(scenario) ?? [];
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  expect(
    bad.map(({ status, id, errorMessage }) => `${status} ${id}: ${errorMessage}`),
    `${scenario}, in the words of the suite`,
  ).toEqual([]);
  const good = checks.filter(({ status }) => status === 'SUCCESS');
  expect(good.length, `${scenario}: checks that were made`).toBeGreaterThan(0);
}

describe.skipIf(suite === undefined).each(REVISIONS)('a server with the fixture, %s', (revision) => {
  const { required, notScored } = suite?.scenarios(revision) ?? { required: [], notScored: [] };
  let results: Results | undefined;

  beforeAll(async () => {
    const door = await openTestDoor({ 'A.md': '# A\n' }, { flags: { auth: false }, ...conformanceFixture() });
    results = await suite?.server(String(door.mcpUrl), revision).finally(() => door.close());
  }, RUN_LIMIT_MS);

  it('is asked everything the revision requires', () => {
    expect(required.length).toBe(REQUIRED[revision]);
    expect(notScored).toEqual(expect.arrayContaining([...BEYOND[revision]]));
  });

  it.each([...required, ...BEYOND[revision]])('passes %s', (scenario) => {
    expectToPass(results, scenario);
  });
});

describe.skipIf(suite === undefined)('the built program on the sample vault', () => {
  let folder: string;
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const results = new Map<Revision, Results>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lectern-conformance-'));
    cpSync(path('../sample-vault'), join(folder, 'vault'), { recursive: true });
    const port = await freePort();
    const place = ['--vault', join(folder, 'vault'), '--state', join(folder, 'state')];
    const served = ['serve', '--http', '--no-auth', '--port', String(port), ...place];
    const lectern = spawn(process.execPath, [path('../dist/lectern.js'), ...served]);
    try {
      await new Promise<void>((resolve, reject) => {
        lectern.stderr.on('data', (data) => {
          if (String(data).includes('/mcp')) resolve();
        });
        lectern.once('exit', (code) => reject(new Error(`lectern serve ended with ${code}`)));
      });
      for (const revision of REVISIONS) {
        const found = await suite?.server(`http://127.0.0.1:${port}/mcp`, revision);
        if (found !== undefined) results.set(revision, found);
      }
    } finally {
      lectern.kill();
    }
  }, RUN_LIMIT_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(REVISIONS.flatMap((revision) => GENERIC[revision].map((scenario) => ({ revision, scenario }))))(
    'passes $scenario, $revision',
    ({ revision, scenario }) => {
      expectToPass(results.get(revision), scenario);
    },
  );
});

describe.skipIf(suite === undefined)('the authorization server', () => {
  let results: Results | undefined;

  beforeAll(async () => {
    const door = await openOAuthDoor({ 'A.md': '# A\n' });
    const port = String(await freePort());
    const registered = await fetch(new URL('/oauth/register', door.origin), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'conformance',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const options = { url: door.origin, 'client-id': client_id, resource: String(door.mcpUrl), port };
    results = await suite
      ?.authorization(options, (request) => door.approve(request))
      .finally(() => door.close());
  }, RUN_LIMIT_MS);

  it.each(['authorization-server-metadata-endpoint', 'authorization-code-grant'])('passes %s', (scenario) => {
    expectToPass(results, scenario);
  });
});

describe('the fixture', () => {
  it('is no part of what is shipped', () => {
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    expect(scripts).toContain('lectern.js');
    const found = scripts.filter((name) =>
      /test_simple_text|test:\/\//.test(readFileSync(join(dist, name), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
