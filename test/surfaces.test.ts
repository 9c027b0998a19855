import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTRACTIVE } from '../src/ai/extractive.ts';
import { configurationOf } from '../src/app/configuration.ts';
import { indxCatalogue } from '../src/catalogues/indx/catalogue.ts';
import { mounted } from '../src/catalogues/mounted.ts';
import { remoteRunner, requestFor } from '../src/cli/commands/remote.ts';
import { restApp } from '../src/http/rest/app.ts';
import { inputSchema } from '../src/operations/call/json-schema.ts';
import {
  type CommandOperation,
  hasCommand,
  hasRoute,
  type Operation,
  type RoutedOperation,
} from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { runCommand } from './support/command-line.ts';
import { McpWire } from './support/mcp-wire.ts';
import { statelessRequest } from './support/protocol.ts';
import { restClient, WHOLE } from './support/rest-client.ts';
import { openTestDoor, type TestDoor } from './support/test-door.ts';
import type { TestVault } from './support/test-vault.ts';

/** One operation, every door: the same arguments have to give the same facts, or the same error. */

const configFolder = mkdtempSync(join(tmpdir(), 'lectern-surfaces-'));
const configFile = join(configFolder, 'lectern.yaml');
let served: TestDoor;
let open: TestVault;
let token: string;
let wire: McpWire;
let rest: ReturnType<typeof restClient>;

beforeAll(async () => {
  writeFileSync(configFile, 'log_level: info # for now\n');
  const configuration = configurationOf({ flags: { config: configFile }, environment: {} });
  const files = {
    'Projects/Harbour.md':
      '---\nstatus: open\ntags: [project/harbour]\n---\n# Harbour\n\nThe crane waits for [[Tide table]] and [[Lost]].\n\n## Plan\n\nLift. ^lift\n',
    'Tide table.md':
      '# Tides\n\nSlack water, see [[Harbour]]. #reference\n\n- [ ] Moor 📅 2026-03-04 #boat\n- [x] Row [due:: 2026-03-01]\n- [/] Wait\n',
    'a b/q?x #1 100%.md': 'crane\n',
    'Alone.md': 'Nobody.\n',
    'Board.canvas': '{"nodes":[],"edges":[]}',
    'Map.canvas':
      '{"nodes":[{"id":"t","type":"text","text":"Crane work","x":0,"y":0,"width":200,"height":60},{"id":"f","type":"file","file":"Tide table.md","x":300,"y":0,"width":200,"height":60}],"edges":[{"id":"e","fromNode":"t","toNode":"f"}]}',
    'Broken.canvas': '{"nodes":[{"id":"1"',
    'Open.base': 'filters: status == "open"\n',
  };
  served = await openTestDoor(files, { vault: { configuration } });
  open = served.vault;
  token = served.token('everything', 'vault:admin');
  await open.session.write('Gone.md', { body: 'x' }, { tool: 'note_write', dryRun: false });
  await open.session.remove('Gone.md', { tool: 'note_delete', dryRun: false });
  wire = await McpWire.connect(open.session);
  rest = restClient(open.session);
});

afterAll(async () => {
  await wire.close();
  await served.close();
  rmSync(configFolder, { recursive: true, force: true });
});

type Facts = Readonly<Record<string, unknown>>;

interface Said {
  readonly ok: boolean;
  readonly facts: Facts;
}

