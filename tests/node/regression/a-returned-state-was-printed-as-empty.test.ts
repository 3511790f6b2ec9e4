import { inspect } from "node:util";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What `update` returns is a proxy that fills in when it is read. `console.log` doesn't read proxies: it showed the
// target, an empty object.

test.each([{ notes: ["a"] }, [["a"], 1], JSON.parse('{"__proto__":{"a":1}}')])("what update returns is printed as getState's is: %j", (initial) => {
  const tracker = new StateTracker<any>(initial);
  const returned = tracker.update((draft) => { draft[0] = { b: [2] }; });
  expect(inspect(returned)).toBe(inspect(tracker.getState()));
  expect(inspect({ returned }, { depth: 5 })).toBe(inspect({ returned: tracker.getState() }, { depth: 5 }));
  expect(Reflect.ownKeys(returned)).toEqual(Reflect.ownKeys(tracker.getState()));
});
