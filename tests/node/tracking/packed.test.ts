import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { json, perform, step, type Json } from "../support/program.ts";
import { onTracker, wayIn } from "../support/ways-in.ts";
import { asked } from "../support/runs.ts";

// Patches as objects leave the core packed, not as text: what they are must be what the text says, to the last `-0`.

const runs = asked(1000);
const timeout = 90_000;

function expectSame(tracker: StateTracker<never>, dialect: "rfc6902" | "extended"): void {
  const patch = tracker.getRFC6902Patches({ dialect });
  const text = tracker.getPatchText({ dialect });
  expect(patch).toEqual(JSON.parse(text));
  expect(JSON.stringify(patch)).toBe(JSON.stringify(JSON.parse(text)));
}

const texts = fc.oneof(
  fc.constantFrom("", "a", "\0", '"', "\\", "\ud83d", "\ufeff", "\ufffd", "é", "\u00c3\u00a9", "😀", "__proto__", "~/"),
  fc.string({ unit: "binary", maxLength: 30 }),
);
/** V8's `JSON.parse` takes the name "\ud83d" for "\\" where an object that it parsed before had that: no text tells then. */
const names = texts.filter((text) => !text.startsWith("\\"));
const long = fc.tuple(texts, fc.constantFrom("x", "é", "—", "\ud83d", '"'), fc.nat(220)).map(([head, filling, times]) => head + filling.repeat(times));
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324), fc.double({ noNaN: true, noDefaultInfinity: true }), texts, long),
    fc.array(tie("node"), { maxLength: 40 }),
    fc.array(fc.tuple(names, tie("node")), { maxLength: 40 }).map((members) => {
      const object = {};
      for (const [name, member] of members) Object.defineProperty(object, name, { value: member, writable: true, enumerable: true, configurable: true });
      return object;
    }),
  ),
})).node;

test("whatever value a patch has, in one log or in several", () => {
  const change = fc.tuple(fc.constantFrom("set", "push", "member"), names, value, fc.boolean());
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.constantFrom("rfc6902", "extended"), (changes, dialect) => {
      const tracker = new StateTracker<Record<string, never>>({ list: [], last: 0, "a~/\"\ud83d": {} } as never, { arrayDeltaMode: "precise", counters: ["/last"] });
      for (const [what, name, one, asks] of changes) {
        tracker.update((draft: Record<string, unknown>) => {
          if (what === "set") draft["last"] = one;
          else if (what === "push") (draft["list"] as unknown[]).push(one, one);
          else Object.defineProperty(draft["a~/\"\ud83d"], name, { value: one, writable: true, enumerable: true, configurable: true });
        });
        if (asks) expectSame(tracker as never, dialect as "rfc6902");
      }
      expectSame(tracker as never, dialect as "rfc6902");
    }),
    runs,
  );
}, timeout);

test("whatever a program does", () => {
  const start = json.filter((root) => typeof root === "object" && root !== null);
  fc.assert(
    fc.property(start, fc.array(step, { minLength: 1, maxLength: 12 }), fc.constantFrom(false, true, "precise" as const), wayIn, (root, steps, arrayDeltaMode, way) =>
      onTracker(way, root, { arrayDeltaMode }, (tracker) => {
        for (const one of steps) {
          tracker.update((draft) => perform(draft as Json, one));
          for (const dialect of ["rfc6902", "extended"] as const) expectSame(tracker as never, dialect);
        }
      })),
    runs,
  );
}, timeout);

test("a string of the last log comes back as itself, one of an earlier log as an equal one", () => {
  const tracker = new StateTracker<Record<string, string>>({});
  const [first, second] = ["é".repeat(200), "é".repeat(201)];
  tracker.update((draft) => { draft["first"] = first; });
  const one = [{ op: "add", path: "/first", value: first }];
  expect(tracker.getRFC6902Patches()).toEqual(one);
  expect(tracker.getRFC6902Patches()).toEqual(one);
  tracker.update((draft) => { draft["second"] = second; });
  expect(tracker.getRFC6902Patches()).toEqual([...one, { op: "add", path: "/second", value: second }]);
  tracker.undo();
  expect(tracker.getRFC6902Patches()).toEqual(one);
});

test("a patch larger than the room that it leaves through, and many strings", () => {
  // So long that it is never told as a whole.
  const tracker = new StateTracker<{ list: string[] }>({ list: ["x".repeat(400_000)] }, { arrayDeltaMode: "precise" });
  for (const count of [100, 5_000]) {
    const items = Array.from({ length: count }, (_, i) => `${i}${"—".repeat(120)}`);
    tracker.update((draft) => { draft.list.push(...items); });
    expect(tracker.getRFC6902Patches()).toEqual(items.map((value) => ({ op: "add", path: "/list/-", value })));
    tracker.resetTracking();
  }
});

test("a patch is the caller's: changing it changes nothing else", () => {
  const tracker = new StateTracker<{ list: { name: string }[] }>({ list: [] }, { arrayDeltaMode: false });
  tracker.update((draft) => { draft.list.push({ name: "a" }); });
  const patch = tracker.getRFC6902Patches() as { op: string; path: string; value: { name: string }[] }[];
  patch[0]!.value[0]!.name = "b";
  patch[0]!.value.push({ name: "c" });
  patch.length = 0;
  expect(tracker.getState()).toEqual({ list: [{ name: "a" }] });
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/list", value: [{ name: "a" }] }]);
});
