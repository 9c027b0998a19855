import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../src/journal/audit.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** A server of two vaults over HTTP: every door serves both, and a token for one does not see the other. */

let work: TestDoor;
let home: TestVault;
/** What was done to the second vault. */
const audited: AuditRecord[] = [];
/** A server of the second vault alone. */
let alone: TestDoor;

/** The folder is called like the other vault: neither may be taken for the other. */
const WORK = {
  'home/Plan.md': '# Plan of work\n\nbudget #office\n',
  'A.md': 'budget\n',
  'Prompts/Standup.md': 'stand up\n',
};
const HOME = {
  'Plan.md': '# Plan for the garden\n\ntulips [[Bulbs]] #garden\n',
  'Bulbs.md': 'bulbs\n',
  'Prompts/Water.md': 'water\n',
};

beforeAll(async () => {
  home = await openTestVault(HOME, {
    audit: { append: (record) => void audited.push(record), flush: async () => {} },
  });
  const open = { home: () => home.vault, work: () => work.vault.vault };
  work = await openTestDoor(WORK, {
    door: {
      vault: async (actor, narrowing, name) => open[name as keyof typeof open]().session(actor, narrowing),
      served: {
        all: OPERATIONS,
        offer: { operations: OPERATIONS },
        vaults: [
          { name: 'work', readOnly: false },
          { name: 'home', readOnly: false },
        ],
      },
    },
  });
  alone = await openTestDoor(
    {},
    { door: { vault: async (actor, narrowing) => home.vault.session(actor, narrowing) } },
  );
});

afterAll(async () => {
  await alone.close();
  await work.close();
  await home.close();
  discard(home);
});

async function ask(
  door: TestDoor,
  token: string,
  method: string,
  params: Record<string, unknown> = {},
): Promise<string> {
  const { body, headers } = statelessRequest(method, params);
  const named = typeof params.uri === 'string' ? { 'Mcp-Name': params.uri } : undefined;
  return await (await door.post(body, { ...headers, ...named, ...bearer(token) })).text();
}

