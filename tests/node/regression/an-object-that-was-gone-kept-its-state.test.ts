import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, SyncedState } from "patchwire/durable-objects";

// The core referred to a state's rows, these to storage, and storage to whoever is to know of its transactions: the state itself. So what
// is a root for the garbage collector kept the state of each object that an isolate ever woke.

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function collected(make: () => object[]): Promise<number> {
  let gone = 0;
  const registry = new FinalizationRegistry(() => gone++);
  const made = (() => {
    const made = make();
    made.forEach((one) => registry.register(one, undefined));
    return made.length;
  })();
  for (let turn = 0; turn < 50 && gone < made; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  return gone;
}

const some = Array.from({ length: 10 });

test("states that are open are collected with their storage", async () => {
  const gone = await collected(() => some.map(() => {
    const storage = memoryStorage();
    const state = new SyncedState<any>({ storage }, { initial: { notes: ["a"] }, onEvent: () => void state.revision });
    state.update((draft: any) => void draft.notes.push("b"));
    return storage;
  }));
  expect(gone).toBeGreaterThan(8);
});

test("so are stores, with their sessions", async () => {
  const storages: WeakRef<object>[] = [];
  const use = async () => {
    const storage = memoryStorage();
    const store = new DurableStateStore(storage);
    await store.createSession("s", { customState: { notes: ["a"] } });
    await store.mergeCustomState("s", { ops: [{ kind: "append", key: "notes", items: ["b"] }] });
    storages.push(new WeakRef(storage));
  };
  for (const _ of some) await use();
  const gone = () => storages.filter((storage) => storage.deref() === undefined).length;
  for (let turn = 0; turn < 50 && gone() < 9; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  expect(gone()).toBeGreaterThan(8);
});

test("a document of the past is read all the same", async () => {
  const notes = Array.from({ length: 2_000 }, (_, i) => ({ id: i, text: `note ${i} `.repeat(20) }));
  const open = () => {
    const state = new SyncedState<any>({ storage: memoryStorage() }, { initial: { notes } });
    state.update((draft: any) => void draft.notes.push("b"));
    state.unload();
    return state.at(0);
  };
  const document = open();
  const changed = document.apply([{ op: "remove", path: "/notes/3" }]);
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  expect(document.get("/notes/1500")).toEqual(notes[1500]);
  expect(changed.get("/notes/1500")).toEqual(notes[1501]);
});
