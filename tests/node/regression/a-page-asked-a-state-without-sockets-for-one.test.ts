import { expect, test } from "vitest";
import { diff, StateDocument, StateTracker } from "patchwire";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";

// Arguments and requests that weren't answered with a coded error: a WebSocket in Node (a ReferenceError, which anybody could cause), a
// document made by `new`, and `undefined` in the place of a state to compare, which became null.

test("a state without sockets says so, with what there is instead", async () => {
  const state = new SyncedState({ storage: memoryStorage() }, { initial: { n: 1 } });
  const response = state.fetch(new Request("http://localhost/", { headers: { upgrade: "websocket" } }));
  expect(response.status).toBe(501);
  expect(await response.json()).toEqual({ error: { code: "CLOSED", message: expect.stringContaining("event stream") } });
});

test("a document isn't made by new", () => {
  expect(() => new StateDocument("{}" as never)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining("StateDocument.parse") }));
});

test("undefined is no state to compare with", () => {
  const missing = expect.objectContaining({ code: "NOT_JSON", message: expect.stringContaining("is an argument missing?") });
  expect(() => diff({}, undefined)).toThrow(missing);
  expect(() => diff(undefined, {})).toThrow(missing);
  expect(() => diff(undefined, undefined)).toThrow(missing);
});

test("a validator that fails isn't taken for one that refuses", () => {
  const tracker = new StateTracker<{ list?: number[] }>({ list: [] }, { validate: ({ list }) => list!.length < 2 });
  const said = (recipe: (draft: { list?: number[] }) => unknown): unknown => {
    try {
      tracker.update((draft) => void recipe(draft));
      return undefined;
    } catch (error) {
      return error;
    }
  };
  expect(said((draft) => draft.list!.push(1, 2))).toMatchObject({ message: "VALIDATION_FAILED: the validator refuses the state" });
  expect(said((draft) => delete draft.list)).toMatchObject({ message: expect.stringContaining("failed with a TypeError"), cause: expect.any(TypeError) });
});
