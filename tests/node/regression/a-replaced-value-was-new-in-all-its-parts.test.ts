// A patch that replaces a container, as whoever takes over a whole state sends it, made all of it new, though what is told of it was
// as short as what differs: `===` said of every part that it had changed, and a page drew everything anew.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker, type JSONPatchOperation } from "../../../pkg/dist/index.js";
import { asked } from "../support/runs.js";
import { isContainer } from "../../../pkg/dist/json/containers.js";

const list = () => Array.from({ length: 200 }, (_, id) => ({ id, tags: ["a", "b"] }));
const state = () => ({ n: 1, list: list(), inner: { deep: { list: list() } } });

test("a state that is equal is the same one", () => {
  const tracker = new StateTracker(state());
  const before = tracker.getState();
  tracker.apply([{ op: "replace", path: "", value: state() }]);
  expect(tracker.getState()).toBe(before);
  expect(tracker.getPatchText()).toBe("[]");
});

test.each(["", "/in"])("what is equal in it stays the same, at '%s'", (path) => {
  const tracker = new StateTracker<any>(path === "" ? state() : { in: state() });
  const at = () => (path === "" ? tracker.getState() : tracker.getState().in);
  const before = at();
  const next = state();
  next.n = 2;
  next.list[3]!.tags.push("c");
  tracker.apply([{ op: "replace", path, value: next }]);
  expect(at()).toEqual(next);
  expect(at().inner).toBe(before.inner);
  expect(at().list[2]).toBe(before.list[2]);
  expect(at().list[3]).not.toBe(before.list[3]);
  expect(Object.isFrozen(at().list) && Object.isFrozen(at().list[3])).toBe(true);
});

test("an object with its members in another order is another one", () => {
  const tracker = new StateTracker<any>({ a: { x: { y: 1 }, z: 2 } });
  const before = tracker.getState();
  tracker.apply([{ op: "replace", path: "", value: { a: { z: 2, x: { y: 1 } } } }]);
  expect(JSON.stringify(tracker.getState())).toBe(JSON.stringify(tracker.document()));
  expect(tracker.getState().a.x).toBe(before.a.x);
});

/** Says of all containers that are at the same place in both, and have the same text, that they are the same. */
function expectShared(before: unknown, after: unknown): void {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) return;
  if (JSON.stringify(before) === JSON.stringify(after)) expect(after).toBe(before);
  else for (const key of Object.keys(after)) if (Object.hasOwn(before, key)) expectShared((before as any)[key], (after as any)[key]);
}

const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom<unknown>(0, 1, "a", null, true), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "0", "length"), tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

test("whatever takes the place of whatever", () => {
  const one = fc.tuple(values.object, values.object, fc.constantFrom("", "/a", "/b", "/b/a"));
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (steps) => {
      const tracker = new StateTracker<any>(structuredClone(steps[0]![0]), { own: true });
      let known: any = tracker.getState();
      for (const [, value, path] of steps) {
        const patch: JSONPatchOperation[] = [{ op: path === "" ? "replace" : "add", path, value }];
        try {
          tracker.apply(patch);
        } catch {
          // There is nothing to put it into.
          continue;
        }
        const after = tracker.getState();
        expect(JSON.stringify(after)).toBe(JSON.stringify(tracker.document()));
        expectShared(known, after);
        known = after;
      }
      while (tracker.undo());
      expect(tracker.getState()).toEqual(steps[0]![0]);
    }),
    asked(300),
  );
});