const CASES: readonly (readonly [name: string, input: Facts])[] = [
  ['vault_status', {}],
  ['vault_search', { q: 'crane' }],
  ['vault_search', { q: 'crane', limit: 1, mode: 'lexical', path_glob: 'a b/**' }],
  ['vault_search', { q: 'water', tag: ['reference'] }],
  ['vault_search', { q: '' }],
  ['note_read', { path: 'Projects/Harbour.md' }],
  ['note_read', { path: 'a b/q?x #1 100%.md', include: ['stats', 'backlinks'] }],
  ['note_read', { path: 'harbour', heading: 'Plan' }],
  ['note_read', { path: 'Projects/Harbour.md', block_id: 'lift', max_chars: 3, offset: 1 }],
  ['note_read', { path: 'Projects/Harbour.md', heading: 'No such' }],
  ['note_read', { path: 'Nowhere.md' }],
  ['note_read', { path: '../etc/passwd' }],
  ['note_read', { path: '.git/config' }],
  ['note_read', { path: 'Alone.md', max_chars: 0 }],
  ['note_outline', { path: 'Projects/Harbour.md' }],
  ['note_outline', { path: 'Projects/Harbour.md', limit: 1 }],
  ['note_outline', { path: 'Board.canvas' }],
  ['note_list', {}],
  ['note_list', { frontmatter: { status: 'open' } }],
  ['note_list', { tag: 'project', sort: '-title', limit: 1 }],
  ['note_list', { cursor: 'made up' }],
  ['note_list', { where: 'status == "open" || file.name == "Alone.md"', limit: 1 }],
  ['note_list', { where: 'status =' }],
  ['note_exists', { path: 'Tide table.md' }],
  ['note_exists', { path: 'Board.canvas' }],
  ['note_exists', { path: 'Nowhere.md' }],
  ['note_related', { path: 'Alone.md' }],
  ['note_related', { path: 'Nowhere.md' }],
  ['link_backlinks', { path: 'Tide table.md' }],
  ['link_backlinks', { path: 'Nowhere.md' }],
  ['link_forward', { path: 'Projects/Harbour.md', limit: 1 }],
  ['link_unresolved', {}],
  ['link_orphans', { limit: 2 }],
  ['tag_list', {}],
  ['tag_list', { prefix: 'project/' }],
  ['tag_notes', { tag: 'project/harbour' }],
  ['tag_notes', { tag: 'none' }],
  ['property_list', {}],
  ['property_list', { prefix: 'sta', limit: 1 }],
  ['property_values', { name: 'status' }],
  ['property_values', { name: 'statuss' }],
  ['folder_list', {}],
  ['folder_list', { below: 'Projects', limit: 1 }],
  ['folder_create', { path: 'Projects/2026', dry_run: true }],
  ['folder_create', { path: 'Projects' }],
  ['task_list', {}],
  ['task_list', { status: 'open', due_to: '2026-03-31', sort: 'due', limit: 1 }],
  ['task_list', { tag: '#boat', path_glob: 'Tide*' }],
  ['task_list', { due_from: 'tomorrow' }],
  ['task_list', { due_from: '2026-03-04', due_to: '2026-03-03' }],
  ['base_query', { source: 'filters: status == "open"', columns: ['file.name', 'status'] }],
  ['base_query', { path: 'Open.base' }],
  ['base_query', { path: 'Open.base', view: 'None' }],
  ['base_query', { source: 'filters: 1 +' }],
  ['base_check', { path: 'Open.base' }],
  ['base_check', { source: 'a: [' }],
  ['canvas_read', { path: 'Map.canvas' }],
  ['canvas_read', { path: 'map', type: 'text', max_text: 3 }],
  ['canvas_read', { path: 'Map.canvas', limit: 1, order: 'z' }],
  ['canvas_read', { path: 'Board.canvas' }],
  ['canvas_read', { path: 'Broken.canvas' }],
  ['canvas_read', { path: 'Alone.md' }],
  ['canvas_read', { path: 'Nowhere.canvas' }],
  ['canvas_read', { path: 'Map.canvas', group: 'None' }],
  ['canvas_write', { path: 'New.canvas', canvas: { nodes: [{ type: 'text', text: 'a' }] }, dry_run: true }],
  ['canvas_write', { path: 'Map.canvas', canvas: { nodes: [] }, if_not_exists: true }],
  ['canvas_write', { path: 'Map.canvas', canvas: { nodes: [] }, if_match: '0123456789abcdef' }],
  ['canvas_write', { path: 'Map.canvas', canvas: { edges: [{ fromNode: 'x' }] } }],
  ['canvas_write', { path: 'Broken.canvas', canvas: {} }],
  ['canvas_write', { path: 'New.md', canvas: {} }],
  ['canvas_patch', { path: 'Map.canvas', ops: [{ op: 'remove_node', id: 't' }], dry_run: true }],
  [
    'canvas_patch',
    { path: 'Map.canvas', ops: [{ op: 'add_node', type: 'text', text: 'b', near: 't' }], dry_run: true },
  ],
  ['canvas_patch', { path: 'Map.canvas', ops: [{ op: 'move_node', id: 'none', x: 1, y: 1 }] }],
  ['canvas_patch', { path: 'Map.canvas', ops: [{ op: 'explode' }] }],
  ['canvas_patch', { path: 'Alone.md', ops: [{ op: 'remove_node', id: 't' }] }],
  ['ai_status', {}],
  [
    'ai_summarize',
    { scope: { paths: ['Projects/Harbour.md', 'Tide table.md'] }, include: ['tasks', 'tags'] },
  ],
  ['ai_summarize', { scope: { path_glob: 'Projects/**' }, length: 'short', style: 'bullets' }],
  ['ai_summarize', { scope: { paths: ['Nowhere.md'] } }],
  ['ai_summarize', { scope: { folder: 'Projects' } }],
  ['ai_ask', { question: 'What does the crane wait for?' }],
  ['ai_ask', { question: 'crane', scope: { paths: ['Tide table.md'] }, retrieve: { top_k: 1 } }],
  ['ai_ask', { question: 'xyzzy' }],
  ['ai_ask', { question: '' }],
  ['ai_toc', { mode: 'note', path: 'Projects/Harbour.md', include_descriptions: true }],
  ['ai_toc', { mode: 'glob', path: '**', group_by: 'letter', write: { path: 'Map.md' }, dry_run: true }],
  ['ai_toc', { mode: 'tag', path: 'reference', write: { path: 'Alone.md' }, if_not_exists: true }],
  ['ai_toc', { mode: 'folder' }],
  ['ai_relate', { source: 'Tide table.md', propose_links: true }],
  ['ai_relate', { source: 'Alone.md', candidates: ['Tide table.md', 'Nowhere.md'], relations: ['near'] }],
  ['ai_relate', { source: 'Nowhere.md' }],
  ['ai_tag', { scope: { paths: ['Projects/Harbour.md', 'Tide table.md'] } }],
  [
    'ai_tag',
    {
      scope: { paths: ['Alone.md'] },
      vocabulary: { candidates: ['alone'], min_confidence: 0 },
      apply: true,
      dry_run: true,
    },
  ],
  ['ai_tag', { scope: { paths: ['Nowhere.md'] } }],
  ['ai_tag', { scope: {}, vocabulary: { max_per_note: 0 } }],
  [
    'ai_metadata',
    { scope: { paths: ['Tide table.md'] }, fields: [{ name: 'summary' }, { name: 'due', type: 'date' }] },
  ],
  ['ai_metadata', { scope: {}, fields: [{ name: 'a' }, { name: 'A' }] }],
  ['ai_metadata', { scope: {}, fields: [] }],
  [
    'ai_extract',
    {
      scope: { paths: ['Tide table.md'] },
      schema: { type: 'object', properties: { tide: { type: 'string' } } },
      schema_id: 'tides',
    },
  ],
  ['ai_extract', { scope: {}, schema: { type: 'array' } }],
  ['ai_extract', { scope: {}, schema: { type: 'object' }, apply: true }],
  ['note_history', {}],
  ['note_history', { path: 'Gone.md', limit: 1 }],
  ['note_history', { since: 'whenever' }],
  ['trash_list', {}],
  ['note_write', { path: 'New.md', body: 'text\n', dry_run: true }],
  ['note_write', { path: 'Alone.md', body: 'text\n', if_not_exists: true }],
  ['note_write', { path: 'Alone.md', body: 'text\n', if_match: '0123456789abcdef' }],
  ['note_patch', { path: 'Alone.md', ops: [{ op: 'append_body', markdown: 'more' }], dry_run: true }],
  ['note_patch', { path: 'Alone.md', ops: [{ op: 'replace_section', heading: 'X', markdown: 'y' }] }],
  ['note_patch', { path: 'Alone.md', ops: [{ op: 'explode' }] }],
  ['note_move', { from: 'Tide table.md', to: 'Sea/Tides.md', dry_run: true }],
  ['note_move', { from: 'Tide table.md', to: 'Alone.md' }],
  ['note_delete', { path: 'Alone.md', dry_run: true }],
  ['tag_rename', { from: 'reference', to: 'ref', dry_run: true }],
  ['note_undo', { write_id: 1, dry_run: true }],
  ['note_undo', { write_id: 999_999 }],
  ['trash_restore', { trash_path: '.trash/Nothing.md' }],
  ['vault_config_get', {}],
  ['vault_config_get', { setting: 'daily_notes' }],
  ['vault_config_get', { setting: 'daily_nots' }],
  ['vault_config_set', { setting: 'daily_notes.folder', value: 'Journal', dry_run: true }],
  ['vault_config_set', { setting: 'daily_notes.folder', value: '../out', dry_run: true }],
  ['vault_config_set', { setting: 'daily_notes.folder', unset: true }],
  ['vault_config_set', { setting: 'log_level', value: 'debug' }],
  ['vault_config_set', { setting: 'log_levl', value: 'debug' }],
  ['vault_config_set', { setting: 'daily_notes.format' }],
];

