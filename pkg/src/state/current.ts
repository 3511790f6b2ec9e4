import type { Draft } from "../types.js";
import { isContainer, ownOf, put, type Container } from "../json/containers.js";
import { copyOf } from "../json/copies.js";
import { isPlain } from "../json/json.js";
import { placeOf, requireOpen, type Place } from "./place.js";
import type { Recipe } from "./recipe.js";

/**
 * Whether a value is a draft of a recipe that is running.
 *
 * @example
 * ```ts
 * import { isDraft, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   console.log(isDraft(draft.plan), isDraft([...draft.plan])); // true false
 * });
 * ```
 */
export function isDraft(value: unknown): boolean {
  return isContainer(value) && placeOf(value)?.recipe.isOpen === true;
}

/**
 * The value itself, typed as a draft: for a value of the state that is put back into a draft. One that is put there itself, as
 * `draft.rows = castDraft(rows)`, can be changed there in the same recipe. A new list or object of such values can be changed,
 * but what is in it is frozen until the recipe has ended.
 *
 * @example
 * ```ts
 * import { castDraft, StateTracker } from "patchwire";
 * const tracker = new StateTracker({ rows: [{ id: 1 }, { id: 2 }] });
 * const { rows } = tracker.getState();
 * tracker.update((draft) => { draft.rows = castDraft(rows.filter((row) => row.id > 1)); });
 * console.log(tracker.getState().rows[0] === rows[1]); // true
 * ```
 */
export function castDraft<T>(value: T): Draft<T> {
  return value as Draft<T>;
}

/**
 * What a draft stood for when its recipe began: plain and frozen. Undefined for what isn't a draft. O(1), but for a large
 * array that was changed without its state having been read: then O(its length).
 *
 * @throws PatchwireError `DRAFT_REVOKED` where the recipe has ended.
 * @example
 * ```ts
 * import { original, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   draft.plan.push("read");
 *   console.log(original(draft.plan), draft.plan.length); // [ 'search' ] 2
 * });
 * ```
 */
export function original<T>(draft: T): T | undefined {
  const place = isContainer(draft) ? placeOf(draft) : undefined;
  if (place === undefined) return undefined;
  requireOpen(place).standApart();
  return place.recipe.published(place.base) as T;
}

/**
 * A plain copy of a draft as it is now, which later changes don't reach. It shares with the state what hasn't changed:
 * O(what has changed). Of a value that the recipe itself put in, which isn't a draft, it is a copy, too: O(its size). What is frozen, and
 * what isn't a plain object or an array, comes back as it is.
 *
 * @throws PatchwireError `DRAFT_REVOKED` where the recipe has ended.
 * @example
 * ```ts
 * import { current, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   draft.plan.push("read");
 *   const now = current(draft.plan);
 *   draft.plan.push("answer");
 *   console.log(now); // [ 'search', 'read' ]
 * });
 * ```
 */
export function current<T>(draft: T): T {
  if (!isContainer(draft)) return draft;
  const place = placeOf(draft);
  if (place === undefined) return plainOf(draft, null, new Map()) as T;
  requireOpen(place).recipe.share();
  return snapshot(place, new Map()) as T;
}

/** The state of a place; `known` are those on the way, and what they share. */
function snapshot(place: Place, known: Map<object, unknown>): unknown {
  if (!place.isChanged) return place.recipe.published(place.base);
  if (known.has(place)) return known.get(place);
  place.seated();
  const copy = place.copied();
  place.recipe.state.noteCopy(place.now, copy);
  known.set(place, copy);
  if (place.isInPlace) for (const kid of place.drafted ?? []) put(copy, kid.key, kid);
  fill(place, copy, known);
  return place.recipe.whole(copy);
}

/** Puts plain values into the slots of a copy: only drafts, and what the recipe put there, can be anything else. */
function fill(place: Place, copy: Container, known: Map<object, unknown>): void {
  const keys = place.written();
  for (const key of keys) {
    // A member that has gone may have the name of one that all objects inherit.
    const slot = ownOf(copy, key);
    if (isContainer(slot)) put(copy, key, plainOf(slot, place.recipe, known));
  }
}

/** A copy of a value with plain values for the drafts in it. Without a recipe nobody knows whether it is of the state: then that is taken to be frozen. */
function plainOf(value: object, recipe: Recipe | null, known: Map<object, unknown>): unknown {
  const inner = placeOf(value);
  if (inner !== undefined) {
    if (!inner.recipe.isOpen) return value;
    if (recipe === null) inner.recipe.share();
    return snapshot(inner, known);
  }
  if ((recipe === null ? Object.isFrozen(value) : recipe.isOurs(value)) || !isPlain(value)) return value;
  if (known.has(value)) return known.get(value);
  const copy = copyOf(value) as Container;
  known.set(value, copy);
  for (const key of Object.keys(copy)) if (isContainer(copy[key])) put(copy, key, plainOf(copy[key] as object, recipe, known));
  return copy;
}
