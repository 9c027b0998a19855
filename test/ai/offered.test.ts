import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { offerOf } from '../../src/app/offer.ts';
import { indxCatalogue } from '../../src/catalogues/indx/catalogue.ts';
import { mounted } from '../../src/catalogues/mounted.ts';
import { localRunner } from '../../src/cli/commands/local.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { aiStatus } from '../../src/operations/ai-status.ts';
import type { Offer } from '../../src/operations/offer.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { McpWire } from '../support/mcp-wire.ts';
import { ERAS, statelessRequest } from '../support/protocol.ts';
import { restClient } from '../support/rest-client.ts';
import { bearer, openTestDoor, type TestDoor } from '../support/test-door.ts';

/** The tools that ask a model are there when somebody is configured to answer, and only then. */

const AI = OPERATIONS.filter(({ toolset }) => toolset === 'ai').map(({ name }) => name);
let door: TestDoor;
let offer: Offer;

beforeAll(async () => {
  offer = offerOf(resolveSettings({ vault: '/v' }, {}));
  door = await openTestDoor(
    { 'A.md': '# A\n' },
    {
      door: {
        assistants: undefined,
        served: { all: OPERATIONS, offer, vaults: [{ name: 'test', readOnly: false }] },
      },
    },
  );
});
afterAll(() => door.close());

async function toolsIn(wire: McpWire): Promise<string[]> {
  const { result } = await wire.request('tools/list');
  return (result.tools as { name: string }[]).map(({ name }) => name);
}

describe.each(ERAS)('over MCP %s', (era) => {
  it('lists nothing and answers ai_unavailable where nobody answers', async () => {
    const wire = await McpWire.connect(
      door.vault.session,
      era,
      mounted(indxCatalogue, { ...offer, toolsets: undefined }),
      {},
      'none',
    );
    expect(await toolsIn(wire)).not.toEqual(expect.arrayContaining(AI));
    for (const name of AI) {
      const { result } = await wire.request('tools/call', { name, arguments: {} });
      expect([name, result.isError]).toEqual([name, true]);
    }
    const { result } = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
    expect(result.structuredContent).toMatchObject({
      code: 'ai_unavailable',
      next: expect.stringContaining('ai.provider'),
    });
    // A name that nothing has is another matter.
    expect((await wire.request('tools/call', { name: 'ai_sing', arguments: {} })).error?.code).toBe(-32602);
    await wire.close();
  });

  it('lists them with the usual sets where somebody is configured', async () => {
    const configured = offerOf(resolveSettings({ vault: '/v', aiProvider: 'builtin' }, {}));
    const wire = await McpWire.connect(door.vault.session, era, mounted(indxCatalogue, configured));
    expect(await toolsIn(wire)).toEqual(expect.arrayContaining(AI));
    const { result } = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
    expect(result.structuredContent).toMatchObject({ provider: 'builtin', mode: 'extractive' });
    await wire.close();
  });
});

it('goes by the tools and scopes of a token over HTTP', async () => {
  const token = door.token('all', 'vault:admin');
  const call = async (name: string, bearerToken: string) => {
    const { body, headers } = statelessRequest('tools/call', { name, arguments: {} });
    const response = await door.post(body, { ...headers, ...bearer(bearerToken) });
    return (await response.json()) as { result?: { structuredContent: { code: string } }; error?: object };
  };
  expect((await call('ai_status', token)).result?.structuredContent.code).toBe('ai_unavailable');
  // Who may not have it is not told that it exists.
  const other = door.token('other', 'vault:read', 'tool:note_*');
  expect((await call('ai_status', other)).error).toBeDefined();
});

it('is 503 with the code over REST', async () => {
  const { status, body } = await restClient(door.vault.session, offer, 'none').send('GET', '/v1/ai/status');
  expect([status, body.error.code]).toEqual([503, 'ai_unavailable']);
  const configured = await restClient(door.vault.session, { operations: OPERATIONS }, () => EXTRACTIVE).send(
    'GET',
    '/v1/ai/status',
  );
  expect(configured.body.data).toMatchObject({ provider: 'builtin', reachable: true });
});

it('goes by the settings on the command line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-ai-offered-'));
  const vault = join(folder, 'notes');
  const config = join(folder, 'lectern.yaml');
  const status = async () => {
    const runner = await localRunner({ vault: door.vault.folder, config, state: join(folder, 'state') });
    try {
      return await runner.run(aiStatus, {});
    } finally {
      await runner.close();
    }
  };
  writeFileSync(config, `vaults: { notes: ${JSON.stringify(vault)} }\n`);
  await expect(status()).rejects.toMatchObject({ code: 'ai_unavailable' });
  writeFileSync(config, 'ai: { provider: builtin }\n');
  expect(await status()).toMatchObject({ provider: 'builtin', mode: 'extractive' });
  rmSync(folder, { recursive: true, force: true });
});
