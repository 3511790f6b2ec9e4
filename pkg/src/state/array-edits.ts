import { spliceItems } from "../json/containers.js";

// What recipes do to arrays, which is remembered so that it can be told and taken back.

/** What a recipe did to an array, in the order in which it did it. */
export type ArrayEdit =
  | { kind: "set"; index: number; out: unknown[]; put: unknown[] }
  | { kind: "splice"; index: number; out: unknown[]; put: unknown[] }
  | { kind: "permute"; order: number[]; inverse: number[] };

/** Where an edit leaves the item at an index; -1 if it takes it out. */
export function moved(index: number, edit: ArrayEdit): number {
  if (edit.kind === "permute") return edit.inverse[index]!;
  if (index < edit.index) return index;
  if (index < edit.index + edit.out.length) return -1;
  return index + edit.put.length - edit.out.length;
}

/** Where an item was before an edit that is at `index` after it; -1 if the edit put it there. */
export function movedFrom(index: number, edit: ArrayEdit): number {
  if (edit.kind === "permute") return edit.order[index]!;
  if (index < edit.index) return index;
  if (index < edit.index + edit.put.length) return -1;
  return index + edit.out.length - edit.put.length;
}

/** Takes back an edit that left items where they were: it was set, or came to the end. */
export function undoEdit(items: unknown[], edit: ArrayEdit): void {
  if (edit.kind === "set") items[edit.index] = edit.out[0];
  else if (edit.kind === "splice") spliceItems(items, edit.index, edit.put.length, edit.out);
}

export function inverseOf(order: number[]): number[] {
  const inverse = new Array<number>(order.length);
  for (let to = 0; to < order.length; to++) inverse[order[to]!] = to;
  return inverse;
}

/** Puts into place `i` what was at `order[i]`. */
export function reorder(items: unknown[], order: number[]): void {
  const before = items.slice();
  for (let i = 0; i < order.length; i++) {
    const slot = before[order[i]!];
    if (slot === undefined && !(order[i]! in before)) delete items[i];
    else items[i] = slot;
  }
}
