/**
 * Writes that people wait for, measured from outside: the move of a note that 2,000 notes of a 20,000-note vault link to,
 * a patch of a 50 KB note, and small ones in a large vault.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/move.ts
 *
 * --notes 20000   size of the vault       --against <folder>  `dist` of another commit, measured in turn with this one
 * --links 2000    notes that link to the one that is moved    --moves 5  moves of it, after the first
 *
 * Times of the first move and of later ones are told apart: the first one loads and compiles. Processor time is that of
 * all threads, which other programs on the computer do not stretch.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builds } from './support/lectern.ts';
import { McpProcess } from './support/mcp-process.ts';
import { median, milliseconds } from './support/numbers.ts';
import { load, machine, progress, table } from './support/report.ts';
import { indexReady, LoopProbe, vectorsReady } from './support/watch.ts';
import { emptyFolder, workspace } from './support/workspace.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '20000' },
    links: { type: 'string', default: '2000' },
    moves: { type: 'string', default: '5' },
    against: { type: 'string' },
  },
});
const notes = Number(flags.notes);
const referrers = Number(flags.links);
const SMALL = 9;
const PATCHES = 50;
const folder = workspace();

function writeVault(vault: string): void {
  const words = (seed: number, count: number) =>
    Array.from({ length: count }, (_, at) => ((seed * 7919 + at * 104_729) % 46_655).toString(36)).join(' ');
  for (let at = 0; at < 200; at++) mkdirSync(join(vault, `Folder ${at}`), { recursive: true });
  for (let at = 0; at < notes; at++) {
    const link = at < referrers ? '[[Hub]] and [hub](../Hub.md#Part)' : `[[Note ${(at * 31) % notes}]]`;
    writeFileSync(
      join(vault, `Folder ${at % 200}`, `Note ${at}.md`),
      `---\ntags: [t${at % 50}]\n---\n# Note ${at}\n\n${words(at, 120)}\n\n${link}\n\n${words(at + 1, 120)}\n`,
    );
  }
  writeFileSync(join(vault, 'Hub.md'), '# Hub\n\n## Part\n');
  writeFileSync(join(vault, 'Long.md'), `# Long\n\n## Log\n\n${words(1, 10_000).slice(0, 50 * 1024)}\n`);
}

/** What the drive itself takes for one write and flush of 4 KB, ms. */
async function flushTime(): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const start = performance.now();
    const handle = await open(join(folder, `probe-${at}`), 'w');
    await handle.writeFile(Buffer.alloc(4096));
    await handle.sync();
    await handle.close();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** One build with its own copy of the vault. */
class Side {
  readonly times = new Map<string, number[]>();
  readonly server: McpProcess;
  readonly #probe: LoopProbe;

  constructor(
    readonly name: string,
    command: ConstructorParameters<typeof McpProcess>[0],
  ) {
    this.server = new McpProcess(command);
    this.#probe = new LoopProbe(this.server);
  }

  async ready(): Promise<void> {
    await this.server.initialize();
    await indexReady(this.server);
    // Vectors are learned in the background after the first indexing; a running vault has done that long ago.
    await vectorsReady(this.server);
  }

  /** Notes the time of a call, its processor time and the longest block of the event loop. */
  async measure(what: string, name: string, given: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#probe.report();
    const before = this.server.cpuSeconds() ?? 0;
    const { ms, isError, text } = await this.server.call({ name, arguments: given });
    const cpu = ((this.server.cpuSeconds() ?? 0) - before) * 1000;
    if (isError) throw new Error(`${this.name}: ${text}`);
    this.#note(what, ms);
    this.#note(`${what}, processor time`, cpu);
    this.#note(`${what}, longest block of the event loop`, (await this.#probe.report()).longestCpuMs);
  }

  #note(what: string, ms: number): void {
    const times = this.times.get(what) ?? [];
    times.push(ms);
    this.times.set(what, times);
  }
}

progress(`writing ${notes} notes`);
const original = emptyFolder(folder, 'vault');
writeVault(original);
const before = load();
const sides: Side[] = [];
for (const { name, command } of builds(flags.against)) {
  const vault = join(folder, `vault-${sides.length}`);
  cpSync(original, vault, { recursive: true });
  progress(`indexing: ${name}`);
  const side = new Side(name, command(vault, emptyFolder(folder, `state-${sides.length}`), { probed: true }));
  await side.ready();
  sides.push(side);
}

type Step = readonly [what: string, name: string, given: Readonly<Record<string, unknown>>];

/** The same of every build, in turn: all steps of one build, so that none of its work is left while the next is measured. */
async function each(...steps: readonly Step[]): Promise<void> {
  for (const side of sides) for (const step of steps) await side.measure(...step);
}

progress('moves');
let from = 'Hub.md';
for (let at = 0; at <= Number(flags.moves); at++) {
  const to = `Folder ${at}/Hub ${at}.md`;
  await each(
    [at === 0 ? 'the first move' : 'a later move', 'note_move', { from, to }],
    ['its index follows', 'link_backlinks', { path: to, limit: 1 }],
  );
  from = to;
}
progress('small writes');
const note = (at: number) => `Folder ${(referrers + at) % 200}/Note ${referrers + at}.md`;
for (let at = 0; at < SMALL; at++) {
  await each([
    'move of a note with a link or two',
    'note_move',
    { from: note(at), to: `Folder ${at}/Moved ${at}.md` },
  ]);
  await each([
    'rename of a heading',
    'note_patch',
    {
      path: note(20 + at),
      ops: [{ op: 'rename_heading', from: `Note ${referrers + 20 + at}`, to: 'Other' }],
    },
  ]);
  await each([
    'a new note of a name that another has',
    'note_write',
    { path: `New/Note ${referrers + 40 + at}.md`, body: 'x' },
  ]);
  await each(['a new note', 'note_write', { path: `New/Fresh ${at}.md`, body: 'x' }]);
}
for (let at = 0; at < PATCHES; at++)
  await each([
    'a patch of 50 KB',
    'note_patch',
    { path: 'Long.md', ops: [{ op: 'append_to_section', heading: 'Log', markdown: `- entry ${at}` }] },
  ]);
for (const { server } of sides) await server.close();

const rows = [...(sides[0]?.times.keys() ?? [])].map((what) => [
  `${what}, median`,
  ...sides.map(({ times }) => milliseconds(median(times.get(what) ?? []))),
]);
console.log(
  [
    machine(),
    `**${notes} notes, ${referrers} of which link to the one that is moved** (load average ${before} before, ${load()} after; one write and flush of 4 KB takes ${milliseconds(await flushTime())})`,
    table(['measured', ...sides.map(({ name }) => name)], rows),
  ].join('\n\n'),
);