/** It cannot be tried twice with the same answer: its time is in it. */
const UNLIKE: readonly string[] = ['vault_reindex'];

it('has a case of every operation', () => {
  const tried = new Set([...CASES.map(([name]) => name), ...UNLIKE]);
  const missing = OPERATIONS.map(({ name }) => name).filter((name) => !tried.has(name));
  expect(missing, 'Add a case to CASES: one that succeeds, and one for each way it can fail.').toEqual([]);
});

describe.each(CASES)('%s %j', (name, input) => {
  const operation = operationNamed(name);

  it('is the same over MCP on both transports, REST and the command line', async () => {
    const overMcp = await askMcp(name, input);
    expect(await askMcpOverHttp(name, input)).toEqual(overMcp);
    if (hasRoute(operation)) expect(await askRest(operation, input)).toEqual(overMcp);
    if (hasCommand(operation)) expect(await askCommandLine(operation, input)).toEqual(inAnyWords(overMcp));
  });
});

describe.each(OPERATIONS.filter(({ scope }) => scope !== 'vault:read').map(({ name }) => name))(
  '%s without its scope',
  (name) => {
    it('is refused over MCP and REST alike', async () => {
      const reader = { operations: OPERATIONS.filter(({ scope }) => scope === 'vault:read') };
      const readerWire = await McpWire.connect(open.session, '2025-11-25', mounted(indxCatalogue, reader));
      const { error } = await readerWire.request('tools/call', { name, arguments: {} });
      expect(error?.code).toBe(-32602);
      await readerWire.close();
      const { rest } = operationNamed(name);
      if (rest === undefined) return;
      const { method, path } = rest;
      const route = path.replace(/\{\w+\}/g, 'Alone.md');
      const { status, body } = await restClient(open.session, reader).send(
        method,
        route,
        method === 'GET' ? {} : { json: {} },
      );
      expect([status, body.error.code]).toEqual([403, 'forbidden']);
    });
  },
);

