import fc from "fast-check";
import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";
import { json, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// A change that is its own meaning is told without asking the core (Meaning.told), and the log crosses later, with the
// readers' baselines in it. This law holds it to the core's own answer: a twin that is asked for its patch's text always asks.

type Any = any;

const numbers = fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }), fc.double({ min: 0, max: 2, noNaN: true })), { maxLength: 5 });

const path = fc.array(fc.constantFrom("a", "b", "list", "0", "1", "__proto__", "x/y"), { maxLength: 3 });
const change = fc.record({
  path,
  key: fc.constantFrom("a", "b", "list", "0", "1", "12", "m~n"),
  value: fc.oneof(json, numbers, fc.constantFrom<Json>(0, -0, "", "text", "text and more", [], {})),
  isPush: fc.boolean(),
  twice: fc.boolean(),
  isDeleted: fc.boolean(),
  more: fc.array(fc.tuple(fc.constantFrom("a", "b", "list", "c"), fc.oneof({ weight: 3, arbitrary: fc.constantFrom<Json>(1, true, null, "text") }, { weight: 1, arbitrary: json })), { maxLength: 3 }),
  edits: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, fc.constantFrom("a", "b", "done", "0"), fc.oneof(fc.constantFrom<Json>(1, true, null, "text", 1.5), json, numbers)), { maxLength: 6 }) }),
  gone: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, fc.constantFrom("a", "b", "list", "0"), fc.constantFrom(null, "c", "b")), { maxLength: 4 }) }),
  pushed: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, json), { maxLength: 2 }) }),
  all: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom<Json>(1, false, "t") }),
  sifted: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) }),
  spread: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom<Json>(1, false, "t", -0, []) }),
  advances: fc.boolean(),
  extended: fc.boolean(),
});

/** Goes as far as there are containers. */
function follow(draft: Any, path: string[]): Any {
  let at = draft;
  for (const step of path) if (Object.hasOwn(at, step) && typeof at[step] === "object" && at[step] !== null) at = at[step];
  return at;
}

/** Takes items out of every array in there, which a mask says. */
function sift(at: Any, mask: number): void {
  for (const key of Object.keys(at)) if (Array.isArray(at[key])) at[key] = at[key].filter((_: Any, i: number) => (mask >> (i % 5)) & 1);
}

/** Puts a copy with another member in the place of an object in there, or in an array in there. */
function spread(at: Any, value: Json): void {
  const other = (item: Any): Any => (typeof item === "object" && item !== null && !Array.isArray(item) ? { ...item, done: value } : item);
  const [key] = Object.keys(at);
  if (key !== undefined) at[key] = Array.isArray(at[key]) ? at[key].map((item: Any, i: number) => (i === at[key].length >> 1 ? other(item) : item)) : other(at[key]);
}

/** Sets a member of every object. */
function setIn(at: Any, value: Json): void {
  if (!Array.isArray(at)) at.done = value;
  for (const key of Object.keys(at)) if (typeof at[key] === "object" && at[key] !== null) setIn(at[key], value);
}

const row = fc.record({ id: fc.nat(), content: fc.string({ maxLength: 60 }), done: fc.boolean() }, { requiredKeys: ["id"] });
const start = fc.oneof(
  json.filter((value) => typeof value === "object" && value !== null),
  fc.record({ list: fc.array(numbers, { maxLength: 6 }), a: numbers, b: fc.dictionary(fc.constantFrom("a", "0", "b"), numbers), done: numbers }),
  fc.record({ list: fc.array(row, { maxLength: 12 }), a: fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 3 }), b: fc.dictionary(fc.constantFrom("a", "0", "x/y", "é"), row) }),
);

const modes = [{ arrayDeltaMode: "precise" }, { arrayDeltaMode: true }, { arrayDeltaMode: false }, { arrayDeltaMode: true, granularity: "key" }, { arrayDeltaMode: "precise", texts: ["/a"], counters: ["/b"] }] as const;

test("what is told without the core is what the core tells, and what comes later follows", () => {
  fc.assert(
    fc.property(start, fc.array(change, { minLength: 1, maxLength: 8 }), fc.constantFrom(...modes), (start, changes, options) => {
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(start), options), new StateTracker<Any>(structuredClone(start), options)];
      const [cursor, other] = [tracker.cursor(), twin.cursor()];
      for (const { path, key, value, isPush, twice, isDeleted, more, edits, pushed, gone, all, sifted, spread: put, advances, extended } of changes) {
        const recipe = (draft: Any): void => {
          for (const [path, key, value] of edits) {
            const at = follow(draft, path);
            if (!Array.isArray(at)) at[key] = structuredClone(value);
            else if (at.length > 0) at[key.charCodeAt(0) % at.length] = structuredClone(value);
          }
          const push = ([path, value]: [string[], Json]): void => {
            const at = follow(draft, path);
            const list = Array.isArray(at) ? at : (at.list ?? at.a);
            if (Array.isArray(list)) list.push(structuredClone(value));
          };
          if (isPush) pushed.forEach(push);
          // Some of what is deleted comes back by value, at another name.
          for (const [path, key, again] of gone) {
            const at = follow(draft, path);
            if (Array.isArray(at) || !Object.hasOwn(at, key)) continue;
            const value = current(at)[key];
            delete at[key];
            if (again !== null) at[again] = structuredClone(value);
          }
          if (all !== undefined) setIn(draft, all);
          if (sifted > 0) sift(follow(draft, path), sifted);
          if (put !== undefined) spread(follow(draft, path), put);
          if (!isPush) pushed.forEach(push);
          if (all !== undefined || sifted > 0 || put !== undefined || edits.length > 0 || gone.length > 0) return;
          const at = follow(draft, path);
          if (isDeleted && !Array.isArray(at)) {
            delete at[Object.hasOwn(at, key) ? key : Object.keys(at)[0]!];
            if (!twice) return;
          }
          const set = (value: Any): void => {
            if (Array.isArray(at)) {
              if (isPush) at.push(value);
              else if (at.length > 0) at[Number(key) % at.length || 0] = value;
            } else Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true });
          };
          set(structuredClone(value));
          if (twice) set(1);
          if (!Array.isArray(at)) for (const [key, value] of more) at[key] = structuredClone(value);
        };
        tracker.update(recipe);
        twin.update(recipe);
        const dialect = extended ? "extended" : "rfc6902";
        expect(tracker.getRFC6902Patches({ dialect })).toEqual(JSON.parse(twin.getPatchText({ dialect })));
        expect(cursor.patches({ dialect })).toEqual(JSON.parse(other.patchText({ dialect })));
        if (advances) for (const one of [tracker, twin]) one.resetTracking();
        else for (const one of [cursor, other]) one.advance();
      }
      expect(tracker.getPatchText()).toBe(twin.getPatchText());
      expect(cursor.patchText()).toBe(other.patchText());
      expect(tracker.document().toJSON()).toEqual(twin.document().toJSON());
      while (tracker.undo()) twin.undo();
      expect(tracker.getState()).toEqual(twin.getState());
    }),
    asked(3000),
  );
}, 90_000);

test("what is told may be changed by whoever gets it", () => {
  const tracker = new StateTracker<Any>({ list: [] }, { arrayDeltaMode: "precise" });
  tracker.update((draft) => { draft.list.push({ tags: ["a"] }); });
  const [operation] = tracker.getRFC6902Patches() as [Any];
  operation.value.tags.push("b");
  expect(tracker.getState()).toEqual({ list: [{ tags: ["a"] }] });
});
