import type { StorePlace, StoreStorage } from "patchwire/durable-objects";
import type { Backend } from "./contract.ts";

/** A storage that can be opened again: what is known of it goes with the object that stands for it. */
export function backend(storage: StoreStorage, around: (storage: StoreStorage) => StorePlace = (storage) => storage): Backend {
  const { transactionSync } = storage;
  const anew = (): StorePlace => {
    const own = { transactionSync: (run: () => unknown) => transactionSync.call(storage, run) };
    return around(("table" in storage ? { ...own, table: (shape: never) => storage.table(shape) } : { ...own, sql: storage.sql }) as StoreStorage);
  };
  return { place: anew(), reopened: anew };
}
