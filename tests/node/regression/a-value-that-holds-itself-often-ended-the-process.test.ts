import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Whether a value is over the limit already was looked at where a scalar was met. A value of containers alone, each of which holds the next one
// twice, was taken over until memory was full; so was a part of the state that was put into itself again and again.

test("containers count as well as scalars", () => {
  const tracker = new StateTracker<any>({}, { limits: { document: 10_000 } });
  const put = (leaf: unknown) => () => tracker.update((draft) => {
    let value = leaf;
    for (let i = 0; i < 40; i++) value = i % 2 === 0 ? [value, value] : { a: value, b: value };
    draft.value = value;
  });
  for (const leaf of [{}, [], { x: 1 }, null]) expect(put(leaf)).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(tracker.getState()).toEqual({});
});

test("so does what is in the state already", () => {
  const tracker = new StateTracker<any>({ o: {}, list: [[]] }, { limits: { document: 10_000 } });
  for (const name of ["o", "list"]) {
    expect(() => tracker.update((draft) => {
      for (let i = 0; i < 40; i++) draft[name] = i % 2 === 0 ? [draft[name], draft[name]] : { a: draft[name], b: draft[name] };
    })).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  }
  expect([tracker.getState(), tracker.getRFC6902Patches()]).toEqual([{ o: {}, list: [[]] }, []]);
});

test("a promise of one's own making is refused as one", () => {
  const tracker = new StateTracker<any>({ n: 0 });
  // eslint-disable-next-line unicorn/no-thenable
  const recipe = (): any => ({ then: (done: () => void) => done() });
  expect(() => tracker.update(recipe)).toThrow(expect.objectContaining({ code: "ASYNC_RECIPE" }));
});
