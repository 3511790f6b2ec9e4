import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PatchwireError, StateDocument, StateTracker, type StandardSchemaV1 } from "patchwire";
import { json, perform, step, type Json } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// A state that its validator refuses is never seen, recorded or told, whatever the change came from.

interface State {
  count: number;
  notes: { text: string }[];
}

const start: State = { count: 1, notes: [{ text: "a" }] };

const positive = (next: State): void => {
  if (next.count < 0) throw new RangeError(`${next.count} is negative`);
  next.notes.forEach(({ text }) => {
    if (typeof text !== "string") throw new TypeError("no text");
  });
};

const rules: [name: string, rule: StandardSchemaV1 | ((next: State) => void), path: string | undefined][] = [
  ["zod", z.object({ count: z.number().min(0), notes: z.array(z.object({ text: z.string() })) }), "/notes/1/text"],
  ["valibot", v.object({ count: v.pipe(v.number(), v.minValue(0)), notes: v.array(v.object({ text: v.string() })) }), "/notes/1/text"],
  ["arktype", type({ count: "number >= 0", notes: type({ text: "string" }).array() }), "/notes/1/text"],
  ["a function", positive, undefined],
];

describe.each(rules)("%s", (_, validate, path) => {
  const bad = { text: 123456 as unknown as string };

  test("every kind of change is refused as a whole", () => {
    const tracker = new StateTracker<State>(start, { validate, arrayDeltaMode: "precise" });
    tracker.update((draft) => void draft.notes.push({ text: "b" }));
    const stream = tracker.stream("/notes/0/text");
    const before = { state: tracker.getState(), patch: tracker.getPatchText() };
    const changes: [string, () => unknown][] = [
      ["update", () => tracker.update((draft) => void (draft.notes[1] = bad))],
      ["apply", () => tracker.apply([{ op: "replace", path: "/notes/1", value: bad }, { op: "add", path: "/count", value: 3 }])],
      ["increment", () => tracker.increment("/count", -5)],
      ["append", () => tracker.append("/count", "x")],
    ];
    for (const [name, change] of changes) {
      const error = refusal(change);
      expect(error.code, name).toBe(name === "append" ? "PATH_NOT_FOUND" : "VALIDATION_FAILED");
      expect(error.message).not.toMatch(/123456|-4/);
      if (name === "update" || name === "apply") expect(error.path).toBe(path);
      expect(tracker.getState(), name).toBe(before.state);
      expect(tracker.getPatchText(), name).toBe(before.patch);
      expect(tracker.document().toJSON(), name).toEqual(before.state);
    }
    stream.write("1");
    expect(refusal(() => stream.end()).code).toBe("VALIDATION_FAILED");
    stream.write(" ");
    expect(refusal(() => stream.end()).code).toBe("VALIDATION_FAILED");
    stream.abort();
    expect(tracker.getState()).toEqual(before.state);
    expect(tracker.getPatchText()).toBe(before.patch);
    tracker.append("/notes/1/text", "c");
    tracker.append("/notes/1/text", "d");
    tracker.increment("/count");
    expect(tracker.getState()).toEqual({ count: 2, notes: [{ text: "a" }, { text: "bcd" }] });
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
    expect([tracker.undo(), tracker.undo(), tracker.undo(), tracker.undo()]).toEqual([true, true, true, false]);
    expect(tracker.getState()).toEqual(start);
  });

  test("the initial value too", () => {
    expect(refusal(() => new StateTracker<State>({ ...start, count: -4 }, { validate })).code).toBe("VALIDATION_FAILED");
    expect(refusal(() => new StateTracker<State>(StateDocument.parse('{"count":-4}'), { validate })).code).toBe("VALIDATION_FAILED");
  });
});

test("what the schema says is the cause, not the text", () => {
  const tracker = new StateTracker({ secret: "s3cret" }, { validate: z.object({ secret: z.literal("s3cret") }) });
  const error = refusal(() => tracker.update((draft) => void (draft.secret = "0ther")));
  expect(error.message).toBe("VALIDATION_FAILED: the state isn't what the schema demands (at '/secret')");
  expect(error.cause).toEqual([expect.objectContaining({ path: ["secret"] })]);
  const thrown = refusal(() => new StateTracker({ n: -1 }, { validate: () => { throw new RangeError("-1"); } }));
  expect(thrown.message).not.toContain("-1");
  expect(thrown.cause).toBeInstanceOf(RangeError);
});

test("what the schema makes of a state is ignored, and the state can't be changed", () => {
  const tracker = new StateTracker<{ n: unknown }>({ n: "1" }, { validate: z.object({ n: z.coerce.number() }) });
  expect(tracker.getState()).toEqual({ n: "1" });
  const meddling = (next: { n: number }): void => void (next.n = 7);
  expect(refusal(() => new StateTracker({ n: 1 }, { validate: meddling })).cause).toBeInstanceOf(TypeError);
});

