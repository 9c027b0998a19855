import { type Catalogue, textAnswer } from '../../src/catalogues/catalogue.ts';
import { JsonRpcError } from '../../src/catalogues/json-rpc-error.ts';
import type { CatalogueEntry } from '../../src/catalogues/list.ts';
import { LecternError } from '../../src/errors.ts';
import { noteList } from '../../src/operations/note-list.ts';
import { noteRead } from '../../src/operations/note-read.ts';

/** A made-up system with sessions, resources and a template: what the protocol layer serves for a catalogue. */

const leavesCatalogue: Catalogue = {
  name: 'leaves',
  tools: [
    {
      name: 'count_leaves',
      listing: { title: 'Count', inputSchema: { type: 'object', properties: {} } },
      operations: [noteList],
      call: async (_given, { run }) => textAnswer(`${(await run(noteList, { limit: 1 })).total} leaves`),
    },
  ],
  resources: [
    {
      prefix: 'leaves://',
      resources: [{ uri: 'leaves://all', name: 'all', mimeType: 'text/plain' }],
      templates: [{ uriTemplate: 'leaves://leaf/{name}', name: 'leaf', mimeType: 'text/markdown' }],
      operations: [noteList, noteRead],
      async read(uri, { run }) {
        const name = /^leaves:\/\/leaf\/(.+)$/.exec(uri)?.[1];
        if (uri === 'leaves://all') {
          const { notes } = await run(noteList, { sort: 'path' });
          return { contents: [{ uri, text: notes.map(({ path }) => path).join('\n') }] };
        }
        if (name === undefined) throw new LecternError('not_found', 'There is no such leaf.');
        if (name === 'rotten') throw new JsonRpcError(-32_020, 'It is rotten', { name });
        const { body } = await run(noteRead, { path: `${name}.md` });
        return { contents: [{ uri, mimeType: 'text/markdown', text: body ?? '' }] };
      },
    },
  ],
  failure: ({ message }) => textAnswer(message, true),
  unknownTool: (name) => {
    throw new JsonRpcError(-32_602, `No tool ${name}`);
  },
};

export const leaves: CatalogueEntry = {
  name: 'leaves',
  about: 'leaves of a tree',
  identity: async () => ({
    server: { name: 'tree' },
    protocol: {
      revisions: ['2025-06-18', '2025-03-26'],
      stateless: false,
      capabilities: { tools: { listChanged: true }, resources: {} },
    },
  }),
  load: async () => leavesCatalogue,
};
