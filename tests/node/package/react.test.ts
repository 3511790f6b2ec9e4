import { expect, test, vi } from "vitest";
import type { SyncedClient } from "patchwire/client";
import { useSyncedState, useSyncStatus } from "patchwire/react";

// What the hooks give React, which calls them here as it renders. Whole pages are in tests/packaging/.

const kept: { ref?: object; memo?: { made: unknown; of: unknown[] }; isServer?: boolean } = vi.hoisted(() => ({}));
vi.mock("react", () => ({
  useRef: (current: unknown) => (kept.ref ??= { current }),
  useMemo: (make: () => unknown, of: unknown[]) => (kept.memo?.of.every((one, i) => one === of[i]) ? kept.memo : (kept.memo = { made: make(), of })).made,
  useEffect: (run: () => void) => run(),
  useSyncExternalStore: (subscribe: (listener: () => void) => unknown, read: () => unknown, readOnServer: () => unknown) => {
    subscribe(() => {});
    expect(read()).toBe(read());
    return kept.isServer === true ? readOnServer() : read();
  },
}));

interface State {
  notes: { text: string }[];
  count: number;
}

/** A client that is at a state, and a component's first rendering. */
function at(state: State | undefined): { client: SyncedClient<State>; state: State | undefined } {
  kept.ref = kept.memo = undefined;
  const now = { state, client: { getState: () => now.state, getInitialState: () => initial, subscribe: () => () => {}, status: "live" } as never };
  return now;
}

const note = { text: "plan" };
const initial: State = { notes: [], count: 0 };

test("the state, a place of it, what a selector makes; and nothing without a state, or a client", () => {
  const count = (state: unknown): number => (state as State | undefined)?.count ?? -1;
  for (const state of [{ notes: [note], count: 1 }, undefined]) {
    expect(useSyncedState(at(state).client)).toBe(state);
    expect(useSyncedState(at(state).client, "/notes/0")).toBe(state?.notes[0]);
    expect(useSyncedState(at(state).client, count)).toBe(state?.count ?? -1);
    // It is given the same object as long as the state is the same.
    expect(useSyncedState(at(state).client, (state) => ({ count: state?.count }))).toEqual({ count: state?.count });
  }
  at(undefined);
  expect([useSyncedState(undefined), useSyncStatus(undefined), useSyncStatus(at(undefined).client)]).toEqual([undefined, "connecting", "live"]);
});

test.each([["one selector", false], ["one for each rendering", true]])("what is as good as what is shown stays that: %s", (_, isNew) => {
  const now = at({ notes: [note], count: 1 });
  const select = (state: unknown): { count: number } => ({ count: (state as State).count });
  const isEqual = (a: { count: number }, b: { count: number }): boolean => a.count === b.count;
  const render = (): unknown => useSyncedState(now.client, isNew ? (state) => select(state) : select, isEqual);
  const shown = render();
  expect(render()).toBe(shown);
  now.state = { notes: [], count: 1 };
  expect(render()).toBe(shown);
  now.state = { notes: [], count: 2 };
  expect(render()).toEqual({ count: 2 });
});

test("a server renders what a client began with", () => {
  kept.isServer = true;
  const { client } = at({ notes: [note], count: 1 });
  const all = [useSyncedState(client), useSyncedState(at(undefined).client, "/count"), useSyncedState(at(undefined).client, (state) => state?.notes), useSyncStatus(client), useSyncedState(undefined)];
  kept.isServer = false;
  expect(all).toEqual([initial, 0, [], "connecting", undefined]);
});
