import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Frozen values of the state that a patch has come from the core as what they are, without their text, and are copied.

const list = (from: number): number[] => Array.from({ length: 3_000 }, (_, i) => from + i * 1.5);

test("values that change places are told by copies", () => {
  const tracker = new StateTracker({ left: list(1), right: list(-7), deep: { rows: list(2).map((n) => ({ n, tags: ["a", n] })) } });
  const before = structuredClone(tracker.getState());
  tracker.update((draft) => {
    [draft.left, draft.right] = [draft.right, draft.left];
    draft.deep = { ...draft.deep };
  });
  const patch = tracker.getRFC6902Patches();
  expect(patch).toEqual(JSON.parse(tracker.getPatchText()));
  expect(patch.map(({ op, path }) => `${op} ${path}`)).toEqual(["replace /left", "replace /right"]);
  for (const one of patch) ((one as { value: number[] }).value[0] = 0);
  expect(tracker.getState()).toEqual({ ...before, left: before.right, right: before.left });
});

test("so is a part of the state that is put into a new list", () => {
  const tracker = new StateTracker<{ past: unknown[]; present: { rows: { n: number }[] } }>({ past: [], present: { rows: list(0).map((n) => ({ n: -n })) } });
  tracker.update((draft) => void (draft.past = [...draft.past, draft.present]));
  const patch = tracker.getRFC6902Patches();
  expect(patch).toEqual(JSON.parse(tracker.getPatchText()));
  expect(Object.is((patch[0] as any).value[0]?.rows[0].n ?? (patch[0] as any).value.rows[0].n, 0)).toBe(true);
});
