import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openVault } from '../src/app/open-vault.ts';
import type { Vault } from '../src/vault/vault.ts';
import { ACTOR } from './support/test-vault.ts';

/** An endpoint that knows two subjects, whatever words they are put in. */
const SUBJECTS = [/cat|feline|kitten/i, /boat|vessel|sail/i];
const vectorOf = (text: string) => [...SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0)), 0.1];

let folder: string;
let stateDir: string;
let endpoint: Server;
let asked: string[];
let vault: Vault | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  stateDir = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  for (let at = 0; at < 120; at++)
    writeFileSync(
      join(folder, `filler ${at}.md`),
      `Shopping list number ${at}: bread, milk and item${at % 17}.\n`,
    );
  writeFileSync(join(folder, 'pet.md'), 'The kitten sleeps on the sofa.\n');
  writeFileSync(join(folder, 'harbour.md'), 'We repaired the old vessel.\n');
  asked = [];
  endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { input } = JSON.parse(body) as { input: string[] };
      asked.push(...input);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ model: 'm', embeddings: input.map(vectorOf) }));
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await vault?.close();
  vault = undefined;
  endpoint.closeAllConnections();
  await new Promise((resolve) => endpoint.close(resolve));
  for (const path of [folder, stateDir]) rmSync(path, { recursive: true, force: true });
});

async function open(port: number, warnings: string[] = []): Promise<Vault> {
  vault = await openVault({
    place: { kind: 'folder', location: folder },
    stateDir,
    embedder: {
      setting: { provider: 'ollama', model: 'm', baseUrl: `http://127.0.0.1:${port}` },
      environment: {},
    },
    log: { warn: (_, message) => warnings.push(message), error: (_, message) => warnings.push(message) },
  });
  return vault;
}

test('a configured model embeds the notes in the background and answers what shares no word with them', async () => {
  const session = (await open((endpoint.address() as AddressInfo).port)).session(ACTOR);
  const best = async () => {
    const answer = await session.search({ query: 'feline', mode: 'semantic', filter: {}, limit: 1 });
    return answer.modeUsed === 'semantic' ? answer.items[0]?.path : answer.notice;
  };
  await expect.poll(best, { timeout: 25_000, interval: 250 }).toBe('pet.md');
  expect(asked.some((text) => text.includes('vessel'))).toBe(true);
});

test('an endpoint that is not there leaves a search that works and says what it did', async () => {
  const { port } = endpoint.address() as AddressInfo;
  endpoint.closeAllConnections();
  await new Promise((resolve) => endpoint.close(resolve));
  const warnings: string[] = [];
  const opened = await open(port, warnings);
  await opened.indexed();
  const answer = await opened
    .session(ACTOR)
    .search({ query: 'kitten', mode: 'hybrid', filter: {}, limit: 1 });
  expect(answer.items.map((hit) => hit.path)).toEqual(['pet.md']);
  await expect.poll(() => warnings.join(' '), { timeout: 20_000 }).toMatch(/embedder cannot be used/);
  endpoint = createServer().listen(0);
});