async function rest(door: TestDoor, token: string, path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, door.mcpUrl), {
    ...init,
    headers: { ...init.headers, ...bearer(token) },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('REST', () => {
  it('means the first vault without a name, and the one that is named with it', async () => {
    const token = work.token('rest', 'vault:write');
    const read = async (path: string) => (await rest(work, token, path)).text;
    expect(await read('/v1/notes/A.md')).toContain('budget');
    expect(await read('/v1/notes/Plan.md?vault=home')).toContain('tulips');
    expect(await read('/v1/notes/home/Plan.md?vault=work')).toContain('Plan of work');
    expect(await read('/v1/search?q=tulips')).toContain('"total":0');
    expect(await read('/v1/search?q=tulips&vault=home')).toContain('"total":1');
    expect(JSON.parse(await read('/v1/vaults'))).toEqual({
      ok: true,
      data: {
        vaults: [
          { vault: 'work', default: true },
          { vault: 'home', default: false },
        ],
      },
    });
    const wrong = await rest(work, token, '/v1/notes/A.md?vault=hmoe');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Did you mean home?')]);
  });

  it('keeps to the vault in what it says about where things are, and writes it down', async () => {
    const token = work.token('rest writer', 'vault:write');
    const put = { method: 'PUT', body: '{"body":"new"}', headers: { 'Content-Type': 'application/json' } };
    const made = await rest(work, token, '/v1/notes/New.md?vault=home', put);
    expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/notes/New.md?vault=home']);
    expect([home.file('New.md'), work.vault.file('New.md')]).toEqual(['new', undefined]);
    const head = await rest(work, token, '/v1/notes/New.md?vault=home', { method: 'HEAD' });
    expect(head.headers.get('content-location')).toBe('/v1/notes/New.md?vault=home');
    const page = await rest(work, token, '/v1/notes?limit=1&vault=home');
    const next = /<(.+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toContain('vault=home');
    expect((await rest(work, token, next)).text).not.toContain('budget');
    expect(audited.filter(({ who }) => who === 'rest writer')).toMatchObject([{ tool: 'note_write' }]);
    await rest(work, token, '/v1/notes/New.md?vault=home', { method: 'DELETE' });
  });

  it('describes the choice to everybody and names no vault', async () => {
    const document = await (await fetch(new URL('/openapi.json', work.mcpUrl))).text();
    expect(JSON.parse(document).paths['/v1/search'].get.parameters).toContainEqual(
      expect.objectContaining({ name: 'vault', in: 'query', required: false }),
    );
    expect(document).not.toMatch(/"work"|"home"/);
    expect(await new Validator().validate(JSON.parse(document))).toMatchObject({ valid: true });
  });
});

/** What a client can list. */
const LISTS = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
] as const;

describe('a token for one vault of two', () => {
  it('is shown, byte for byte, what a server of that vault alone shows', async () => {
    const token = work.token('home only', 'vault:write', 'vault-name:home');
    const only = alone.token('the only one', 'vault:write');
    const questions: readonly (readonly [string, Record<string, unknown>])[] = [
      ...LISTS,
      ['resources/read', { uri: 'vault://Plan.md' }],
      ['resources/read', { uri: 'vault://A.md' }],
      ['resources/read', { uri: 'vaults://work/A.md' }],
      ['tools/call', { name: 'note_read', arguments: { path: 'Bulb.md' } }],
      ['tools/call', { name: 'note_read', arguments: { vault: 'work', path: 'A.md' } }],
      ['tools/call', { name: 'vault_search', arguments: { q: 'budget' } }],
      ['prompts/get', { name: 'wtaer' }],
      [
        'completion/complete',
        {
          ref: { type: 'ref/resource', uri: 'vault://{+path}' },
          argument: { name: 'path', value: '' },
        },
      ],
      [
        'completion/complete',
        {
          ref: { type: 'ref/resource', uri: 'vaults://{vault}/{+path}' },
          argument: { name: 'vault', value: '' },
        },
      ],
    ];
    for (const [method, params] of questions)
      expect(await ask(work, token, method, params)).toBe(await ask(alone, only, method, params));
    for (const path of ['/v1/notes', '/v1/tags', '/v1/vaults', '/v1/notes/A.md', '/v1/notes/A.md?vault=work'])
      expect(await rest(work, token, path)).toMatchObject({ text: (await rest(alone, only, path)).text });
  });

  it('of which one is read-only is offered no tool that writes', async () => {
    const door = await openTestDoor(
      {},
      {
        door: {
          vault: async (actor, narrowing) => home.vault.session(actor, narrowing),
          served: {
            all: OPERATIONS,
            offer: { operations: OPERATIONS },
            vaults: [
              { name: 'work', readOnly: true },
              { name: 'home', readOnly: false },
            ],
          },
        },
      },
    );
    const tools = (...words: string[]) => ask(door, door.token(words.join(), ...words), 'tools/list');
    expect(await tools('vault:write', 'vault-name:work')).not.toContain('note_write');
    expect(await tools('vault:write', 'vault-name:home')).toContain('note_write');
    expect(await tools('vault:write')).toContain('note_write');
    await door.close();
  });

  it('that is not served is offered nothing, in words that name no other', async () => {
    const token = work.token('elsewhere', 'vault:admin', 'vault-name:attic');
    for (const [method, params] of LISTS) {
      const said = await ask(work, token, method, params);
      expect(said).toContain('error');
      expect(said).not.toMatch(/work|home|note_read/);
    }
    const answer = await rest(work, token, '/v1/notes');
    expect([answer.status, answer.text]).toEqual([403, expect.not.stringMatching(/budget|tulips|home/)]);
  });
});

describe('a token for both', () => {
  it('chooses by name in every list', async () => {
    const token = work.token('both', 'vault:read', 'vault-name:home', 'vault-name:work');
    const tools = await ask(work, token, 'tools/list');
    expect(tools).toContain('"enum":["work","home"]');
    expect(await ask(work, token, 'server/discover')).toContain('(work, home)');
    expect(await ask(work, token, 'resources/read', { uri: 'vaults://home/Plan.md' })).toContain('tulips');
    expect(await ask(work, token, 'resources/read', { uri: 'vault://home/Plan.md' })).toContain('office');
  });
});
