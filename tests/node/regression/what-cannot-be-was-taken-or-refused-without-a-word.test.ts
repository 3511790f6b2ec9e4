import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { applyPatch, compact, StateTracker } from "patchwire";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";

// `migrate` without `version` was never called; one that returned a promise was "an instance of a class"; a patch that was none was
// told to use null; a request for a session that isn't there threw in the object's fetch.
test("migrate needs a version, and returns a state", () => {
  const database = new DatabaseSync(":memory:");
  const state = (options: object) => new SyncedState({ storage: nodeStorage(database) }, { initial: {}, ...options });
  expect(() => state({ migrate: () => ({}) })).toThrow("VALIDATION_FAILED: the option migrate needs the option version");
  expect(() => new DurableStateStore(memoryStorage(), { migrate: () => ({}) })).toThrow("VALIDATION_FAILED");
  expect(state({ version: 1 }).getState()).toEqual({});
  expect(() => state({ version: 2, migrate: async () => ({}) }).getState()).toThrow("VALIDATION_FAILED: migrate returned a promise");
  expect(state({ version: 2, migrate: () => ({ n: 1 }) }).getState()).toEqual({ n: 1 });
});

test("what is no patch is refused as that", () => {
  for (const given of [undefined, { op: "add" }, 1]) {
    expect(() => new StateTracker({}).apply(given as never)).toThrow("INVALID_PATCH: a patch is an array of operations, or its JSON text");
    expect(() => applyPatch({}, given as never)).toThrow("INVALID_PATCH");
  }
  expect(() => compact([{ op: "remove", path: "/a" }] as never)).toThrow("compact([first, second])");
  expect(() => applyPatch({}, [{ op: "remove", path: ["a"] }] as never)).toThrow("a path that is a JSON Pointer, such as /a/0");
});

test("a request for a session that isn't there is answered with 404", async () => {
  const response = new DurableStateStore(memoryStorage()).fetch("nobody", new Request("https://sessions/nobody"));
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
});
