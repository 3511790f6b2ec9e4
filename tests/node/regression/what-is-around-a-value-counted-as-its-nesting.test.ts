import { describe, expect, test } from "vitest";
import { applyPatch, applyStepWrites, compact, filterPatch, invert, mergeWrites, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// A value that a state may have was refused in a patch, in step writes or in a list of them, because these were read with the state's limit of
// nesting, and are nested themselves.

/** A member of a state of so many levels. */
const nested = (levels: number): unknown => Array.from({ length: levels - 1 }).reduce((value, _, i) => (Number(i) % 2 ? { a: value } : [value]), 1 as unknown);

describe.each([512, 10])("at a limit of %i levels", (depth) => {
  const limits = { depth };
  const options = depth === 512 ? undefined : { limits };
  const value = nested(depth);
  const patch = [{ op: "add" as const, path: "/x", value }];

  test("a patch takes what a state may have", () => {
    expect(applyPatch({}, patch, options)).toEqual({ x: value });
    expect(applyPatch({}, JSON.stringify(patch), options)).toEqual({ x: value });
    expect(invert({}, patch, options)).toEqual([{ op: "remove", path: "/x" }]);
    expect(compact([patch], options)).toEqual(patch);
    expect(compact([JSON.stringify(patch)], { base: {}, ...options })).toEqual(patch);
    expect(filterPatch(patch, { exclude: ["/z"] }, options)).toEqual(patch);
    const tracker = new StateTracker<any>({}, options);
    tracker.apply(JSON.stringify(patch));
    expect(tracker.getState()).toEqual({ x: value });
  });

  test("and nothing deeper", () => {
    const deeper = [{ op: "add" as const, path: "/x", value: [value] }];
    for (const run of [() => applyPatch({}, deeper, options), () => invert({}, deeper, options), () => new StateTracker({}, options).apply(deeper)]) {
      expect(refusal(run).code).toBe("LIMIT_EXCEEDED");
    }
  });

  test("so do step writes", () => {
    const tracker = new StateTracker<any>({ list: [] }, { arrayDeltaMode: true, ...options });
    tracker.update((draft) => {
      draft.x = value;
      draft.list.push(nested(depth - 1));
    });
    const writes = tracker.getStepWrites();
    expect(mergeWrites({ list: [] }, [writes], options).state).toEqual(tracker.getState());
    if (options === undefined) expect(applyStepWrites({ list: [] }, writes).state).toEqual(tracker.getState());
  });
});
