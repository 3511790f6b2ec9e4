import type { ArrayEdit } from "./array-edits.js";
import { ArrayPlace } from "./array-place.js";
import { isContainer, itemsOf, LARGE, put, type Key } from "../json/containers.js";
import { homeOf } from "./home.js";
import { notJson } from "../json/json.js";
import type { ObjectPlace } from "./object-place.js";
import { Edited, Items, Ref, Run, Trail } from "./payload.js";
import { ABSENT, Place } from "./place.js";
import { areSame, isSame } from "./same.js";
import { hasNames, Takeover } from "./takeover.js";
import { Exchanged, isPlainValue, spliceStep, told, type Step, type Told } from "./told.js";

/** Strings of so many characters are looked at for what they have in common with those that were there. */
const TEXT = 256;

/** An array with a run of items that stayed together for every so many of its items is in another order all over. */
const PERMUTED = 16;

/**
 * Makes an end of a recipe: turns the places that it changed, with what it put into them, into plain frozen values, and finds
 * out what to tell of them. Nothing of the state is changed by that, but what is changed in place and can be undone.
 */
export class Settlement extends Takeover {
  /** What a place became. */
  settle(place: Place): object {
    if (place.final !== undefined) return place.final;
    if (!place.isChanged) return (place.final = place.base);
    if (place.isBeingSettled) throw notJson({}, this.path);
    place.isBeingSettled = true;
    if (this.path.length >= this.depth) this.depth = this.path.length + 1;
    const final = place instanceof ArrayPlace ? this.array(place) : this.object(place as ObjectPlace);
    place.isBeingSettled = false;
    if (final !== place.base && this.recipe.state.source(place.base) !== null) (this.left ??= []).push(place.base);
    return (place.final = final);
  }

  private object(place: ObjectPlace): object {
    place.own();
    const { touched, drafted, now, base } = place;
    let steps: Step[] | null = null;
    let first: [Key, Told][] | null = null;
    let below: [Key, Told][] | null = null;
    let isSettled = true;
    // Whether what was removed was put back as it was.
    let isBack = place.removed !== null && !place.isInPlace;
    if (drafted !== null) {
      for (const kid of drafted) {
        const key = kid.key as string;
        if ((place.isInPlace ? place.peek(key) : now[key]) !== kid || touched?.has(key)) continue;
        const final = this.at(key, kid);
        put(now, key, final);
        // What was changed in place is the same container, with news.
        if (kid.told === null) continue;
        isSettled = isBack = false;
        if (place.isBefore(kid)) first = more(first, [key, kid.told]);
        else below = more(below, [key, kid.told]);
      }
    }
    if (touched !== null) {
      for (const [key, before] of touched) {
        const wasRemoved = place.removed?.has(key) === true;
        if (!Object.hasOwn(now, key)) {
          if (wasRemoved) {
            steps = more(steps, { kind: "delete", key, op: "remove", gone: before });
            isSettled = isBack = false;
          }
          continue;
        }
        const slot: unknown = now[key];
        if (slot instanceof Place && slot.base === before && !wasRemoved && slot.parent === place) {
          // What was there, put back.
          const final = this.at(key, slot);
          put(now, key, final);
          if (slot.told !== null) {
            isSettled = isBack = false;
            below = more(below, [key, slot.told]);
          }
          continue;
        }
        const final = this.value(key, slot, before === ABSENT ? undefined : before, place);
        // A value from elsewhere, or one made of such values, may be equal to the one whose place it took.
        if (!wasRemoved && !this.isHint && this.payload !== final && isSame(final, before, this.recipe.state)) {
          put(now, key, before);
          continue;
        }
        put(now, key, final);
        isBack &&= Object.is(final, before) && this.told === null;
        if (wasRemoved) steps = more(steps, { kind: "delete", key, op: null });
        else if (Object.is(final, before)) continue;
        isSettled = false;
        if (wasRemoved || !this.isHint) {
          this.bytes += key.length * 3 + 4;
          const op = this.opFor(final, before);
          if (typeof final === "string" && typeof before === "string") this.edit(place, key, before, final);
          steps = more(steps, { kind: "set", key, value: this.payload, op });
        }
        if (this.told !== null) below = more(below, [key, this.told]);
      }
    }
    if (isSettled || (isBack && hasNames(base, now))) return base;
    place.told = told(place.turn, first, steps, below);
    return place.isInPlace ? base : this.sealed(now, place.isLarge);
  }

