import { produce } from "immer";
import { describe, expect, test } from "vitest";
import { applyPatch, applyStepWrites, StateDocument, StateTracker, type StateTrackerOptions } from "patchwire";
import { expectToLead } from "../support/libraries.ts";
import { posted, start, type Dice } from "../support/posted.ts";
import { seed as chosen } from "../support/runs.ts";

// Each published recipe alone, and many in a row on one tracker that several read: the state is the plain object's, three other
// libraries get it by the patches, and the way back leads back.

type Any = any;

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const names = Object.keys(posted);

function dice(seed: number): Dice {
  let at = seed >>> 0 || 1;
  return (n) => {
    at ^= at << 13;
    at ^= at >>> 17;
    at ^= at << 5;
    return n <= 0 ? 0 : (at >>> 0) % n;
  };
}

/** What the recipe makes of a plain object, which it leaves as it was where it throws. */
function onPlain(state: Any, name: string, seed: number): { after: Any; threw: boolean } {
  const copy = clone(state);
  try {
    posted[name]!(copy, dice(seed));
    return { after: clone(copy), threw: false };
  } catch {
    return { after: state, threw: true };
  }
}

function onTracker(tracker: StateTracker<Any>, name: string, seed: number): boolean {
  try {
    tracker.update((draft) => { posted[name]!(draft, dice(seed)); });
    return false;
  } catch {
    return true;
  }
}

/** What Immer leaves where it was is there, `===`. */
function shares(before: Any, after: Any, peer: Any, path = ""): void {
  if (typeof before !== "object" || before === null || typeof peer !== "object" || peer === null) return;
  if (peer === before) expect(after === before, path).toBe(true);
  else for (const key of Object.keys(peer)) if (Object.hasOwn(before, key)) shares(before[key], after[key], peer[key], `${path}/${key}`);
}

const made = (options: StateTrackerOptions<Any>, isDocument: boolean): StateTracker<Any> =>
  new StateTracker<Any>(isDocument ? StateDocument.parse(JSON.stringify(start())) : start(), options);

describe.each<StateTrackerOptions["arrayDeltaMode"]>(["precise", true, false])("alone, arrayDeltaMode %s", (arrayDeltaMode) => {
  test.each(names)("%s", (name) => {
    for (const [seed, isDocument] of [[1, false], [77, true], [12345, false]] as const) {
      const before = start();
      const tracker = made({ arrayDeltaMode }, isDocument);
      const published = isDocument ? before : tracker.getState();
      const { after, threw } = onPlain(before, name, seed);
      expect(onTracker(tracker, name, seed)).toBe(threw);
      expectToLead(before, tracker.getRFC6902Patches(), after);
      const state = tracker.getState();
      expect(JSON.stringify(state)).toBe(JSON.stringify(after));
      if (!isDocument && !threw) shares(published, state, produce(published, (draft: Any) => { posted[name]!(draft, dice(seed)); }));
      expectToLead(after, tracker.getInversePatches(), before);
      expect(applyStepWrites(before, tracker.getStepWrites()).state).toEqual(after);
      expect(applyPatch(before, tracker.getPatchText({ dialect: "extended" }))).toEqual(after);
      expect(JSON.stringify(tracker.document().toJSON())).toBe(JSON.stringify(after));
      if (tracker.undo()) {
        expect(tracker.getState()).toEqual(before);
        tracker.redo();
      }
      expect(tracker.getState()).toEqual(after);
    }
  });
});

describe("many in a row, with readers", () => {
  test.each<[StateTrackerOptions["arrayDeltaMode"], boolean, number]>([["precise", false, 1], ["precise", true, 2], ["precise", false, 3], [true, false, 4], [false, true, 5]])(
    "arrayDeltaMode %s, of a document %s, %i",
    (arrayDeltaMode, isDocument, nth) => {
      const R = dice(chosen * 7919 + nth);
      const tracker = made({ arrayDeltaMode }, isDocument);
      let plain = start();
      const readers = [2, 7, 50].map((every) => ({ every, cursor: tracker.cursor(), state: plain }));
      let reset = plain;
      for (let i = 0; i < 600; i++) {
        const [name, seed] = [names[R(names.length)]!, R(1e9) + 1];
        const { after, threw } = onPlain(plain, name, seed);
        expect(onTracker(tracker, name, seed), name).toBe(threw);
        plain = after;
        if (R(2)) expect(JSON.stringify(tracker.getState()), name).toBe(JSON.stringify(plain));
        for (const reader of readers) {
          if (R(reader.every)) continue;
          expectToLead(reader.state, reader.cursor.patches(), plain);
          reader.state = plain;
          reader.cursor.advance();
        }
        if (R(10) === 0) {
          expectToLead(plain, tracker.getInversePatches(), reset);
          tracker.resetTracking();
          reset = plain;
        }
        if (R(20) === 0 && tracker.undo()) {
          tracker.redo();
          expect(tracker.getState(), name).toEqual(plain);
          // The way back doesn't keep the order of members.
          plain = clone(tracker.getState());
        }
      }
      expect(tracker.document().toJSON()).toEqual(plain);
    },
    60_000,
  );
});
