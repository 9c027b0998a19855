import { type Installer, run } from './install.ts';
import { homeAt, listLength, type Peer } from './peer.ts';

const COLLECTION = 'notes';

/**
 * @tobilu/qmd: an index for reading only, brought up to date by a command. Compared by its full-text
 * search: the vectors and the reranker need models that are downloaded first.
 */
export async function qmd(installer: Installer): Promise<Peer> {
  const node = await installer.newerNode();
  const { folder, version } = await installer.install('@tobilu/qmd@2.8.3', { node, scripts: true });
  const program = `${folder}/dist/cli/qmd.js`;
  return {
    name: 'qmd (full text)',
    version,
    serve: (_vault, home) => ({ program: node, args: [program, 'mcp'], env: homeAt(home) }),
    prepare: (vault, home) =>
      run(node, [program, 'collection', 'add', vault, '--name', COLLECTION], home, node, homeAt(home)),
    search: (query, limit) => ({
      name: 'query',
      arguments: { searches: [{ type: 'lex', query }], limit, rerank: false },
    }),
    hits: (answer) => listLength(answer.structured, 'results'),
    read: (path) => ({ name: 'get', arguments: { file: `${COLLECTION}/${path}` } }),
  };
}
