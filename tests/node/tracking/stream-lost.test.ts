import { beforeEach, expect, test } from "vitest";
import { PatchwireError, StateTracker } from "patchwire";
import { failAt, failNow, hasFailed } from "../../support/faults.ts";
import type { Json } from "../support/program.ts";

// What a tracker has in the core alone (open streams, steps to undo, checkpoints) is lost with it, and says so.

beforeEach(() => failAt(Infinity));

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchwireError) return error.code;
    throw error;
  }
  return undefined;
}

test("a stream says once that it is lost, and what was read of it stays", () => {
  const tracker = new StateTracker<Json>({ x: "old" });
  const [stream, other] = [tracker.stream("/x"), tracker.stream("/y")];
  stream.write('{"a":"seen');
  expect(tracker.getState()).toEqual({ x: { a: "seen" } });
  stream.write(" unseen");
  failNow();
  expect(tracker.getState()).toEqual({ x: { a: "seen" } });
  expect([() => stream.write("x"), () => stream.write("x"), () => stream.abort(), () => other.end(), () => other.end()].map(codeOf)).toEqual([
    "ENGINE_LOST", "CLOSED", "CLOSED", "ENGINE_LOST", "CLOSED",
  ]);
  const again = tracker.stream("/x");
  again.write("[1]");
  again.end();
  expect(tracker.document().toJSON()).toEqual({ x: [1] });
});

test("steps and checkpoints are gone, those of the next core are not mistaken for them", () => {
  const tracker = new StateTracker({ n: 0 });
  const lost = tracker.checkpoint();
  tracker.increment("/n");
  expect(tracker.document().toJSON()).toEqual({ n: 1 });
  failNow();
  expect([tracker.undo(), tracker.redo()]).toEqual([false, false]);
  tracker.checkpoint();
  expect(codeOf(() => tracker.restore(lost))).toBe("STALE_STATE");
  tracker.increment("/n");
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual({ n: 1 });
});

test.each([[undefined], [(): void => {}]])("wherever the core fails, both sides stay one, validator: %s", (validate) => {
  for (let n = 1; ; n++) {
    const tracker = new StateTracker<{ x?: Json; n: number }>({ n: 0 }, { validate });
    const stream = tracker.stream("/x");
    const steps = [
      () => stream.write('{"a":"b'), () => stream.write("c"), () => tracker.getState(), () => tracker.increment("/n"), () => tracker.undo(),
      () => tracker.redo(), () => stream.write('","d":1'), () => stream.write("2}"), () => stream.end(), () => tracker.restore(tracker.checkpoint()),
      () => tracker.apply([{ op: "add", path: "/x", value: 1 }]), () => tracker.undo(), () => tracker.getInversePatches(),
    ];
    failAt(n);
    const losses = steps.map(codeOf).filter((code) => code !== undefined && code !== "CLOSED");
    const came = hasFailed();
    failAt(Infinity);
    expect(losses.filter((code) => code !== "ENGINE_LOST" && code !== "STALE_STATE")).toEqual([]);
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
    tracker.update((draft) => void (draft.n = 9));
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
    expect(tracker.undo()).toBe(true);
    if (!came) return expect(losses).toEqual([]);
  }
});