  /** A long string crosses as what it has otherwise than the one that was there. */
  private edit(place: Place, key: string, before: string, text: string): void {
    if (before.length < TEXT || text.length < TEXT) return;
    this.grown = { before, text };
    const home = homeOf(place);
    if (home !== undefined) this.payload = new Edited(new Trail(home, key), before, text);
  }

  private array(place: ArrayPlace): object {
    if (place.isRewritten || isRefilled(place)) return this.rewritten(place);
    place.own();
    const { edits, base } = place;
    const below: [Key, Told][] = [];
    const steps: Step[] = [];
    let settled: Set<number> | null = null;
    if (edits !== null) {
      settled = new Set();
      const payloads = new Map<number, unknown>();
      let before = edits.reduce((length, edit) => (edit.kind === "permute" ? length : length + edit.out.length - edit.put.length), place.length);
      for (let e = 0; e < edits.length; e++) {
        const edit = edits[e]!;
        if (edit.kind === "permute") {
          steps.push({ kind: "permute", order: edit.order });
          continue;
        }
        const values: unknown[] = [];
        const length = before;
        before += edit.put.length - edit.out.length;
        // Whether all are the items that were there.
        let isKept = edit.put.length === edit.out.length;
        for (let j = 0; j < edit.put.length; j++) {
          values.push(this.item(place, edits, e, j, settled, payloads, below));
          isKept &&= this.isHint;
        }
        if (isKept) continue;
        if (edit.kind === "set") steps.push({ kind: "set", key: edit.index, value: values[0], op: this.opFor(values[0], edit.out[0]) });
        // One that was emptied is told in fewer bytes than what was in it.
        else if (edits.length === 1 && place.length === 0 && edit.out.length > 1) steps.push({ kind: "rewrite", value: Object.freeze([]), op: "replace" });
        else steps.push(spliceStep(edit.index, edit.out, values, edit.index === length));
      }
    }
    if (place.drafted !== null) this.drafted(place, settled, below);
    if (!place.isInPlace && below.length === 0 && place.length === itemsOf(base).length && areSame(place.items, itemsOf(base), this.recipe.state, setsOf(steps))) return base;
    place.told = told(place.turn, null, steps, below);
    return place.isInPlace ? base : this.sealed(place.now, place.length > LARGE);
  }

  /** What the log takes for an item that an edit put in; if it is still there, it is settled where it is now. */
  private item(
    place: ArrayPlace, edits: ArrayEdit[], e: number, j: number,
    settled: Set<number>, payloads: Map<number, unknown>, below: [Key, Told][],
  ): unknown {
    const edit = edits[e] as Exclude<ArrayEdit, { kind: "permute" }>;
    const isLast = e === edits.length - 1;
    const index = isLast ? edit.index + j : place.indexAfter(edit.index + j, e + 1);
    this.isHint = false;
    if (index < 0) return this.gone(edit.put[j]);
    if (payloads.has(index)) return payloads.get(index);
    const slot = place.raw(index);
    if (!isContainer(slot)) {
      this.path.push(index);
      this.scalar(slot);
      this.path.pop();
      return slot;
    }
    const origin = j < edit.out.length ? place.indexBefore(edit.index + j, e) : -1;
    const hint = origin < 0 ? undefined : edit.out[j];
    const before = hint instanceof Place ? hint.base : hint;
    const final = this.value(index, slot, before, place, origin);
    this.isHint &&= final === before;
    place.put(index, final);
    settled.add(index);
    if (!isLast) payloads.set(index, this.payload);
    if (this.told !== null) below.push([index, this.told]);
    return this.payload;
  }

