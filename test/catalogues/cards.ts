import * as z from 'zod';
import { type Catalogue, textAnswer } from '../../src/catalogues/catalogue.ts';
import { JsonRpcError } from '../../src/catalogues/json-rpc-error.ts';
import type { CatalogueEntry } from '../../src/catalogues/list.ts';
import { noteList } from '../../src/operations/note-list.ts';
import { noteMove } from '../../src/operations/note-move.ts';
import { notePatch } from '../../src/operations/note-patch.ts';

/** A made-up system of cards with numbers, to show what a catalogue is made of: these lines and one in the list. */

const cardsCatalogue: Catalogue = {
  name: 'cards',
  tools: [
    {
      name: 'show_cards',
      listing: { description: 'Shows cards.', inputSchema: { type: 'object', properties: {} } },
      operations: [noteList],
      // Its limit is clamped, what it does not know is ignored, and it answers in two blocks.
      async call(given, { run }) {
        const { data } = z.looseObject({ limit: z.number().catch(20) }).safeParse(given);
        const limit = Math.min(Math.max(data?.limit ?? 20, 1), 100);
        const { notes, total } = await run(noteList, { limit, sort: 'path' });
        const cards = notes.map(({ path }, at) => `${at + 1} ${path}`);
        return {
          content: [
            { type: 'text', text: JSON.stringify({ total }) },
            { type: 'text', text: cards.join('\n') },
          ],
        };
      },
    },
    {
      name: 'change_card',
      listing: {
        description: 'Writes below a card and files it.',
        inputSchema: { type: 'object', required: ['card'] },
      },
      defaultOn: false,
      operations: [noteList, notePatch, noteMove],
      async call(given, { run, vault }) {
        const { data } = z
          .looseObject({ card: z.number(), add: z.string(), box: z.string() })
          .safeParse(given);
        if (data === undefined) throw new JsonRpcError(-32_010, 'A card is missing', { card: null });
        const { notes } = await run(noteList, { limit: 100, sort: 'path' });
        const path = notes[data.card - 1]?.path;
        if (path === undefined) throw new JsonRpcError(-32_011, `No card ${data.card}`, { card: data.card });
        await run(notePatch, { path, ops: [{ op: 'append_body', markdown: data.add }] });
        const { to } = await run(noteMove, { from: path, to: `${data.box}/${path}` });
        const { size } = await (await vault()).open(to);
        return textAnswer(`Card ${data.card} has ${size} bytes`);
      },
    },
  ],
  failure: ({ code }, { tool }) => textAnswer(`${tool.name} failed: ${code}`, true),
  unknownTool: (name) => textAnswer(`No such thing as ${name}`, true),
};

export const cards: CatalogueEntry = {
  name: 'cards',
  about: 'cards with numbers',
  identity: async () => ({
    server: { name: 'card-box', version: '7.0' },
    protocol: {
      revisions: ['2025-03-26'],
      stateless: false,
      capabilities: { tools: {} },
      plain: {
        answersNullId: true,
        unknownMethod: (method) => ({ code: -32_601, message: `What is ${method}?` }),
      },
      http: {
        tokenParameter: 'key',
        refused: (why) => (why === 'disabled' ? new Response('The box is shut', { status: 403 }) : undefined),
      },
    },
  }),
  load: async () => cardsCatalogue,
};
