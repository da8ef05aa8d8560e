import { openMemoryStore } from '../../server/store/memory.ts';
import { describeStore } from '../contract/store-contract.ts';

describeStore('memory store', async () => {
  const store = openMemoryStore();
  // It lasts as long as its process, so there is nothing to open again.
  return { store, restart: async () => store, dispose: () => store.close() };
});
