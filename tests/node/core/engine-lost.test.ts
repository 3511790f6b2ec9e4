import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { applyPatch, PatchwireError, StateDocument, StateTracker, stepWritesToRFC6902, type WriteCursor } from "patchwire";
import { changeOf, StateManager } from "patchwire/agentos";
import { failAt, failNow, fillMemory, hasFailed, memory } from "../../support/faults.ts";
import { json, onPlain, perform, step, type Json, type Step } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// The core can die: what traps, or finds no memory, leaves its memory in any state. Then it is replaced.

beforeEach(() => failAt(Infinity));

const LARGE = "x".repeat(8 << 20);
const OLD = 1 << 30;

const lost = (run: () => unknown): void => expect(refusal(run).code).toBe("ENGINE_LOST");

describe("a document", () => {
  const text = '{"notes":["a"],"count":1}';

  test("in whose use the core traps is lost, with a reason, and parsed again it is there", () => {
    const document = StateDocument.parse(text);
    failAt(1);
    const error = refusal(() => document.toJSON());
    expect(error.code).toBe("ENGINE_LOST");
    expect(error.cause).toBeInstanceOf(WebAssembly.RuntimeError);
    expect((error.cause as Error).message).toMatch(/out of bounds/);
    expect(StateDocument.parse(text).toJSON()).toEqual(JSON.parse(text));
  });

  test("is lost with the others, and says so at every use; freeing it does nothing", () => {
    const [document, other] = [StateDocument.parse(text), StateDocument.parse(text)];
    failNow();
    const after = StateDocument.parse(text);
    const uses = [() => document.toJSON(), () => document.get("/count"), () => document.toBytes(), () => document.apply([]), () => new StateTracker(document)];
    for (const use of [...uses, ...uses]) lost(use);
    document.free();
    document.free();
    other.free();
    expect(after.toJSON()).toEqual(JSON.parse(text));
  });

  test("for which there is no memory is refused, and memory is given back", () => {
    const before = memory();
    fillMemory();
    expect(before.buffer.byteLength).toBeGreaterThan(OLD);
    const error = refusal(() => StateDocument.parse(JSON.stringify([LARGE])));
    expect([error.code, (error.cause as Error).message]).toEqual(["ENGINE_LOST", "unreachable"]);
    expect(StateDocument.parse(JSON.stringify([LARGE])).toJSON()).toEqual([LARGE]);
    expect(memory().buffer.byteLength).toBeLessThan(100 << 20);
  });

  test("that was freed says so, and harms no other", () => {
    const [document, other] = [StateDocument.parse(text), StateDocument.parse(text)];
    document.free();
    document.free();
    for (const use of [() => document.toJSON(), () => document.get(""), () => new StateTracker(document)]) expect(refusal(use).code).toBe("CLOSED");
    expect(other.toJSON()).toEqual(JSON.parse(text));
  });
});

test("a graph's manager has its reducers in the core that runs now", () => {
  const manager = new StateManager({ "scratch.n": "sum" });
  const base = manager.updateScratch(manager.initialize(null), { n: 1 });
  failNow();
  expect(changeOf(base)!.patch).toEqual([{ op: "add", path: "/scratch/n", value: 1 }]);
  expect(manager.updateScratch(base, { n: 2 }).scratch.n).toBe(3);
  failAt(1);
  lost(() => manager.updateScratch(base, { n: 2 }));
  expect(manager.mergeParallelBranches(base, [manager.updateScratch(base, { n: 4 })]).scratch.n).toBe(5);
});

test("functions on whole values work again at the next call", () => {
  fillMemory();
  lost(() => applyPatch({ text: LARGE }, [{ op: "test", path: "/text", value: "" }]));
  expect(applyPatch({ n: 1 }, [{ op: "inc", path: "/n", inc: 1 }])).toEqual({ n: 2 });
  // Making room is the method that is called.
  failAt(1);
  lost(() => stepWritesToRFC6902({ ops: [{ kind: "replace", key: "n", path: "/n", value: LARGE }] }));
  expect(stepWritesToRFC6902({ ops: [] })).toEqual([]);
});

