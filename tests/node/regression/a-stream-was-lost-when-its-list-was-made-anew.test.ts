import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A stream's place moved along with its item where the list was changed by methods, and was lost where the list was made anew or items
// changed places, although the very item was still in it.

type State = { calls: { id: number; text?: string }[] };

const recipes: [string, (draft: State) => void][] = [
  ["one before it by a spread", (draft) => { draft.calls = [{ id: 9 }, ...draft.calls]; }],
  ["one before it by concat", (draft) => { draft.calls = [{ id: 9 } as State["calls"][0]].concat(draft.calls); }],
  ["one before it by toSpliced", (draft) => { draft.calls = draft.calls.toSpliced(0, 0, { id: 9 }); }],
  ["one in the middle by slices", (draft) => { draft.calls = [...draft.calls.slice(0, 1), { id: 9 }, ...draft.calls.slice(1)]; }],
  ["sorted as a copy", (draft) => { draft.calls = [...draft.calls].sort((a, b) => b.id - a.id); }],
  ["toSorted", (draft) => { draft.calls = draft.calls.toSorted((a, b) => b.id - a.id); }],
  ["two that change places", (draft) => { [draft.calls[0], draft.calls[1]] = [draft.calls[1]!, draft.calls[0]!]; }],
  ["taken out and put in elsewhere", (draft) => { draft.calls.push(...draft.calls.splice(1, 1)); }],
  ["one gone, by filter", (draft) => { draft.calls = draft.calls.filter(({ id }) => id !== 0); }],
];

test.each([3, 50].flatMap((length) => recipes.map(([name, recipe]) => [name, length, recipe] as const)))("%s, of %i items", (_, length, recipe) => {
  const tracker = new StateTracker<State>({ calls: Array.from({ length }, (_, id) => ({ id, text: "" })) });
  const stream = tracker.stream("/calls/1/text");
  stream.write('"Hel');
  tracker.update(recipe);
  stream.write("lo");
  tracker.update((draft) => void draft.calls.unshift({ id: -1 }));
  stream.write('!"');
  stream.end();
  const texts = tracker.getState().calls.filter(({ text }) => text !== undefined && text !== "");
  expect(texts).toEqual([{ id: 1, text: "Hello!" }]);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});

test("a stream whose item is gone, or which was set, is lost as before", () => {
  for (const recipe of [(draft: State) => void (draft.calls = [{ id: 1, text: "" }]), (draft: State) => void (draft.calls[0]!.text = "mine")]) {
    const tracker = new StateTracker<State>({ calls: [{ id: 1, text: "" }] });
    const stream = tracker.stream("/calls/0/text");
    stream.write('"Hel');
    tracker.update(recipe);
    expect(() => stream.write('lo"')).toThrow(expect.objectContaining({ code: "PATH_NOT_FOUND" }));
  }
});
