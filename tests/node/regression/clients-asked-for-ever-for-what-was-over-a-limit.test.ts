import { expect, test, vi } from "vitest";
import { connect, type PatchwireError } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// A snapshot over the client's limit of depth or of strings was asked for again and again, and nobody was told.

function client(options: object = {}) {
  Line.all = [];
  const errors: PatchwireError[] = [];
  const one = connect<any>({ url: "ws://there/", WebSocket: Line, onError: (error) => errors.push(error), ...options });
  return { one, errors };
}

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

test("a snapshot that is nested over the limit ends the client, which says so", async () => {
  const { one, errors } = client({ limits: { depth: 4 } });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot(nested(9)));
  expect([one.status, errors.map(({ code }) => code), Line.all.length]).toEqual(["closed", ["LIMIT_EXCEEDED"], 1]);
});

test("a patch over a limit is asked for as a snapshot first", async () => {
  const { one, errors } = client({ limits: { depth: 4 } });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot({ n: 1 }));
  Line.all[0]!.say({ type: "chunk", sequence: 2, revision: 2, chunk: { type: "state_patch", patches: [{ op: "add", path: "/deep", value: nested(9) }] } });
  expect([one.status, errors]).toEqual(["reconnecting", []]);
  expect(JSON.parse(Line.all[0]!.sent.at(-1)!)).toMatchObject({ type: "hello", revision: null });
  Line.all[0]!.say(...snapshot({ n: 2 }, 2));
  expect([one.status, one.getState()]).toEqual(["live", { n: 2 }]);
});

test("who is closed for good is told why", async () => {
  const { one, errors } = client();
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot({ n: 1 }));
  Line.all[0]!.tell("close", { code: 1008, reason: "token expired" });
  expect([one.status, errors.map(({ message }) => message)]).toEqual(["closed", ["CLOSED: token expired"]]);
});

test("what a snapshot has that was there before stays the same object, and its listeners hear nothing", async () => {
  const { one } = client();
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot({ notes: [{ text: "a" }, { text: "b" }], draft: "", ["__proto__"]: { x: 1 } }));
  const before = one.getState();
  const heard = vi.fn();
  one.subscribe("/notes", heard);
  Line.all[0]!.tell("close", { code: 1006 });
  globalThis.dispatchEvent?.(new Event("online"));
  await vi.waitUntil(() => Line.all.length === 2 && Line.all[1]!.sent.length === 1, { timeout: 10_000 });
  Line.all[1]!.say(...snapshot({ notes: [{ text: "a" }, { text: "b" }], draft: "more" }, 9));
  await Promise.resolve();
  expect(one.getState()).toEqual({ notes: [{ text: "a" }, { text: "b" }], draft: "more" });
  expect(one.getState().notes).toBe(before.notes);
  expect(Object.isFrozen(one.getState())).toBe(true);
  expect(heard).not.toHaveBeenCalled();
  Line.all[1]!.say(...snapshot({ notes: [{ text: "a" }, { text: "c" }], draft: "more" }, 10));
  await Promise.resolve();
  expect([one.getState().notes[0] === before.notes[0], heard.mock.calls]).toEqual([true, [[[{ text: "a" }, { text: "c" }]]]]);
  one.close();
}, 20_000);

test("listeners are functions, one that was ended isn't called, and a pointer is one on a server too", async () => {
  const { one } = client();
  expect(() => one.subscribe(5 as never)).toThrow("VALIDATION_FAILED");
  expect(() => one.subscribe("/a" as never)).toThrow("VALIDATION_FAILED");
  const calls: string[] = [];
  const ends: (() => void)[] = [];
  one.subscribe(() => (calls.push("first"), ends[0]!()));
  ends.push(one.subscribe(() => void calls.push("second")));
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot({ n: 1 }));
  await Promise.resolve();
  expect(calls).toEqual(["first"]);
  one.close();
  const waiting = connect({ url: "/session" });
  for (const use of [() => waiting.get("notes"), () => waiting.subscribe("notes", () => {})]) {
    expect(use).toThrow(expect.objectContaining({ code: "INVALID_POINTER" }));
  }
});
