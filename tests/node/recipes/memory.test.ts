import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// Long-lived trackers stay small. Issue 9, section 8. The number of ids that came and went is small enough for a test, and
// large enough that a hundred bytes each would tell: PATCHWIRE_IDS=1000000 asks for the whole.

type Any = any;

const IDS = Number(process.env["PATCHWIRE_IDS"] ?? 40_000);
const KEPT = 10;
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

function bytes(): { heap: number; wasm: number } {
  gc();
  return { heap: process.memoryUsage().heapUsed, wasm: (initSync as () => { memory: WebAssembly.Memory })().memory.buffer.byteLength };
}

function comeAndGo(tracker: StateTracker<Any>, from: number, to: number, then: (i: number) => void): void {
  for (let i = from; i < to; i++) {
    tracker.update((d) => {
      d.text[`t${i}`] = "x";
      d.n[`c${i}`] = 0;
      if (i >= KEPT) {
        delete d.text[`t${i - KEPT}`];
        delete d.n[`c${i - KEPT}`];
      }
    });
    then(i);
  }
}

/** Grows by no more than a fresh tracker on the same state, and what the collector leaves lying about. */
function staysSmall(then: (tracker: StateTracker<Any>) => (i: number) => void): void {
  const tracker = new StateTracker<Any>({ text: {}, n: {} }, { arrayDeltaMode: "precise" });
  comeAndGo(tracker, 0, 1_000, then(tracker));
  const before = bytes();
  comeAndGo(tracker, 1_000, IDS, then(tracker));
  const after = bytes();
  expect(Object.keys(tracker.getState().text)).toHaveLength(KEPT);
  expect({ heap: after.heap < before.heap * 2, wasm: after.wasm <= before.wasm * 2 }, JSON.stringify({ before, after })).toEqual({ heap: true, wasm: true });
}

test("one that is asked for patches and reset", () => {
  staysSmall((tracker) => () => { tracker.getRFC6902Patches(); tracker.resetTracking(); });
}, 300_000);

test("with append and increment at ever new pointers", () => {
  staysSmall((tracker) => (i) => { tracker.append(`/text/t${i}`, "abc"); tracker.increment(`/n/c${i}`, 2); tracker.getRFC6902Patches(); tracker.resetTracking(); });
}, 300_000);

test("one that nobody ever asks for patches", () => {
  staysSmall(() => () => {});
}, 300_000);

test("what can be undone of edits of some items of a long list holds these, and no list for each", () => {
  const tracker = new StateTracker<Any>({ list: Array.from({ length: 100_000 }, (_, n) => ({ n })) });
  const step = (n: number): void => {
    tracker.update((draft) => {
      for (let i = 0; i < 200; i++) draft.list[i * 200].n = -n;
    });
    tracker.getState();
  };
  step(1);
  tracker.document().free();
  const before = bytes();
  for (let n = 2; n <= 90; n++) step(n);
  // A list has 800 KB.
  expect(bytes().heap - before.heap).toBeLessThan(24 << 20);
  let undone = 0;
  while (tracker.undo()) undone++;
  expect(undone).toBe(90);
});
