import { afterAll, beforeAll } from 'vitest';
import { openJoplinStore } from '../src/stores/joplin/joplin-store.ts';
import { describeStoreContract } from '../src/stores/store-contract.ts';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { within } from './joplin/within.ts';

/** The store contract on a real Joplin, in a notebook of its own for each test. */

let joplin: Joplin;
beforeAll(async () => {
  if (!hasJoplin) return;
  joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());

let notebooks = 0;
const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.'));

if (hasJoplin)
  describeStoreContract('Joplin', {
    // A note is text, and there are no folders of settings.
    without: ['bytes', 'settings'],
    open: async (files, options) => {
      const { url, token } = joplin;
      const open = () => openJoplinStore({ url, token: () => token, ...options });
      const folder = `Notebook ${++notebooks}`;
      const store = open();
      const visible = Object.entries(files).filter(([path]) => !isHidden(path));
      await joplin.seed(Object.fromEntries(visible.map(([path, content]) => [`${folder}/${path}`, content])));
      return {
        store: within(store, folder),
        outside: within(open(), folder),
        async dispose() {
          for (const { trashPath } of await store.listTrash())
            await joplin.call('DELETE', `notes/${trashPath.slice('.trash/'.length)}?permanent=1`);
        },
      };
    },
  });