test("an asynchronous validator is refused", () => {
  const asynchronous = [z.object({ n: z.number() }).refine(async () => false), (): Promise<void> => Promise.reject(new Error("late"))];
  for (const validate of asynchronous) {
    const error = refusal(() => new StateTracker({ n: 1 }, { validate: validate as never }));
    expect([error.code, error.message]).toEqual(["VALIDATION_FAILED", expect.stringContaining("asynchronous")]);
  }
});

test("a schema that answers nothing is refused, as none", () => {
  for (const answer of [undefined, null, "valid"]) {
    const schema = { "~standard": { version: 1, vendor: "us", validate: () => answer } };
    expect(refusal(() => new StateTracker({ n: 1 }, { validate: schema as never })).message).toContain("the schema doesn't follow Standard Schema");
  }
});

test("a validator that comes back to its tracker reads the state as it was, and changes nothing", () => {
  const seen: unknown[] = [];
  const tracker: StateTracker<{ n: number }> = new StateTracker<{ n: number }>({ n: 0 }, {
    validate(next) {
      if (next.n === 0) return;
      seen.push([next.n, tracker.getState().n, tracker.getPatchText(), tracker.document().toJSON()]);
      const tries = [() => tracker.update(() => {}), () => tracker.undo(), () => tracker.increment("/n"), () => tracker.apply([]), () => tracker.stream("/n"), () => tracker.checkpoint()];
      for (const attempt of tries) expect(refusal(attempt).code).toBe("TRACKER_BUSY");
      if (next.n === 3) throw new Error("three");
    },
  });
  tracker.increment("/n");
  tracker.apply([{ op: "replace", path: "/n", value: 2 }]);
  expect(refusal(() => tracker.increment("/n")).cause).toEqual(new Error("three"));
  expect(refusal(() => tracker.apply([{ op: "inc", path: "/n", inc: 1 }])).cause).toEqual(new Error("three"));
  const at1 = '[{"op":"replace","path":"/n","value":1}]';
  const at2 = at1.replace("1}", "2}");
  expect(seen).toEqual([[1, 0, "[]", { n: 0 }], [2, 1, at1, { n: 1 }], [3, 2, at2, { n: 2 }], [3, 2, at2, { n: 2 }]]);
  expect([tracker.getState(), tracker.document().toJSON()]).toEqual([{ n: 2 }, { n: 2 }]);
});

test("undo, redo and restore are validated", () => {
  let least = 0;
  const tracker = new StateTracker({ n: 0 }, { validate: ({ n }) => { if (n < least) throw new Error("too small"); } });
  const start = tracker.checkpoint();
  tracker.increment("/n", 5);
  tracker.increment("/n", -3);
  least = 3;
  expect(tracker.undo()).toBe(true);
  for (const change of [() => tracker.undo(), () => tracker.redo(), () => tracker.restore(start)]) {
    expect(refusal(change).code).toBe("VALIDATION_FAILED");
    expect([tracker.getState(), tracker.document().toJSON()]).toEqual([{ n: 5 }, { n: 5 }]);
  }
  least = 0;
  expect([tracker.redo(), tracker.getState()]).toEqual([true, { n: 2 }]);
  tracker.restore(start);
  expect(tracker.getState()).toEqual({ n: 0 });
  expect([tracker.undo(), tracker.getState()]).toEqual([true, { n: 2 }]);
});


test("a refused change leaves everything as it was", () => {
  const programs = fc.tuple(json.filter((value) => typeof value === "object" && value !== null), fc.array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean()), { maxLength: 8 }));
  fc.assert(
    fc.property(programs, ([start, changes]) => {
      let accepts = true;
      const validate = (): void => { if (!accepts) throw new Error("no"); };
      const [strict, free] = [new StateTracker<object>(start as object, { validate }), new StateTracker<object>(start as object)];
      const source = new StateTracker<object>(start as object, { arrayDeltaMode: "precise" });
      for (const [recipe, isAccepted, byPatch] of changes) {
        accepts = isAccepted;
        const before = strict.getState();
        const change = (tracker: StateTracker<object>): unknown => tracker.update((draft) => recipe.forEach((one) => perform(draft as Json, one)));
        source.resetTracking();
        const checkpoint = source.document();
        change(source);
        const patch = source.getRFC6902Patches();
        const run = (tracker: StateTracker<object>): unknown => (byPatch ? tracker.apply(patch) : change(tracker));
        if (isAccepted) {
          run(strict);
          run(free);
          expect(strict.getState()).toEqual(free.getState());
        } else {
          // A change that changes nothing isn't asked about.
          try { run(strict); } catch (error) { expect((error as PatchwireError).code).toBe("VALIDATION_FAILED"); }
          expect(strict.getState()).toEqual(before);
          source.apply([{ op: "replace", path: "", value: checkpoint.toJSON() }]);
        }
        expect(strict.document().toJSON()).toEqual(JSON.parse(JSON.stringify(strict.getState())));
        expect(strict.getPatchText()).toEqual(free.getPatchText());
      }
      accepts = true;
      while (strict.undo()) {
        free.undo();
        expect(strict.getState()).toEqual(free.getState());
      }
    }),
    asked(750),
  );
}, 90_000);
