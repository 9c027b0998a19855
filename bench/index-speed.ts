import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LexicalQuery, NoteIndexReader, PathFilter } from '../src/index/note-index.ts';
import { openIndexReader } from '../src/index/sqlite/read/reader.ts';
import { fileInput } from '../src/index/sqlite/testing.ts';
import { openIndexWriter } from '../src/index/sqlite/write/writer.ts';

/**
 * Speed, size and memory of the index alone, on notes made up here (Zipf-distributed words, about 3 KB,
 * three tags, five links, a property block).
 *
 *   npx esbuild bench/index-speed.ts --bundle --platform=node --format=esm --packages=external \
 *     --outfile=node_modules/.cache/index-speed.js && node node_modules/.cache/index-speed.js 5000
 *
 * One JSON object per line on stdout. Memory counts building and reading in one process, so it is
 * above what the server's main thread needs.
 */
const notes = Number(process.argv[2] ?? 5000);
const BATCH = 128;
const QUERIES = 300;

/** mulberry32: the same vault on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const random = seeded(42);
const pick = (below: number): number => Math.floor(random() * below);
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za bren clor dusk frim'.split(
  ' ',
);
const VOCABULARY = Array.from({ length: 30_000 }, () =>
  Array.from({ length: 2 + pick(3) }, () => SYLLABLES[pick(SYLLABLES.length)]).join(''),
);
/** Rank by an inverse power: rank 0 in about 6 % of places, the long tail seldom. */
const word = (): string => VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1] ?? 'word';
const sentence = (length: number): string => Array.from({ length }, word).join(' ');
const pathOf = (index: number): string => `Area ${index % 40}/Topic ${index % 400}/Note ${index}.md`;

function noteText(index: number): string {
  const link = (): string => {
    const target = Math.floor(notes * random() ** 2);
    return random() < 0.08 ? `[[Missing ${target}]]` : `[[Note ${target}]]`;
  };
  const sections = Array.from({ length: 5 }, (_, section) => {
    return `## ${sentence(3)} ${section}\n\n${sentence(70)} ${link()}.\n\n- [ ] ${sentence(8)}\n`;
  });
  return `---\ntags: [area/${index % 40}, kind/${sentence(1)}]\nstatus: ${index % 3 ? 'open' : 'done'}\nrating: ${index % 5}\n---\n# ${sentence(4)}\n\n#topic-${index % 200} ${sections.join('\n')}`;
}

