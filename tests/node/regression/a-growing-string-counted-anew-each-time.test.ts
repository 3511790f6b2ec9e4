import { expect, test } from "vitest";
import { ready, StateTracker } from "patchwire";
import { TrackerCore } from "../../../pkg/dist/wasm/patchwire.js";

// Each `+=` counted the whole string towards the limit of the document's size, and a string that was put in the place of another
// one, too. After some hundred tokens the limit seemed near, and the core was told of all of them to weigh the state: hundreds of
// copies of the string, 20 to 130 ms at once.

const LENGTH = 100_000;

test.each([
  ["that grows", (text: string) => `${text}token `],
  ["that is replaced", (text: string) => `${Number(text[0]) + 1 || 1}`.slice(-1) + text.slice(1)],
])("the core isn't told of a text %s to weigh it", async (_, next) => {
  await ready();
  const { play } = TrackerCore.prototype;
  let bytes = 0;
  TrackerCore.prototype.play = function (arena, length) {
    bytes += length;
    return play.call(this, arena, length);
  };
  try {
    const tracker = new StateTracker({ id: 1, message: "текст ".repeat(LENGTH / 6) });
    for (let i = 0; i < 1_000; i++) {
      tracker.update((draft) => void (draft.message = next(draft.message)));
      expect(tracker.getRFC6902Patches()).toHaveLength(1);
      tracker.resetTracking();
    }
    expect(bytes).toBe(0);
    tracker.undo();
    expect(bytes).toBeGreaterThan(0);
  } finally {
    TrackerCore.prototype.play = play;
  }
});

test("a limit is held as by a tracker that begins with the same state", () => {
  const limits = { document: 2_500 };
  type State = { a: string; b: string; n: number[] };
  const changes: ((state: State) => void)[] = [
    (state) => void (state.a += "я".repeat(90)),
    (state) => void (state.b = state.a),
    (state) => void (state.b += "x".repeat(70)),
    (state) => void (state.a = state.a.slice(0, 300)),
    (state) => void (state.n = state.n.concat(1, 2, 3)),
    (state) => void ([state.a, state.b] = [state.b, state.a]),
    (state) => void (state.a = "й".repeat(260)),
  ];
  let seed = 7;
  const pick = <V>(values: readonly V[]): V => values[(seed = (seed * 48_271) % 0x7fff_ffff) % values.length]!;
  const outcome = (tracker: StateTracker<State>, change: (state: State) => void): string => {
    try {
      tracker.update((draft) => change(draft as State));
      return "made";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const tracker = new StateTracker<State>({ a: "a".repeat(300), b: "", n: [] }, { limits });
  const outcomes = new Set<string>();
  for (let i = 0; i < 600; i++) {
    const change = pick(changes);
    const fresh = new StateTracker<State>(structuredClone(tracker.getState()) as State, { limits });
    const expected = outcome(fresh, change);
    expect(outcome(tracker, change)).toBe(expected);
    expect(tracker.getState()).toEqual(fresh.getState());
    if (i % 9 === 0) tracker.resetTracking();
    if (i % 31 === 0) tracker.undo();
    outcomes.add(expected);
  }
  expect([...outcomes].sort()).toEqual(["LIMIT_EXCEEDED", "made"]);
});
