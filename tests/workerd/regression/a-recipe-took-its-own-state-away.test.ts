import { expect, test } from "vitest";
import { addNote, newSession, stateOf, within } from "../session.ts";

// What closes or deletes a state, called by a recipe that was changing it, led to an error of wasm's glue.

test("a recipe can't destroy or repair its state, and unloading waits", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  await within(stub, ({ state }) => {
    const busy = expect.objectContaining({ code: "TRACKER_BUSY" });
    state.update((draft) => {
      draft.notes.push({ text: "b" });
      expect(() => state.destroy()).toThrow(busy);
      expect(() => state.repair()).toThrow(busy);
      state.unload();
      draft.notes.push({ text: "c" });
    });
  });
  expect(await stateOf(stub)).toMatchObject({ revision: 2, state: { notes: [{ text: "a" }, { text: "b" }, { text: "c" }] } });
});

test.each([
  ["", undefined, { code: "CONFLICT", message: expect.stringContaining("deleted") }],
  [" and throws", new Error("the recipe's own"), { message: "the recipe's own" }],
])("a recipe that deletes the storage%s is refused, and the state begins anew", async (_, thrown, expected) => {
  const stub = newSession();
  await addNote(stub, "a");
  await within(stub, async ({ state }, { storage }) => {
    let deleted: Promise<void> | undefined;
    const change = (): void =>
      state.update((draft) => {
        draft.notes.push({ text: "b" });
        deleted = storage.deleteAll();
        if (thrown !== undefined) throw thrown;
      });
    expect(change).toThrow(expect.objectContaining(expected));
    expect(state.getState()).toMatchObject({ notes: [] });
    await deleted;
    state.update((draft) => void draft.notes.push({ text: "c" }));
  });
  expect(await stateOf(stub)).toMatchObject({ revision: 1, state: { notes: [{ text: "c" }] } });
});
