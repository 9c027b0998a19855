/**
 * From nothing but Node to the first tool that answers: installing, setting a client up, starting, one search. Beside it
 * two published peers, by the steps of their own pages. Packages are in npm's cache for all of them (a first round, which
 * is not counted, puts them there).
 *
 *   node scripts/run-ts.mjs bench/first-tool.ts [--write]
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Installer } from './side-by-side/install.ts';
import { mcpvault } from './side-by-side/mcpvault.ts';
import { homeAt, type Peer } from './side-by-side/peer.ts';
import { qmd } from './side-by-side/qmd.ts';
import { installGlobally, pack } from './support/installed-package.ts';
import { type Command, McpProcess, type ToolCall } from './support/mcp-process.ts';
import { median, milliseconds } from './support/numbers.ts';
import { machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { workspace } from './support/workspace.ts';

const ROUNDS = 3;
const QUERY = 'curlew';
const sample = fileURLToPath(new URL('../sample-vault', import.meta.url));

interface Way {
  readonly name: string;
  /** What a person types, or writes into a file by hand. */
  readonly typed: readonly string[];
  /** Does all of it in an empty folder, and says how a client starts the server. */
  setUp(folder: string, vault: string): Promise<Command>;
  readonly search: ToolCall;
}

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const top = workspace();
const packed = await pack(top);

const lectern: Way = {
  name: 'Lectern',
  typed: ['npm install -g <tarball>', 'lectern init --yes --vault <folder> --client cursor'],
  search: { name: 'vault_search', arguments: { q: QUERY, limit: 5 } },
  async setUp(folder, vault) {
    const program = await installGlobally(packed.file, join(folder, 'prefix'), ['--prefer-offline']);
    const home = join(folder, 'home');
    mkdirSync(join(home, '.cursor'), { recursive: true });
    const done = spawnSync(program, ['init', '--yes', '--vault', vault, '--client', 'cursor'], {
      env: { ...process.env, ...homeAt(home) },
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr);
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8')) as {
      mcpServers: { lectern: { command: string; args: string[] } };
    };
    return { program: mcpServers.lectern.command, args: mcpServers.lectern.args, env: homeAt(home) };
  },
};

/** A peer by its own steps; the entry in the client's file is written by hand, which takes no time here. */
function peer(
  name: string,
  typed: readonly string[],
  open: (installer: Installer) => Promise<Peer>,
  search: ToolCall,
): Way {
  return {
    name,
    typed,
    search,
    async setUp(folder, vault) {
      const { serve, prepare } = await open(new Installer(join(folder, 'packages')));
      const home = join(folder, 'home');
      mkdirSync(home);
      await prepare?.(vault, home);
      return serve(vault, home);
    },
  };
}

const WAYS: readonly Way[] = [
  lectern,
  peer('mcpvault', ['npm install -g @bitbonsai/mcpvault', 'an entry in the client’s file'], mcpvault, {
    name: 'search_notes',
    arguments: { query: QUERY, limit: 5 },
  }),
  peer(
    'qmd (full text)',
    [
      'npm install -g @tobilu/qmd',
      'qmd collection add <folder> --name notes',
      'an entry in the client’s file',
    ],
    qmd,
    { name: 'query', arguments: { searches: [{ type: 'lex', query: QUERY }], limit: 5, rerank: false } },
  ),
];

const times = new Map<string, number[]>(WAYS.map(({ name }) => [name, []]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const way of WAYS) {
    const folder = mkdtempSync(join(top, 'way-'));
    const vault = join(folder, 'vault');
    cpSync(sample, vault, { recursive: true });
    const start = performance.now();
    const server = new McpProcess(await way.setUp(folder, vault));
    await server.initialize();
    const answer = await server.call(way.search);
    const ms = performance.now() - start;
    if (answer.isError) throw new Error(`${way.name}: ${answer.text}`);
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    if (round > 0) times.get(way.name)?.push(ms);
    progress(`${way.name}: ${milliseconds(ms)}`);
  }
}
const result = [
  machine(),
  table(
    ['program', 'from `npm install` to the first search answered', 'things typed', 'what'],
    WAYS.map(({ name, typed }) => [
      name,
      milliseconds(median(times.get(name) ?? [])),
      String(typed.length),
      typed.map((each) => (each.startsWith('an ') ? each : `\`${each}\``)).join(', '),
    ]),
  ),
].join('\n\n');
console.log(result);
if (flags.write) publish(PERFORMANCE, 'bench/first-tool.ts', result);
