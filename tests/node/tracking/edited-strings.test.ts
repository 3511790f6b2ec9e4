// A long string that a recipe changes crosses as what it has otherwise than the one that was there.
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";


const long = (unit: string) => unit.repeat(300);
const piece = fc.constantFrom("", "a", "é", "知", "😀", "\ud83d", "\ude00", "Ж", "token ", '"', "\n");
const start = fc.constantFrom("a", "é", "知", "😀", "\ud83d", "\ude00", "ab😀", "Ж, ").map(long);

/** From where to where the string gives way to another: its end, its start, or anything in between. */
const edit = fc.record({ at: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })), remove: fc.nat(3), insert: fc.array(piece, { maxLength: 4 }).map((parts) => parts.join("")), reads: fc.nat(7), where: fc.nat(3) });

interface State {
  text: string;
  list: { content: string }[];
}

const target = (state: State, where: number) => (where < 2 ? { holder: state as unknown as Record<string, string>, key: "text" } : { holder: state.list[where - 2]! as unknown as Record<string, string>, key: "content" });

test("patches lead where the state is, whatever the strings share and whoever reads when", () => {
  fc.assert(
    fc.property(start, start, fc.array(edit, { maxLength: 12 }), fc.boolean(), (first, second, edits, keeps) => {
      const initial: State = { text: first, list: [{ content: second }, { content: first }] };
      const tracker = new StateTracker<State>(structuredClone(initial), keeps ? { history: 5 } : {});
      const other = tracker.cursor();
      const model = structuredClone(initial);
      let [told, told2] = [structuredClone(initial), structuredClone(initial)];
      for (const { at, remove, insert, reads, where } of edits) {
        const change = (state: State) => {
          const { holder, key } = target(state, where);
          const text = holder[key]!;
          const index = Math.round(text.length * at);
          holder[key] = text.slice(0, index) + insert + text.slice(index + remove);
          if (where === 3) state.list.push({ content: state.list[1]!.content });
        };
        change(model);
        tracker.update((draft) => change(draft as State));
        if (reads & 1) {
          told = applyPatch(told, tracker.getRFC6902Patches(reads & 2 ? { dialect: "extended" } : {})) as State;
          expect(told).toEqual(model);
          tracker.resetTracking();
        }
        if (reads & 4) {
          told2 = applyPatch(told2, other.patches({ dialect: "extended" })) as State;
          expect(told2).toEqual(model);
          other.advance();
        }
      }
      expect(tracker.getState()).toEqual(model);
      expect(tracker.document().toJSON()).toEqual(model);
      expect(applyPatch(told, tracker.getRFC6902Patches())).toEqual(model);
      expect(applyPatch(told2, other.patches())).toEqual(model);
    }),
    asked(300),
  );
});

test("a place that moved keeps what its strings share", () => {
  const tracker = new StateTracker({ list: [{ text: long("知") }, { text: long("é") }] });
  tracker.update((draft) => {
    draft.list.reverse();
    draft.list[1]!.text += "识";
    draft.list.unshift({ text: "new" });
    draft.list[1]!.text = `>${draft.list[1]!.text}`;
  });
  const expected = { list: [{ text: "new" }, { text: `>${long("é")}` }, { text: `${long("知")}识` }] };
  expect(tracker.document().toJSON()).toEqual(expected);
  expect(applyPatch({ list: [{ text: long("知") }, { text: long("é") }] }, tracker.getRFC6902Patches())).toEqual(expected);
});
