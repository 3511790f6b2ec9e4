import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A stream that another update came between the pieces of had a step for each part, and its abort was one more: undoing led to half of
// what it wrote, which the schema refused every time, so that nothing before it could be undone any more.

interface State { doc: { text?: string; done?: boolean; ok?: boolean } | null; n: number }

const complete = (next: State): void => {
  if (next.doc?.done && !next.doc.ok) throw new Error("not ok");
};

test("after a stream was refused and given up, undoing takes back what came meanwhile, and before", () => {
  const tracker = new StateTracker<State>({ doc: null, n: 0 }, { validate: complete });
  tracker.increment("/n", 1);
  const stream = tracker.stream("/doc");
  stream.write('{"text":"half"');
  tracker.update((d) => { d.n = 2; });
  stream.write(',"done":true}');
  expect(() => stream.end()).toThrow(/^VALIDATION_FAILED/);
  stream.abort();
  expect([tracker.undo(), tracker.getState()]).toEqual([true, { doc: null, n: 1 }]);
  expect([tracker.undo(), tracker.getState()]).toEqual([true, { doc: null, n: 0 }]);
  expect(tracker.undo()).toBe(false);
});

test("what a stream wrote to its end is one step, whatever came between its pieces", () => {
  const tracker = new StateTracker<State>({ doc: null, n: 0 });
  const stream = tracker.stream("/doc");
  for (const piece of ['{"text":"ha', 'lf","do', 'ne":true}']) {
    stream.write(piece);
    tracker.update((d) => { d.n++; });
  }
  stream.end();
  const seen: State[] = [];
  while (tracker.undo()) seen.push(tracker.getState());
  expect(seen.map(({ n, doc }) => [n, doc?.text])).toEqual([[2, "half"], [2, undefined], [1, undefined], [0, undefined]]);
  while (tracker.redo());
  expect(tracker.getState()).toEqual({ doc: { text: "half", done: true }, n: 3 });
});