it('is the same through the command line of another machine', async () => {
  const app = new Hono();
  app.route(
    '/v1',
    restApp({
      whole: WHOLE,
      caller: (context) => {
        expect(context.req.header('authorization')).toBe('Bearer secret');
        return { offer: WHOLE, vault: async () => open.session, assistants: () => EXTRACTIVE };
      },
      version: '1.0.0',
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    }),
  );
  let port = 0;
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const listening = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) => {
      port = info.port;
      resolve(listening);
    });
  });
  const runner = remoteRunner(`http://127.0.0.1:${port}/`, 'secret');
  for (const [name, input] of CASES) {
    const operation = operationNamed(name);
    if (!hasRoute(operation) || !hasCommand(operation)) continue;
    const far = await runCommand(commandFor(operation, input), runner);
    const near = await runCommand(commandFor(operation, input), open.session);
    expect([name, input, far.out, far.code]).toEqual([name, input, near.out, near.code]);
    expect(codeOf(far.err)).toEqual(codeOf(near.err));
  }
  await new Promise((resolve) => server.close(resolve));
  const gone = await runCommand(['note', 'list'], runner);
  expect([gone.code, codeOf(gone.err)]).toEqual([1, 'unavailable']);
}, 120_000);

function operationNamed(name: string): Operation {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation === undefined) throw new Error(name);
  return operation;
}

