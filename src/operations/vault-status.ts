import * as z from 'zod';
import type { VaultStatus } from '../vault/session.ts';
import { operation } from './operation.ts';
import { counted, lines, noticed } from './shared/rendering.ts';

/** A vault on a failing disk may have thousands; the total is always exact. */
const PROBLEMS_SHOWN = 20;

export const vaultStatus = operation({
  name: 'vault_status',
  title: 'Vault status',
  description:
    'What this vault is and whether it is ready: counts, index progress, files that cannot be read, notes with unreadable properties, copies that sync programs left. Call it first, or when an answer seems incomplete.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  asksIndex: () => true,
  places: [],
  overview: true,
  toolset: 'core',
  input: z.object({}),
  output: z.object({
    name: z.string(),
    store: z.string(),
    location: z.string(),
    /**
     * Set only while the server of the notes does not answer: searches are answered from the index, and
     * writes are refused.
     */
    away_since: z.string().optional(),
    dialect: z.string(),
    read_only: z.boolean(),
    /**
     * `building` = answers lack notes that are not indexed yet; `checking` = they are as of the last run
     * while files are compared.
     */
    index: z.enum(['building', 'checking', 'ready', 'failed']),
    index_done: z.number().int(),
    index_total: z.number().int(),
    /** Semantic search: the model, and the number of notes embedded. */
    vectors: z.string(),
    notes: z.number().int(),
    files: z.number().int(),
    links: z.number().int(),
    unresolved: z.number().int(),
    tags: z.number().int(),
    words: z.number().int(),
    bytes: z.number().int(),
    problems_total: z.number().int(),
    problems: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
    notice: z.string().optional(),
  }),
  rest: { method: 'GET', path: '/v1/vault/status' },
  cli: { noun: 'vault', verb: 'status' },
  summarise: (out) =>
    `Vault "${out.name}" (${out.store}, ${out.dialect}${out.read_only ? ', read-only' : ''}): ${counted(out.notes, 'note')}, ${counted(out.files, 'file')}; index: ${out.index}.${noticed(out.notice)}`,
  render: (out) =>
    [
      `location: ${out.location}${out.away_since === undefined ? '' : `, away since ${out.away_since}`}`,
      `links: ${out.links} (${out.unresolved} unresolved), tags: ${out.tags}, words: ${out.words}, bytes: ${out.bytes}`,
      `vectors: ${out.vectors}`,
      `problems: ${out.problems_total}`,
      lines(out.problems, (problem) => `${problem.path}: ${problem.code}: ${problem.message}`),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  run: async (vault) => {
    const status = await vault.status();
    return {
      name: status.name,
      store: status.store,
      location: status.location,
      ...(status.awaySinceMs !== undefined && { away_since: new Date(status.awaySinceMs).toISOString() }),
      dialect: status.dialect,
      read_only: status.readOnly,
      index: status.index.state,
      index_done: status.index.done,
      index_total: status.index.total,
      vectors: vectorState(status.embedding),
      ...status.counts,
      problems_total: status.problems.total,
      problems: status.problems.items
        .slice(0, PROBLEMS_SHOWN)
        .map(({ path, code, message }) => ({ path, code, message })),
    };
  },
});

function vectorState(embedding: VaultStatus['embedding']): string {
  if (embedding === undefined) return 'kept up to date in the background';
  const { state, model, done, total, message } = embedding;
  const said = message === undefined ? '' : ` (${message})`;
  if (state === 'embedding' && total > 0) return `${model ?? 'model'}: ${done}/${total} notes${said}`;
  return `${state === 'idle' ? 'up to date' : state}${said}`;
}