test("running out of stack harms nobody for long", () => {
  const tracker = new StateTracker({ n: 1 });
  const dive = (): unknown => [StateDocument.parse("[[1]]").get("/0"), dive()];
  expect(dive).toThrow();
  tracker.update((draft) => void (draft.n = 2));
  expect(StateDocument.parse("[2]").toJSON()).toEqual([2]);
  expect(tracker.document().toJSON()).toEqual({ n: 2 });
});

test("memory of dead cores is collected, though their errors are kept", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const errors: unknown[] = [];
  const handles: unknown[] = [];
  const memories: WeakRef<WebAssembly.Memory>[] = [];
  for (let i = 0; i < 40; i++) {
    const document = StateDocument.parse("[1]");
    handles.push(document, new StateTracker({ i }).document());
    memories.push(new WeakRef(memory()));
    fillMemory();
    failAt(1);
    errors.push(refusal(() => document.toJSON()));
  }
  await new Promise((resolve) => setTimeout(resolve));
  gc();
  expect(memories.filter((memory) => memory.deref() !== undefined)).toEqual([]);
  expect([errors.length, handles.length]).toEqual([40, 80]);
});

describe("a tracker", () => {
  test("goes on; who had nothing unread doesn't notice", () => {
    const tracker = new StateTracker({ n: 0, list: ["a"] }, { arrayDeltaMode: "precise" });
    const cursor = tracker.cursor();
    tracker.update((draft) => void draft.list.push("b"));
    tracker.resetTracking();
    cursor.advance();
    const before = tracker.getState();
    failNow();
    expect(tracker.getState()).toBe(before);
    tracker.update((draft) => void (draft.list[1] = "c"));
    tracker.increment("/n");
    const expected = [{ op: "replace", path: "/n", value: 1 }, { op: "replace", path: "/list/1", value: "c" }];
    const byPath = (patch: object[]): object[] => patch.toSorted((a, b) => JSON.stringify(b).localeCompare(JSON.stringify(a)));
    expect(byPath(cursor.patches())).toEqual(byPath(expected));
    expect(byPath(tracker.getRFC6902Patches())).toEqual(byPath(expected));
    expect(tracker.document().toJSON()).toEqual({ n: 1, list: ["a", "c"] });
  });

  test("tells each reader once what it can't tell any more", () => {
    const tracker = new StateTracker({ n: 0 });
    const [read, unread, skipped] = [tracker.cursor(), tracker.cursor(), tracker.cursor()];
    tracker.update((draft) => void (draft.n = 1));
    read.advance();
    failNow();
    // A reader that lacks nothing notices a loss only by what the core alone knows.
    expect(read.stepWrites().ops).toEqual([]);
    expect(read.patchText()).toBe("[]");
    skipped.advance();
    tracker.update((draft) => void (draft.n = 2));
    lost(() => unread.patchText());
    lost(() => tracker.getStepWrites());
    for (const reader of [read, skipped]) expect(reader.patches()).toEqual([{ op: "replace", path: "/n", value: 2 }]);
    // Who was told of the loss takes the state as it is, with what came after the loss.
    expect(unread.patches()).toEqual([]);
    expect(tracker.getStepWrites().ops).toEqual([]);
    tracker.update((draft) => void (draft.n = 3));
    for (const reader of [read, skipped, unread]) expect(reader.patches()).toEqual([{ op: "replace", path: "/n", value: 3 }]);
    expect(tracker.getStepWrites().ops).toHaveLength(1);
  });

  test("tells a reader of a loss before the last one, too", () => {
    const tracker = new StateTracker({ n: 0 });
    const cursor = tracker.cursor();
    tracker.getPatchText();
    for (let n = 1; n <= 2; n++) {
      tracker.update((draft) => void (draft.n = n));
      tracker.getPatchText();
      failNow();
      lost(() => tracker.getStepWrites());
    }
    lost(() => cursor.patchText());
    expect(cursor.patchText()).toBe("[]");
  });

  test("restores no checkpoint of a core that was lost", () => {
    const tracker = new StateTracker({ n: 0 });
    const old = tracker.checkpoint();
    tracker.update((draft) => void (draft.n = 1));
    tracker.getPatchText();
    failNow();
    tracker.update((draft) => void (draft.n = 2));
    tracker.checkpoint();
    tracker.update((draft) => void (draft.n = 3));
    expect(refusal(() => tracker.restore(old)).code).toBe("STALE_STATE");
    expect(tracker.getState()).toEqual({ n: 3 });
  });

  test("goes on from what recipes left since, not from what they left before", () => {
    const tracker = new StateTracker({ rows: Array.from({ length: 6_000 }, () => ({ n: 0 })) });
    const all = (n: number): void => tracker.update((draft) => draft.rows.forEach((row) => void (row.n = n)));
    tracker.getStepWrites();
    all(1);
    failNow();
    all(2);
    tracker.resetTracking();
    expect([tracker.getState().rows[7], tracker.document().get("/rows/7")]).toEqual([{ n: 2 }, { n: 2 }]);
  });

  test("whose update finds no memory has not made it", () => {
    const tracker = new StateTracker<{ n: number; text?: string }>({ n: 0 });
    tracker.update((draft) => void (draft.n = 1));
    tracker.getPatchText();
    fillMemory();
    lost(() => tracker.update((draft) => void (draft.text = LARGE)));
    expect(tracker.getState()).toEqual({ n: 1 });
    lost(() => tracker.getPatchText());
    expect(tracker.getPatchText()).toBe("[]");
    tracker.update((draft) => void (draft.text = LARGE));
    expect(tracker.getRFC6902Patches()).toEqual([{ op: "add", path: "/text", value: LARGE }]);
  });

  test("goes on in the middle of a recipe", () => {
    const tracker = new StateTracker<Record<string, unknown>>({ a: { deep: [1] }, n: 0 }, { arrayDeltaMode: "precise" });
    const cursor = tracker.cursor();
    tracker.update((draft) => void (draft["n"] = 1));
    cursor.advance();
    tracker.update((draft) => {
      const taken = draft["a"];
      delete draft["a"];
      failNow();
      expect(cursor.patchText()).toBe("[]");
      draft["b"] = taken;
      (draft["b"] as { deep: number[] }).deep.push(2);
    });
    expect(tracker.getState()).toEqual({ n: 1, b: { deep: [1, 2] } });
    expect(applyPatch({ a: { deep: [1] }, n: 1 }, cursor.patchText())).toEqual(tracker.getState());
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
  });

  test("of a document is lost with it if its state was never read, and otherwise goes on", () => {
    const [unread, read] = ["[1]", "[2]"].map((text) => new StateTracker<number[]>(StateDocument.parse(text)));
    read!.getState();
    failNow();
    for (const use of [() => unread!.getState(), () => unread!.update(() => {}), () => unread!.getPatchText(), () => unread!.resetTracking()]) lost(use);
    read!.update((draft) => void draft.push(3));
    expect(read!.getState()).toEqual([2, 3]);
    expect(read!.getRFC6902Patches()).toEqual([{ op: "add", path: "/-", value: 3 }]);
  });

  test("of a large document is lost with what of it hasn't been read, in a recipe too", () => {
    const items = Array.from({ length: 2_000 }, (_, id) => ({ id }));
    const [part, whole] = [0, 0].map(() => new StateTracker<{ items: { id: number }[]; n: number }>(StateDocument.parse(JSON.stringify({ items, n: 1 }))));
    part!.update((draft) => void draft.items.push({ id: 5 }));
    whole!.update((draft) => void draft.items.push({ id: 5 }));
    whole!.getState();
    expect(() => part!.update((draft) => void (draft.items[7]!.id = 1, failNow(), draft.items[9]!.id++))).toThrow(expect.objectContaining({ code: "ENGINE_LOST" }));
    for (const use of [() => part!.getState(), () => part!.update(() => {}), () => part!.document()]) lost(use);
    expect(whole!.getState()).toEqual({ items: [...items, { id: 5 }], n: 1 });
    expect(whole!.document().toJSON()).toEqual(whole!.getState());
  });

  test("to which a patch came that nobody has looked at has it, unless it needs what hasn't been read", () => {
    const items = Array.from({ length: 2_000 }, (_, id) => ({ id }));
    const [plain, part] = [{ items, n: 1 }, StateDocument.parse(JSON.stringify({ items, n: 1 }))].map((state) => new StateTracker<{ items: { id: number }[]; n: number }>(state as never));
    const patch = '[{"op":"replace","path":"/items/7/id","value":"seven"},{"op":"replace","path":"/n","value":2}]';
    for (const tracker of [plain!, part!]) tracker.apply(patch);
    const before = plain!.getState();
    plain!.apply('[{"op":"replace","path":"/n","value":3}]');
    failNow();
    expect([before.n, plain!.getState().n, plain!.getState().items[7]]).toEqual([2, 3, { id: "seven" }]);
    expect(plain!.document().toJSON()).toEqual(plain!.getState());
    for (const use of [() => part!.getState(), () => part!.update(() => {})]) lost(use);
  });

  test("that was over its limits by then is still accepted", () => {
    const tracker = new StateTracker({ text: "" }, { limits: { document: 4_000 } });
    for (let i = 0; i < 100; i++) tracker.append("/text", "\u0001".repeat(10));
    tracker.resetTracking();
    expect(JSON.stringify(tracker.getState()).length).toBeGreaterThan(4_000);
    failNow();
    tracker.append("/text", "!");
    expect(tracker.getPatchText()).toContain('!"');
  });
});

