import { describeStore } from '../contract/store-contract.ts';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';

describeStore('sqlite store', async () => {
  const folder = temporaryFolder();
  let store = await openStore(folder);
  return {
    store,
    restart: async () => {
      await store.close();
      store = await openStore(folder);
      return store;
    },
    dispose: async () => {
      await store.close();
      removeFolder(folder);
    },
  };
});
