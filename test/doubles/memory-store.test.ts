import { describeStoreContract } from '../../src/stores/store-contract.ts';
import { openMemoryStore } from './memory-store.ts';

describeStoreContract('The memory store', {
  open: async (files, options) => {
    const store = openMemoryStore({ files, ...options });
    return { store, outside: openMemoryStore({ shareWith: store }), dispose: () => store.close() };
  },
});
