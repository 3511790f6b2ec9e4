import { segmentsOf, toldAt } from "../../json/pointer.js";

/** A pointer as the original writes paths: `items.[0].price`. */
export function dotted(path: string, payload: unknown): string {
  const names = segmentsOf(path);
  return names.map((name, index) => (Array.isArray(toldAt(payload, names.slice(0, index))) ? `[${name}]` : name)).join(".");
}
