import fc from "fast-check";
import type { Json } from "./program.ts";

// What a view shows, worked out by itself.

type Any = any;

export interface View { include?: string[]; exclude?: string[] }

/** What is written where an item of an array is meant. */
const ITEM = Symbol("an item");
type Place = readonly (string | typeof ITEM)[];

const keysOf = (pointer: string): string[] => pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
const covers = (pointer: string[], place: Place): boolean => pointer.length <= place.length && pointer.every((name, i) => name === "*" || name === place[i]);
const leadsOn = (pointer: string[], place: Place): boolean => pointer.length > place.length && place.every((name, i) => pointer[i] === "*" || pointer[i] === name);

/** What a view shows, as src/projection/mod.rs says it. */
export function shown(value: Any, view: View, place: Place = []): Any {
  const sight = (place: Place): "hidden" | "covered" | "on the way" => {
    if (view.exclude?.some((pointer) => covers(keysOf(pointer), place))) return "hidden";
    if (view.include === undefined || view.include.some((pointer) => covers(keysOf(pointer), place))) return "covered";
    return view.include.some((pointer) => leadsOn(keysOf(pointer), place)) ? "on the way" : "hidden";
  };
  const here = sight(place);
  if (here === "hidden") return null;
  if (Array.isArray(value)) {
    if (sight([...place, ITEM]) !== "hidden") return value.map((item) => shown(item, view, [...place, ITEM]));
    return here === "covered" ? [] : null;
  }
  if (typeof value !== "object" || value === null) return here === "covered" ? value : null;
  const members = Object.keys(value).filter((name) => sight([...place, name]) !== "hidden");
  const object = {};
  for (const name of members) Object.defineProperty(object, name, { value: shown(value[name], view, [...place, name]), enumerable: true, writable: true, configurable: true });
  return object;
}

/** The same with strings that no other value has. */
export function marked(value: Json, mark: () => string): Json {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === "string" ? mark() : each)) as Json;
}
export const marksIn = (text: string): string[] => text.match(/mark \d+!/g) ?? [];

const segment = fc.constantFrom("a", "b", "c", "list", "0", "x~1y", "m~0n", "*");
const pointer = fc.array(segment, { maxLength: 3 }).map((segments) => segments.map((each) => `/${each}`).join(""));
const pointers = fc.array(pointer, { maxLength: 3 });
export const view: fc.Arbitrary<View> = fc.record({ include: pointers, exclude: pointers }, { requiredKeys: [] });
