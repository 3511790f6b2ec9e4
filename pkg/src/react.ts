/**
 * The client's state in React components, 18 or newer.
 *
 * @module
 */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { SyncedClient, SyncStatus } from "./client.js";
import { memberOf, namesIn } from "./json/pointer.js";
import type { Immutable, ValueAt } from "./types.js";

/**
 * The client's state, what a selector makes of it, or the value at a JSON Pointer; `undefined` until the first state
 * has arrived. The component renders again when that is another value (`!==`). While a server renders, and while a page
 * takes over what a server rendered, the state is that of `connect`'s option `snapshot`, or none; the one that has arrived by then is
 * rendered right afterwards.
 *
 * @param client `undefined` where there is none yet: as one that has no state.
 * @param what A selector, which is called with `undefined` where there is no state, or a pointer.
 * @param isEqual Whether what the selector made is as good as what is shown, so that nothing is rendered: for selectors that
 *   make a new object.
 * @throws PatchwireError `INVALID_POINTER`.
 * @example
 * ```ts
 * import { createElement } from "react";
 * import { renderToString } from "react-dom/server";
 * import { connect } from "patchwire/client";
 * import { useSyncedState } from "patchwire/react";
 *
 * const client = connect<{ notes: { text: string }[] }>({ url: "/session/demo" });
 * function Notes() {
 *   const first = useSyncedState<string>(client, "/notes/0/text");
 *   const count = useSyncedState(client, (state) => state?.notes.length ?? 0);
 *   return createElement("p", null, `${count}: ${first}`);
 * }
 * console.log(renderToString(createElement(Notes))); // <p>0: undefined</p>
 * ```
 */
export function useSyncedState<T>(client: SyncedClient<T> | undefined): Immutable<T> | undefined;
export function useSyncedState<T, V>(client: SyncedClient<T> | undefined, what: (state: Immutable<T> | undefined) => V, isEqual?: IsEqual<V>): V;
export function useSyncedState<T, P extends string, V extends ValueAt<T, P>>(client: SyncedClient<T> | undefined, what: P): Immutable<V> | undefined;
export function useSyncedState<V>(client: SyncedClient<unknown> | undefined, what: string): Immutable<V> | undefined;
export function useSyncedState<T>(client: SyncedClient<T> | undefined, what?: Selector<T> | string, isEqual?: IsEqual<never>): unknown {
  const rendered = useRef<Rendered>(undefined);
  const [read, readOnServer] = useMemo(() => readers(client, what, isEqual as IsEqual<unknown> | undefined, rendered), [client, what, isEqual]);
  const value = useSyncExternalStore(client?.subscribe ?? toNobody, read, readOnServer);
  useEffect(() => {
    rendered.current = { value };
  });
  return value;
}

type Selector<T> = (state: Immutable<T> | undefined) => unknown;
type IsEqual<V> = (before: V, after: V) => boolean;
type Rendered = { value: unknown } | undefined;

const toNobody = (): (() => void) => () => {};
const nothing = (): undefined => undefined;

/**
 * The client's status. The component renders again when it changes. A server renders `connecting`, and so does a component whose client
 * is `undefined`.
 *
 * @example
 * ```ts
 * import { createElement } from "react";
 * import { renderToString } from "react-dom/server";
 * import { connect } from "patchwire/client";
 * import { useSyncStatus } from "patchwire/react";
 *
 * const client = connect({ url: "/session/demo" });
 * const Status = () => createElement("p", null, useSyncStatus(client));
 * console.log(renderToString(createElement(Status))); // <p>connecting</p>
 * ```
 */
export function useSyncStatus(client: SyncedClient<unknown> | undefined): SyncStatus {
  return useSyncExternalStore(client?.subscribe ?? toNobody, () => client?.status ?? "connecting", () => "connecting");
}

/** What React calls to know whether anything changed. A selector runs once for each state: it may make a new object. */
function readers<T>(
  client: SyncedClient<T> | undefined, what: Selector<T> | string | undefined,
  isEqual: IsEqual<unknown> | undefined, rendered: { current: Rendered },
): [() => unknown, () => unknown] {
  const getState = client?.getState ?? nothing;
  const getInitialState = client?.getInitialState ?? nothing;
  if (what === undefined) return [getState, getInitialState];
  if (typeof what === "string") {
    const names = namesIn(what);
    return [() => names.reduce(memberOf, getState()), () => names.reduce(memberOf, getInitialState())];
  }
  let last: { state: Immutable<T> | undefined; selected: unknown } | undefined;
  const select = (state: Immutable<T> | undefined): unknown => {
    if (last !== undefined && last.state === state) return last.selected;
    const selected = what(state);
    const shown = last === undefined ? rendered.current : { value: last.selected };
    last = { state, selected: shown !== undefined && isEqual?.(shown.value, selected) === true ? shown.value : selected };
    return last.selected;
  };
  return [() => select(getState()), () => select(getInitialState())];
}
