import { expect, test } from "vitest";
import { StateTracker, type Draft } from "patchwire";

// A member that was deleted and put back as it was, and equal values that changed places, made a new state that was equal to the one before,
// with a step to undo that did nothing.

interface State {
  cart: { total: number; coupon?: string | null };
  form: { values: { name: string }; errors?: object };
  past: { v: number; shapes?: number[] }[];
  a: { v: number };
  b: { v: number };
}
const initial = (): State => ({
  cart: { total: 1, coupon: null },
  form: { values: { name: "Ann" }, errors: { name: ["short"] } },
  past: [{ v: 1, shapes: [1] }, { v: 1, shapes: [1] }],
  a: { v: 1 },
  b: { v: 1 },
});
const without: Record<string, (draft: Draft<State>) => void> = {
  "the last member is put back": ({ cart }) => {
    delete cart.coupon;
    cart.coupon = null;
  },
  "all members are put back in their order": ({ cart }) => {
    const { total } = cart;
    delete (cart as Partial<State["cart"]>).total;
    delete cart.coupon;
    cart.total = total;
    cart.coupon = null;
  },
  "a container is put back": ({ form }) => {
    const { errors } = form;
    delete form.errors;
    form.errors = errors!;
  },
  "an equal container is put back": ({ form }) => {
    delete form.errors;
    form.errors = { name: ["short"] };
  },
  "an equal item pushes the first one out": ({ past }) => {
    past.push({ v: 1, shapes: [1] });
    past.shift();
  },
  "equal items are rotated": ({ past }) => void past.push(past.shift()!),
  "equal members change places": (draft) => void ([draft.a, draft.b] = [draft.b, draft.a]),
  "they become equal when they change places": (draft) => {
    draft.b.v = 2;
    draft.b.v = 1;
    [draft.a, draft.b] = [draft.b, draft.a];
  },
};

test.each(Object.entries(without))("%s", (_, recipe) => {
  const tracker = new StateTracker<State>(initial());
  tracker.update((draft) => void (draft.a.v = 9));
  tracker.undo();
  tracker.resetTracking();
  const before = tracker.getState();
  tracker.update(recipe);
  expect(tracker.getState()).toBe(before);
  expect(tracker.getRFC6902Patches()).toEqual([]);
  expect(tracker.redo()).toBe(true);
});

test("what isn't as it was is told", () => {
  const tracker = new StateTracker<State>(initial());
  tracker.update((draft) => {
    const { total } = draft.cart;
    delete (draft.cart as Partial<State["cart"]>).total;
    draft.cart.total = total;
  });
  // It is the last member now.
  expect(JSON.stringify(tracker.getState().cart)).toBe('{"coupon":null,"total":1}');
  tracker.update((draft) => {
    draft.b.v = 2;
    [draft.a, draft.b] = [draft.b, draft.a];
    draft.b.v = 2;
  });
  expect([tracker.getState().a, tracker.getState().b, tracker.document().toJSON()]).toEqual([{ v: 2 }, { v: 2 }, tracker.getState()]);
});
