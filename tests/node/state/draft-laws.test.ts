import fc from "fast-check";
import { applyPatch as applyWithPeer } from "fast-json-patch";
import { expect, test } from "vitest";
import { applyPatch, applyStepWrites, StateTracker, stepWritesToRFC6902, type JSONPatchOperation } from "patchwire";
import { clone, json, onPlain, perform, step, type Json } from "../support/program.ts";
import { onTracker, wayIn } from "../support/ways-in.ts";
import { asked } from "../support/runs.ts";

// Laws of drafts: a random program does to a draft exactly what it does to a plain object, and what was tracked
// leads from the baseline to that state, in every mode, for our own appliers and for a peer's.

const modes = [
  { arrayDeltaMode: false }, { arrayDeltaMode: true }, { arrayDeltaMode: "precise" },
  { arrayDeltaMode: true, granularity: "key" }, { arrayDeltaMode: false, granularity: "key" },
] as const;

const programs = fc.tuple(
  json.filter((value) => typeof value === "object" && value !== null),
  fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
);
const runs = asked(3000);
const timeout = 90_000;

test("a program on a draft leaves what it leaves on a plain object, and the patches lead there", () => {
  fc.assert(
    fc.property(programs, fc.constantFrom(...modes), wayIn, ([start, recipes], options, way) => onTracker(way, start, options, (tracker) => {
      const expected = onPlain(start, recipes);
      for (const recipe of recipes) tracker.update((draft) => recipe.forEach((one) => perform(draft as Json, one)));
      const state = tracker.getState();
      expect(state).toEqual(expected);
      expect(tracker.document().toJSON()).toEqual(JSON.parse(JSON.stringify(expected)));
      const writes = tracker.getStepWrites();
      expect(applyStepWrites(start, writes)).toEqual({ state: expected, warnings: [] });
      const patch = tracker.getRFC6902Patches();
      expect(applyPatch(start, patch)).toEqual(expected);
      expect(applyPatch(start, tracker.getRFC6902Patches({ dialect: "extended" }))).toEqual(expected);
      expect(stepWritesToRFC6902(writes, { base: start })).toEqual(patch);
      expect(byPeer(start, patch)).toEqual(expected);
    })),
    runs,
  );
}, timeout);

/** fast-json-patch refuses the member name `__proto__`, and reads `constructor` of nothing as something. */
function byPeer(start: Json, patch: JSONPatchOperation[]): unknown {
  const names = JSON.stringify([start, patch]);
  if (/__proto__|constructor|\\ud83d/.test(names)) return applyPatch(start, patch);
  return applyWithPeer(clone(start), structuredClone(patch) as never, true).newDocument;
}

test("an update that fails changes nothing, and older versions stay readable", () => {
  fc.assert(
    fc.property(programs, wayIn, fc.boolean(), ([start, recipes], way, reads) => onTracker(way, start, { arrayDeltaMode: "precise" }, (tracker) => {
      const versions: [read: unknown, expected: string][] = [];
      recipes.forEach((recipe, i) => {
        const before = reads ? tracker.getState() : undefined;
        const patch = tracker.getPatchText();
        const failing = (): unknown => tracker.update((draft) => {
          [...recipe].reverse().forEach((one) => perform(draft as Json, one));
          throw new Error("stop");
        });
        expect(failing).toThrow("stop");
        if (reads) expect(tracker.getState()).toBe(before);
        expect(tracker.getPatchText()).toBe(patch);
        tracker.update((draft) => recipe.forEach((one) => perform(draft as Json, one)));
        if (reads) versions.push([tracker.getState(), JSON.stringify(onPlain(start, recipes.slice(0, i + 1)))]);
      });
      for (const [read, expected] of versions) expect(read).toEqual(JSON.parse(expected));
      expect(tracker.getState()).toEqual(onPlain(start, recipes));
      for (const [read, expected] of versions) expect(read).toEqual(JSON.parse(expected));
    })),
    runs,
  );
}, timeout);

test("a view that follows patches is the state, and untouched parts stay the same objects", () => {
  fc.assert(
    fc.property(programs, wayIn, ([start, recipes], way) => onTracker(way, start, {}, (reader) => {
      const writer = new StateTracker<Json>(start, { arrayDeltaMode: "precise" });
      for (const recipe of recipes) {
        writer.update((draft) => recipe.forEach((one) => perform(draft as Json, one)));
        const patch = writer.getPatchText({ dialect: "extended" });
        writer.resetTracking();
        const before = reader.getState();
        reader.apply(patch);
        if (patch === "[]") expect(reader.getState()).toBe(before);
        expect(reader.getState()).toEqual(writer.getState());
        expect(reader.document().toJSON()).toEqual(JSON.parse(JSON.stringify(writer.getState())));
      }
      expect(Object.isFrozen(reader.getState())).toBe(true);
    })),
    runs,
  );
}, timeout);