/** The command line says in its own words, of arguments and options, what is wrong with them. */
function inAnyWords(said: Said): Said {
  const { message } = said.facts;
  const isAboutArguments = !said.ok && String(message).startsWith('Wrong arguments for ');
  return isAboutArguments
    ? {
        ok: false,
        facts: { ...said.facts, message: expect.stringContaining('Wrong arguments for lectern ') },
      }
    : said;
}

/** An error is compared by its code and its words; details are cut to fit in MCP alone. */
function failure({ code, message }: { code?: unknown; message?: unknown }): Said {
  return { ok: false, facts: { code, message } };
}

async function askMcp(name: string, input: Facts): Promise<Said> {
  const { result } = await wire.request('tools/call', { name, arguments: input });
  const facts = result.structuredContent as Facts;
  return result.isError === true ? failure(facts) : { ok: true, facts };
}

async function askMcpOverHttp(name: string, input: Facts): Promise<Said> {
  const { body, headers } = statelessRequest('tools/call', { name, arguments: input });
  const response = await served.post(body, { ...headers, Authorization: `Bearer ${token}` });
  const { result } = (await response.json()) as { result: { isError?: boolean; structuredContent: Facts } };
  return result.isError === true
    ? failure(result.structuredContent)
    : { ok: true, facts: result.structuredContent };
}

async function askRest(operation: RoutedOperation, input: Facts): Promise<Said> {
  const { path, body } = requestFor(operation, { ...input });
  const answer = await rest.send(operation.rest.method, path, {
    ...(body !== undefined && { json: JSON.parse(body) as unknown }),
  });
  if (operation.rest.method === 'HEAD') {
    const kind = answer.headers.get('x-lectern-kind');
    const exists = answer.status === 200;
    return { ok: true, facts: { exists, path: input.path, ...(kind !== null && { kind }) } };
  }
  if (answer.body.ok === true) return { ok: true, facts: answer.body.data };
  return failure({ code: answer.body.error.code, message: answer.body.error.detail });
}

async function askCommandLine(operation: CommandOperation, input: Facts): Promise<Said> {
  const { out, err } = await runCommand(commandFor(operation, input), open.session);
  return err === '' ? { ok: true, facts: JSON.parse(out) as Facts } : failure(JSON.parse(err) as Facts);
}

function commandFor(operation: CommandOperation, input: Facts): string[] {
  const { noun, verb, positionals = [] } = operation.cli;
  const { properties } = inputSchema(operation.input);
  const options = Object.entries(input)
    .filter(([key]) => !positionals.includes(key))
    .flatMap(([key, value]) => {
      const flag = `--${key.replaceAll('_', '-')}`;
      if (value === true) return [flag];
      const isList = properties[key]?.type === 'array' && properties[key]?.items?.type === 'string';
      if (isList) return [flag, ...(value as string[])];
      return [flag, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    });
  const places = positionals.flatMap((key) => (input[key] === undefined ? [] : [String(input[key])]));
  return [noun, ...verb.split(' '), ...options, '--', ...places];
}

function codeOf(err: string): unknown {
  return err === '' ? undefined : (JSON.parse(err) as { code: unknown }).code;
}
