/**
 * How often ai_tag without a model finds a tag that was taken from a note, among the first three that it suggests. Beside
 * it the three tags of the vault that most notes have and this one has not. The built binary over standard input and
 * output.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/ai-tags.ts [--write]
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { onRealVaults } from './support/builtin.ts';
import type { McpProcess } from './support/mcp-process.ts';
import { machine, progress, publish, table } from './support/report.ts';
import { indexReady, vectorsReady } from './support/watch.ts';

const VAULTS = ['oldwinter', 'kepano'];
const MOST_NOTES = 100;
/** At most one note in so many loses a tag, so that the vault stays what it is. */
const ONE_IN = 4;
const FIRST = 3;

interface Note {
  readonly path: string;
  readonly tags: readonly string[];
}

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const rows: string[][] = [];
await onRealVaults(VAULTS, async (name, _vault, server) => {
  rows.push(await measure(name, server));
});
const result = [
  machine(),
  table(
    ['vault', 'notes', 'tags', 'notes with a tag hidden', `hit@${FIRST}`, `the ${FIRST} commonest tags`],
    rows,
  ),
].join('\n\n');
console.log(result);
if (flags.write)
  publish(fileURLToPath(new URL('../docs/retrieval.md', import.meta.url)), 'bench/ai-tags', result);

async function measure(name: string, server: McpProcess): Promise<string[]> {
  const notes = await allNotes(server);
  const uses = new Map<string, number>();
  for (const { tags } of notes) for (const tag of tags) uses.set(key(tag), (uses.get(key(tag)) ?? 0) + 1);
  const hideable = notes.flatMap(({ path, tags }) => {
    // Somebody else has it, or nothing in the vault tells of it.
    const shared = tags.filter((tag) => (uses.get(key(tag)) ?? 0) > 1);
    return shared.length === 0 ? [] : [{ path, tags, shared }];
  });
  const wanted = Math.min(MOST_NOTES, Math.ceil(hideable.length / ONE_IN));
  const step = hideable.length / wanted;
  const hidden = Array.from({ length: wanted }, (_, at) => {
    const { path, tags, shared } = hideable[Math.floor(at * step)] as (typeof hideable)[number];
    return { path, tags, tag: shared[at % shared.length] as string };
  });
  for (const { path, tag } of hidden) {
    const patched = await server.call({
      name: 'note_patch',
      arguments: { path, ops: [{ op: 'remove_tag', tag }] },
    });
    if (patched.isError) throw new Error(`${path}: ${patched.text}`);
  }
  await indexReady(server);
  await vectorsReady(server);
  progress(`${name}: ${hidden.length} tags hidden`);
  const common = [...uses].sort((a, b) => b[1] - a[1]).map(([tag]) => tag);
  let found = 0;
  let guessed = 0;
  for (const { path, tags, tag } of hidden) {
    const answer = await server.call({
      name: 'ai_tag',
      arguments: { scope: { paths: [path] }, vocabulary: { max_per_note: FIRST, min_confidence: 0 } },
    });
    // Of a note without a word there is nothing to say.
    const [row] = (answer.structured.tagged ?? []) as { tags: { tag: string }[] }[];
    if (row?.tags.some((each) => key(each.tag) === key(tag))) found += 1;
    const left = new Set(tags.map(key).filter((each) => each !== key(tag)));
    if (
      common
        .filter((each) => !left.has(each))
        .slice(0, FIRST)
        .includes(key(tag))
    )
      guessed += 1;
  }
  return [
    name,
    String(notes.length),
    String(uses.size),
    String(hidden.length),
    (found / hidden.length).toFixed(3),
    (guessed / hidden.length).toFixed(3),
  ];
}

async function allNotes(server: McpProcess): Promise<Note[]> {
  const notes: Note[] = [];
  let cursor: string | null = null;
  do {
    const page = await server.call({
      name: 'note_list',
      arguments: { limit: 200, sort: 'path', ...(cursor !== null && { cursor }) },
    });
    notes.push(...(page.structured.notes as Note[]));
    cursor = page.structured.next_cursor as string | null;
  } while (cursor !== null);
  return notes;
}

function key(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}
