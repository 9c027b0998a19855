/**
 * Small things that lose notes when they go wrong, tried on Lectern and on published servers for the
 * same notes, each on a fresh copy of one small vault.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/correctness.ts
 *
 * --install <folder>  keep the installed servers there
 * --write             put the result into docs/comparison.md
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lecternItself } from './side-by-side/lectern.ts';
import type { Peer } from './side-by-side/peer.ts';
import { installPeers } from './side-by-side/peers.ts';
import { writeProbeVault } from './side-by-side/probe-vault.ts';
import { PROBES, type Probe, type Verdict } from './side-by-side/probes.ts';
import { McpProcess } from './support/mcp-process.ts';
import { machine, progress, publish, table } from './support/report.ts';
import { emptyFolder, workspace } from './support/workspace.ts';

const { values: flags } = parseArgs({
  options: { install: { type: 'string' }, write: { type: 'boolean', default: false } },
});
const folder = workspace();

async function tryOut(probe: Probe, peer: Peer): Promise<Verdict> {
  const vault = emptyFolder(folder, 'vault');
  const home = emptyFolder(folder, 'home');
  writeProbeVault(vault, join(folder, 'outside.md'));
  await peer.prepare?.(vault, home);
  const server = new McpProcess(peer.serve(vault, home));
  try {
    await server.initialize();
    await peer.ready?.(server);
    return await probe.run({ peer, server, vault });
  } finally {
    await server.close();
  }
}

function cell({ right, saw }: Verdict): string {
  if (right === undefined) return '–';
  return right ? `✓ ${saw}` : `✗ ${saw}`;
}

const place = flags.install ?? emptyFolder(folder, 'servers');
mkdirSync(place, { recursive: true });
const { peers, missing } = await installPeers(place);
const compared = [{ ...lecternItself('lexical'), name: 'Lectern' }, ...peers];
const rows: string[][] = [];
const verdicts: Verdict[][] = [];
for (const probe of PROBES) {
  progress(probe.question);
  const row: Verdict[] = [];
  for (const peer of compared) row.push(await tryOut(probe, peer));
  verdicts.push(row);
  rows.push([probe.question, probe.expected, ...row.map(cell)]);
}
const right = compared.map((_, at) => {
  const offered = verdicts.map((row) => row[at]).filter((verdict) => verdict?.right !== undefined);
  return `**${offered.filter((verdict) => verdict?.right).length} of ${offered.length}**`;
});
rows.push(['**right, of what is offered**', '', ...right]);
const header = ['probe', 'right is', ...compared.map((peer) => `${peer.name} ${peer.version}`)];
const result = [
  machine(),
  table(header, rows, '---'),
  ...missing.map(({ name, reason }) => `Left out: ${name} (${reason}).`),
].join('\n\n');
console.log(result);
if (flags.write)
  publish(fileURLToPath(new URL('../docs/comparison.md', import.meta.url)), 'bench/correctness.ts', result);
