import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { connect } from "patchwire/client";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// A promise that nobody awaited was refused as an instance of a class; what `migrate` returned, with a path into a patch that nobody had
// written; and a listener before its pointer was taken, and told of everything.

test("a promise in a state says what it lacks", () => {
  const tracker = new StateTracker<{ answer: unknown }>({ answer: "" });
  expect(() => tracker.update((draft) => void (draft.answer = Promise.resolve("an answer")))).toThrow("NOT_JSON: a promise isn't JSON: await it first (at '/answer')");
  expect(() => new StateTracker(Promise.resolve({}))).toThrow("NOT_JSON: a promise isn't JSON: await it first");
});

test("what migrate returned is named by its place in the state", () => {
  const database = new DatabaseSync(":memory:");
  new SyncedState({ storage: nodeStorage(database) }, { initial: { a: 1 } }).increment("/a");
  const state = new SyncedState<any>({ storage: nodeStorage(database) }, { initial: { a: 1 }, version: 1, migrate: () => ({ x: { at: new Date() } }) });
  expect(() => state.getState()).toThrow(expect.objectContaining({ code: "NOT_JSON", path: "/x/at" }));
});

test("a listener that comes before its pointer is refused", () => {
  const client = connect({ url: "/session/demo" });
  expect(() => (client.subscribe as (...given: unknown[]) => unknown)(() => {}, "/notes")).toThrow('VALIDATION_FAILED: a listener comes after its pointer: subscribe("/notes", listener)');
});
