import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One retrieval test collection: notes, and queries with the notes that answer them. */
export interface Collection {
  readonly name: string;
  readonly notes: readonly { readonly path: string; readonly text: string }[];
  readonly queries: readonly CollectionQuery[];
}

export interface CollectionQuery {
  readonly id: string;
  readonly text: string;
  /** Paths that answer it, each with gain 1. */
  readonly relevant: ReadonlySet<string>;
  /** One answer is wanted; several relevant paths are copies of it, of which the first found counts. */
  readonly knownItem?: boolean;
  /** Known-item sets name the section, by its heading. */
  readonly section?: string;
}

/** The folder with the public test collections and vaults, or undefined when it is not here. */
export function sharedFolder(): string | undefined {
  const folder = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** Cranfield: 1,400 abstracts, 225 queries. Grades 1 to 4 count as relevant; query numbers are positions. */
export function loadCranfield(folder: string): Collection {
  const documents = records(readFileSync(`${folder}/ir/cran.all.1400`, 'utf8')).map((record) => {
    const title = oneLine(record.fields.get('T') ?? '');
    const body = (record.fields.get('W') ?? '').trim();
    return { path: `Cranfield/${record.id}.md`, text: `# ${title}\n\n${body}\n` };
  });
  const relevant = new Map<number, Set<string>>();
  for (const line of readFileSync(`${folder}/ir/cranqrel`, 'utf8').split('\n')) {
    const [query, document, grade] = line.trim().split(/\s+/).map(Number);
    if (query === undefined || document === undefined || grade === undefined || grade < 1) continue;
    const paths = relevant.get(query) ?? new Set();
    paths.add(`Cranfield/${document}.md`);
    relevant.set(query, paths);
  }
  const queries = records(readFileSync(`${folder}/ir/cran.qry`, 'utf8')).map((record, at) => ({
    id: String(at + 1),
    text: oneLine(record.fields.get('W') ?? ''),
    relevant: relevant.get(at + 1) ?? new Set<string>(),
  }));
  // Copies of the file in circulation carry a stray record at the end that nobody judged.
  return { name: 'cranfield', notes: documents, queries: queries.filter((query) => query.relevant.size > 0) };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function records(source: string): { id: number; fields: Map<string, string> }[] {
  const found: { id: number; fields: Map<string, string> }[] = [];
  let field = '';
  for (const line of source.split('\n')) {
    const start = /^\.I\s+(\d+)/.exec(line);
    const mark = /^\.([A-Z])\s*$/.exec(line);
    if (start) {
      found.push({ id: Number(start[1]), fields: new Map() });
      field = '';
    } else if (mark) {
      field = mark[1] ?? '';
    } else {
      const current = found.at(-1);
      if (current && field) current.fields.set(field, `${current.fields.get(field) ?? ''}${line}\n`);
    }
  }
  return found;
}