  /** What a patch says of a value that was set, where that needs no comparison. */
  private opFor(value: unknown, before: unknown): "add" | "replace" | Exchanged | null {
    const was = before instanceof Place ? before.base : before;
    if (isContainer(value) && isContainer(was)) return this.recipe.state.isWhole ? new Exchanged(was) : null;
    if (this.payload !== value && isContainer(value)) return null;
    if (!isPlainValue(value) || before === value) return null;
    return before === ABSENT ? "add" : "replace";
  }

  /** What the log takes for a value that was put in and has left again: one of the state may be elsewhere, and nobody asks for another. */
  private gone(slot: unknown): Ref | null {
    const home = slot instanceof Place ? homeOf(slot) : undefined;
    return home === undefined ? null : new Ref(home);
  }

  /** The items that have drafts, where they are now. */
  private drafted(place: ArrayPlace, settled: Set<number> | null, below: [Key, Told][]): void {
    for (const kid of place.drafted!) {
      const index = place.isInPlace ? (kid.key as number) : place.indexAfter(kid.key as number, kid.since);
      if (index < 0 || settled?.has(index) === true || (!place.isInPlace && place.raw(index) !== kid)) continue;
      const final = this.at(index, kid);
      if (kid.told !== null) below.push([index, kid.told]);
      if (place.isInPlace) (place.edits ??= []).push({ kind: "set", index, out: [kid.base], put: [final] });
      place.put(index, final);
    }
  }

  /** An array that was filled anew, or to which too much was done to tell it one by one: it is told as if it had been assigned. */
  private rewritten(place: ArrayPlace): object {
    const home = homeOf(place);
    place.rewrite();
    place.catchUp();
    const final = this.list(place.items, itemsOf(place.base), home, false, true);
    if (final === place.base) return final;
    const { payload } = this;
    const order = payload instanceof Items ? orderOf(payload.parts, itemsOf(place.base).length) : null;
    const steps: Step[] = [];
    if (order !== null) steps.push({ kind: "permute", order });
    else if (!(payload instanceof Ref)) steps.push({ kind: "rewrite", value: payload, op: this.opFor(final, place.base) as Exchanged | null });
    place.told = told(place.turn, null, [...steps, ...(this.told?.steps ?? [])], [...(this.told?.below ?? [])]);
    this.told = null;
    return final;
  }

  /** A member that is a place. */
  private at(key: Key, place: Place): unknown {
    this.path.push(key);
    const final = this.settle(place);
    this.path.pop();
    return final;
  }

}

/** Whether all items were taken out at once, and others, or some of them, put in. */
function isRefilled({ edits, base, length }: ArrayPlace): boolean {
  const [first] = edits ?? [];
  return edits?.length === 1 && first!.kind === "splice" && first!.out.length === itemsOf(base).length && first!.out.length > 1 && length > 0;
}

/** Where the items of an array were whose order is another one all over; null where it isn't just that. */
function orderOf(parts: readonly unknown[], length: number): number[] | null {
  if (parts.length * PERMUTED < length) return null;
  const order: number[] = [];
  const isThere = new Uint8Array(length);
  for (const part of parts) {
    if (!(part instanceof Run)) return null;
    for (let i = part.start; i < part.start + part.length; i++) {
      if (isThere[i] === 1) return null;
      isThere[i] = 1;
      order.push(i);
    }
  }
  return order.length === length ? order : null;
}

/** Adds to a list that most don't need: an empty one that grows takes room for 17. */
function more<T>(list: T[] | null, item: T): T[] {
  if (list === null) return [item];
  list.push(item);
  return list;
}

/** Where items were set, if that is all that was done to an array. */
function setsOf(steps: readonly Step[]): number[] | null {
  const indexes: number[] = [];
  for (const step of steps) {
    if (step.kind !== "set") return null;
    indexes.push(step.key as number);
  }
  return indexes;
}