/** Somebody who is sent what a cursor reads, and everything if it can't. */
class Follower {
  losses = 0;
  private readonly cursor: WriteCursor;

  constructor(private readonly tracker: StateTracker<Json>, private state: Json) {
    this.cursor = tracker.cursor();
  }

  read(): void {
    try {
      this.state = applyPatch(this.state, this.cursor.patchText({ dialect: "extended" })) as Json;
    } catch (error) {
      if ((error as PatchwireError).code !== "ENGINE_LOST") throw error;
      this.losses++;
      this.state = this.tracker.getState() as Json;
    }
    this.cursor.advance();
    expect(this.state).toEqual(this.tracker.getState());
  }
}

test("wherever the core fails, states are what was made of them, and nobody follows them wrongly", () => {
  const recipes = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 8 });
  const start = json.filter((value) => typeof value === "object" && value !== null);
  const recipeOn = (steps: Step[]) => (draft: unknown) => steps.forEach((one) => perform(draft as Json, one));
  fc.assert(
    fc.property(start, recipes, fc.nat(60), fc.nat(7), (initial, recipes, at, rhythm) => {
      failAt(Infinity);
      const tracker = new StateTracker<Json>(initial, { arrayDeltaMode: "precise" });
      const [often, seldom] = [new Follower(tracker, initial), new Follower(tracker, initial)];
      let expected = initial;
      failAt(at + 1);
      recipes.forEach((steps, i) => {
        const next = onPlain(expected, [steps]);
        try {
          if (i % 3 === 2) tracker.apply([{ op: "replace", path: "", value: next }]);
          else tracker.update(recipeOn(steps));
          expected = next;
        } catch (error) {
          if ((error as PatchwireError).code !== "ENGINE_LOST") throw error;
        }
        expect(tracker.getState()).toEqual(expected);
        if ((rhythm & 1) === 0 || i % 2 === 0) often.read();
        if (i % 4 === rhythm % 4) seldom.read();
      });
      const failed = hasFailed();
      failAt(Infinity);
      often.read();
      seldom.read();
      for (const { losses } of [often, seldom]) expect(losses).toBeLessThanOrEqual(failed ? 1 : 0);
      expect(tracker.document().toJSON()).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
    asked(500),
  );
}, 90_000);
