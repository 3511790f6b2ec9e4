import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// The descriptor of a member that hasn't been read has a getter. Called when the recipe had ended, it made a draft in the state.

type Any = any;

test("it is refused, and the state is as it was", () => {
  const text = JSON.stringify({ a: { b: 1 }, pad: "x".repeat(5_000) });
  const tracker = new StateTracker<Any>(StateDocument.parse(text));
  let get: (() => unknown) | undefined;
  tracker.update((draft) => {
    get = Object.getOwnPropertyDescriptor(draft, "a")!.get;
    draft.n = 1;
  });
  expect(get).toBeDefined();
  expect(refusal(get!).code).toBe("DRAFT_REVOKED");
  expect(tracker.getState()).toEqual({ ...JSON.parse(text), n: 1 });
  tracker.update((draft) => void (draft.n = 2));
  expect(tracker.getState().n).toBe(2);
});

test("a copy by descriptors has the values, or is refused where they weren't read", () => {
  const state = { a: { b: 1 }, pad: "x".repeat(5_000) };
  const copy = (draft: Any): void => void (draft.c = Object.defineProperties({}, Object.getOwnPropertyDescriptors(draft)));
  const plain = new StateTracker<Any>(state);
  plain.update(copy);
  expect(plain.getState()).toEqual({ ...state, c: state });
  const unread = new StateTracker<Any>(StateDocument.parse(JSON.stringify(state)));
  expect(refusal(() => unread.update(copy)).code).toBe("NOT_JSON");
  unread.update((draft) => void (draft.n = 1));
  expect(unread.getState()).toEqual({ ...state, n: 1 });
});
