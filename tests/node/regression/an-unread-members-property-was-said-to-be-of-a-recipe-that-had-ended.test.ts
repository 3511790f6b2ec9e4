import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// Object.keys asks for the property of every member, so that of one that nobody has read is an accessor. An object that was given such
// properties, as by a copy of all that is described, was refused as a draft of a recipe that had ended, and what was set in it was set in
// the draft.

const make = () => ({ board: { title: "x", cards: Array.from({ length: 600 }, (_, i) => ({ id: i, text: "text".repeat(9) })) }, copy: null as any });
const copyOf = (value: any): any => Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value));
const opened = () => new StateTracker<any>(StateDocument.parse(JSON.stringify(make())));

test("it is refused with what to do, and nothing has changed", () => {
  const tracker = opened();
  expect(() => tracker.update((draft) => void (draft.copy = copyOf(draft.board)))).toThrow("NOT_JSON: a draft's property was given to another object as it is described: give its value, as { ...draft } does");
  expect([tracker.getPatchText(), tracker.getState()]).toEqual(["[]", make()]);
});

test("what is set there is set there, and what is read there is the draft's", () => {
  const tracker = opened();
  tracker.update((draft) => {
    const copy = copyOf(draft.board);
    expect(copy.cards).toBe(draft.board.cards);
    copy.cards = [1];
    draft.copy = copy;
  });
  expect(tracker.getState()).toEqual({ ...make(), copy: { title: "x", cards: [1] } });
});