const report = (facts: object): void => console.log(JSON.stringify(facts));
const rounded = (value: number): number => Math.round(value * 100) / 100;
/** CPU seconds of this process: what counts on a machine that others use as well. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const rss = (): number => Math.round(process.memoryUsage.rss() / 1048576);

const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
const path = join(folder, 'index.db');
const sizeOnDisk = (): number =>
  Math.round(readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1048576);

async function build(): Promise<void> {
  const writer = openIndexWriter(path);
  let making = 0;
  let applying = 0;
  let bytes = 0;
  let longest = 0;
  let working = 0;
  writer.beginBulk();
  for (let from = 0; from < notes; from += BATCH) {
    const texts = Array.from({ length: Math.min(BATCH, notes - from) }, (_, at) => noteText(from + at));
    const startedCpu = cpu();
    const started = performance.now();
    const batch = texts.map((text, at) => fileInput(pathOf(from + at), text, { mtimeMs: from + at }));
    const parsed = performance.now();
    writer.apply(batch, []);
    const applied = performance.now();
    making += parsed - started;
    applying += applied - parsed;
    working += cpu() - startedCpu;
    longest = Math.max(longest, applied - parsed);
    // The parser's native buffers are given back between turns of the event loop, as in the indexer.
    await nextTurn();
    bytes += batch.reduce((sum, input) => sum + input.entry.size, 0);
  }
  const ending = performance.now();
  const endingCpu = cpu();
  writer.endBulk();
  working += cpu() - endingCpu;
  const finished = performance.now() - ending;
  const total = (making + applying + finished) / 1000;
  report({
    step: 'build',
    notes,
    averageBytes: Math.round(bytes / notes),
    notesPerSecond: Math.round(notes / total),
    notesPerCpuSecond: Math.round(notes / working),
    parseSeconds: rounded(making / 1000),
    applySeconds: rounded(applying / 1000),
    finishSeconds: rounded(finished / 1000),
    longestBatchMs: rounded(longest),
    rssMB: rss(),
    diskMB: sizeOnDisk(),
  });
  const known = performance.now();
  const size = writer.known().size;
  report({ step: 'known', size, ms: rounded(performance.now() - known) });
  const single: number[] = [];
  for (let round = 0; round < 100; round += 1) {
    const index = pick(notes);
    const input = fileInput(pathOf(index), `${noteText(index)}\n${round}`, { mtimeMs: index });
    const started = performance.now();
    writer.apply([input], []);
    single.push(performance.now() - started);
  }
  report({ step: 'update one note', ...spread(single) });
  writer.close();
}

function spread(times: number[]): object {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => rounded(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: rounded(sorted.at(-1) ?? 0) };
}

async function time(kind: string, ask: (round: number) => Promise<unknown>, rounds = QUERIES): Promise<void> {
  const times: number[] = [];
  const startedCpu = cpu();
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await ask(round);
    times.push(performance.now() - started);
  }
  const meanCpu = rounded(((cpu() - startedCpu) * 1000) / rounds);
  report({ step: 'query', kind, ...spread(times), meanCpu });
}

const term = (text: string, options: { phrase?: boolean; prefix?: boolean } = {}) => ({
  text,
  phrase: false,
  prefix: false,
  ...options,
});
const all = (...texts: string[]): LexicalQuery => ({
  required: texts.map((text) => term(text)),
  optional: [],
  excluded: [],
});

async function queries(reader: NoteIndexReader): Promise<void> {
  const page = { limit: 10 };
  const visible: PathFilter = { key: 'area', test: (candidate) => !candidate.startsWith('Area 3/') };
  await time('one word', () => reader.lexical(all(word()), page));
  await time('two words', () => reader.lexical(all(word(), word()), page));
  await time('three words', () => reader.lexical(all(word(), word(), word()), page));
  await time('phrase', () =>
    reader.lexical({ ...all(), required: [term(`${word()} ${word()}`, { phrase: true })] }, page),
  );
  await time('prefix', () =>
    reader.lexical({ ...all(), required: [term(word().slice(0, 4), { prefix: true })] }, page),
  );
  await time('any of four words', () =>
    reader.lexical({ ...all(), optional: [term(word()), term(word()), term(word()), term(word())] }, page),
  );
  await time('commonest word', (round) => reader.lexical(all(VOCABULARY[round % 5] ?? ''), page));
  await time('word in folder', () =>
    reader.lexical({ ...all(word()), filter: { pathGlob: `Area ${pick(40)}/**` } }, page),
  );
  await time('word with tag', () =>
    reader.lexical({ ...all(word()), filter: { tags: [`area/${pick(40)}`] } }, page),
  );
  await time('word, some hidden', () => reader.lexical(all(word()), { ...page, visible }));
  await time('list by path', () => reader.list({}, 'path', page));
  await time('list newest', () => reader.list({}, '-mtime', page));
  await time('list newest with common tag', () => reader.list({ tags: ['area'] }, '-mtime', page));
  await time('list by property', (round) =>
    reader.list({ frontmatter: { status: 'done', rating: round % 5 } }, 'title', page),
  );
  await time('list glob', (round) => reader.list({ pathGlob: `**/Topic ${round}/*.md` }, 'path', page), 50);
  await time('list, some hidden', () => reader.list({}, 'path', { ...page, visible }));
  await time('note', () => reader.note(pathOf(pick(notes))));
  await time('text', () => reader.text(pathOf(pick(notes))));
  await time('backlinks', () => reader.backlinks(pathOf(Math.floor(notes * random() ** 2)), page));
  await time('forward', () => reader.forward(pathOf(pick(notes)), page));
  await time('unresolved', () => reader.unresolved(page), 20);
  await time('orphans', () => reader.orphans(page), 20);
  await time('orphans, some hidden', () => reader.orphans({ ...page, visible }), 20);
  await time('tags', () => reader.tags(page), 20);
  await time('tags, some hidden', () => reader.tags({ ...page, visible }), 20);
  await time('tag notes', () => reader.tagNotes('area', page), 20);
  await time('suggest', () => reader.suggest(`Topic 1/Npte ${pick(notes)}.md`, 5), 20);
  await time('complete', () => reader.complete(`ote ${pick(notes)}`, 10), 20);
  await time('vocabulary', () => reader.vocabulary?.(word().slice(0, 1), 20_000) ?? Promise.resolve(), 20);
  await time('counts', () => reader.counts(), 3);
  await time('counts, some hidden', () => reader.counts(visible), 3);
  const scanned = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let count = 0;
  for await (const { text } of reader.scan({})) count += text.includes('nowhere to be found') ? 0 : 1;
  delay.disable();
  report({
    step: 'scan',
    count,
    ms: rounded(performance.now() - scanned),
    loopMaxMs: rounded(delay.max / 1e6),
  });
}

try {
  await build();
  const reader = openIndexReader(path);
  await queries(reader);
  report({ step: 'memory', rssMB: rss(), diskMB: sizeOnDisk() });
  await reader.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
