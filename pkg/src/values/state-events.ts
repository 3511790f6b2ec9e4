import { checkOptions, refusal } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import type { Limits, RFC6902Operation } from "../types.js";
import { filterPatch, type View } from "./combining.js";
import { diff } from "./patches.js";

/** AG-UI's event that replaces what the client has. */
export interface StateSnapshotEvent {
  type: "STATE_SNAPSHOT";
  snapshot: unknown;
}

/** AG-UI's event with a patch for what the client has. */
export interface StateDeltaEvent {
  type: "STATE_DELTA";
  delta: RFC6902Operation[];
}

/**
 * What to tell an AG-UI client of a state, for one run: each call gives the next event. The first is the whole state, later ones are what
 * has changed since the call before; `undefined` where nothing has. What is equal by identity isn't looked at, so a call costs what changed.
 *
 * Begin each run with another one: AG-UI's states have no numbers, so a client can't know that it missed a delta.
 *
 * @param options.view what the client may see, as for {@link filterPatch}: the rest is in no event.
 * @param options.limits those of the state, where it has others than the usual ones.
 * @throws PatchwireError when it is called: `VALIDATION_FAILED` for what has no state and for what is no view. Its calls throw what
 *   `getState` throws, and what {@link diff} throws where the state isn't JSON.
 * @example
 * ```ts
 * import { StateTracker } from "patchwire";
 * import { stateEvents } from "patchwire/ag-ui";
 * const tracker = new StateTracker({ title: "", sections: ["Honey", "Wax"], notes: ["ask Ada", "check the numbers"] });
 * const next = stateEvents(tracker, { view: { exclude: ["/notes"] } });
 * console.log(next()); // { type: 'STATE_SNAPSHOT', snapshot: { title: '', sections: [ 'Honey', 'Wax' ] } }
 * tracker.update((draft) => { draft.title = "Bees"; draft.notes.push("more"); });
 * console.log(JSON.stringify(next())); // {"type":"STATE_DELTA","delta":[{"op":"replace","path":"/title","value":"Bees"}]}
 * console.log(next()); // undefined
 * ```
 */
export function stateEvents(state: { getState(): unknown }, options: { view?: View | undefined; limits?: Limits | undefined } = {}): () => StateSnapshotEvent | StateDeltaEvent | undefined {
  if (typeof (state as { getState?: unknown } | null | undefined)?.getState !== "function") throw refusal("the first argument has the state: a StateTracker, a SyncedState or a client");
  const { view: given, limits } = checkOptions(options, ["view", "limits"]);
  // What isn't a view is refused before the run has begun, and one that is changed later changes nothing.
  const view = given === undefined ? undefined : (JSON.parse(jsonOf(given)) as View);
  if (view !== undefined) filterPatch([], view);
  let sent: { state: unknown } | undefined;
  return () => {
    const [before, now] = [sent, state.getState()];
    // A client that has nothing yet.
    if (now === undefined) return undefined;
    const event = before === undefined ? ({ type: "STATE_SNAPSHOT", snapshot: shown(now, view, limits) } as const) : deltaOf(before.state, now, view, limits);
    // Where it throws nothing is sent, and the next call tells all that has changed.
    sent = { state: now };
    return event;
  };
}

function deltaOf(before: unknown, now: unknown, view: View | undefined, limits: Limits | undefined): StateDeltaEvent | undefined {
  const patch = diff(before, now, { limits });
  const delta = view === undefined || patch.length === 0 ? patch : (filterPatch(patch, view, { base: before, limits }) as RFC6902Operation[]);
  return delta.length === 0 ? undefined : { type: "STATE_DELTA", delta };
}

/** What a view shows of a state. */
function shown(state: unknown, view: View | undefined, limits: Limits | undefined): unknown {
  if (view === undefined) return state;
  const [operation] = filterPatch([{ op: "replace", path: "", value: state as never }], view, { limits });
  // Where nothing may be seen there is nothing to replace.
  return operation === undefined ? null : (operation as { value: unknown }).value;
}
