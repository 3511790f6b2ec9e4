// A token stream may cut a character in two. Each patch that began with the second half replaced the whole string, 141
// bytes for each byte of text.
import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";

const text = "Fine 👍🏽, and so on 😀! ".repeat(20);

for (const way of ["append", "recipe", "declared"] as const) {
  test(`halves of a pair travel as str_ins: ${way}`, () => {
    const tracker = new StateTracker({ text: "" }, way === "declared" ? { texts: ["/text"] } : {});
    const receiver = new StateTracker({ text: "" });
    let state = { text: "" };
    let bytes = 0;
    for (const unit of text.split("")) {
      if (way === "append") tracker.append("/text", unit);
      else tracker.update((draft) => void (draft.text += unit));
      const patch = tracker.getPatchText({ dialect: "extended" });
      tracker.resetTracking();
      if (tracker.getState().text.length > 33) expect(patch).toMatch(/^\[\{"op":"str_ins"/);
      bytes += patch.length;
      state = applyPatch(state, patch) as typeof state;
      receiver.apply(patch);
      expect(state.text).toBe(tracker.getState().text);
      expect(receiver.getState()).toEqual(state);
    }
    expect(state.text).toBe(text);
    // A unit is about 1.4 bytes here, and the operation around it 50.
    expect(bytes).toBeLessThan(text.length * 60);
  });
}

test("a step write may begin with the second half", () => {
  const tracker = new StateTracker({ text: "a\ud83d" });
  tracker.append("/text", "\ude00b");
  expect(tracker.getStepWrites().ops).toEqual([{ kind: "append_text", key: "text", path: "/text", text: "\ude00b" }]);
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/text", value: "a😀b" }]);
  expect(tracker.getRFC6902Patches({ dialect: "extended" })).toEqual([{ op: "str_ins", path: "/text", pos: 2, str: "\ude00b" }]);
});
