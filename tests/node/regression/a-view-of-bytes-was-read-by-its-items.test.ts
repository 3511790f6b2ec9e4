import { expect, test } from "vitest";
import { diffTexts, StateDocument, StateTracker } from "patchwire";

// Bytes may come in any view of a buffer. Those of two bytes an item were cut off at one, and a DataView has no length.

const bytes = new TextEncoder().encode(`[{"a":1},[]] `).slice(0, 12);
const views = [bytes, new Uint16Array(bytes.buffer), new Uint32Array(bytes.buffer), new DataView(bytes.buffer), Buffer.from(bytes)] as Uint8Array[];

test.each(views.map((view) => [view.constructor.name, view] as const))("a %s", (_, view) => {
  expect(StateDocument.parse(view).toJSON()).toEqual([{ a: 1 }, []]);
  expect(diffTexts(view, "[{\"a\":2},[]]")).toEqual([{ op: "replace", path: "/0/a", value: 2 }]);
  const tracker = new StateTracker<{ at: unknown }>({ at: null });
  const stream = tracker.stream("/at");
  stream.write(view);
  stream.end();
  expect(tracker.getState()).toEqual({ at: [{ a: 1 }, []] });
});
