import { PatchwireError } from "../errors.js";
import { isContainer } from "./containers.js";

/** Requires a string: what the core's glue makes of anything else fails in its hands, which would pass for the core's failure. */
export function pointerText(pointer: string): string {
  if (typeof pointer !== "string") throw new PatchwireError("INVALID_POINTER", "a pointer is a string, like '/notes/0'");
  return pointer;
}

/** The names in a JSON Pointer (RFC 6901) that somebody gave, which is refused as the core does it (src/pointer/mod.rs). */
export function namesIn(pointer: string): string[] {
  const refuse = (reason: string): PatchwireError => new PatchwireError("INVALID_POINTER", `${reason} (at '${pointer}')`, { path: pointer });
  if (pointerText(pointer) !== "" && !pointer.startsWith("/")) throw refuse("a pointer is empty or starts with '/'");
  const names = segmentsOf(pointer);
  if (/~(?![01])/.test(pointer)) throw refuse("'~' must be followed by 0 or 1");
  return names;
}

/** The names in a JSON Pointer that is one. */
export function segmentsOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The member or the item of a name, if there is one. */
export function memberOf(value: unknown, name: string): unknown {
  const isThere = isContainer(value) && Object.hasOwn(value, name);
  // An array's length is no member of it in JSON.
  return isThere && !(Array.isArray(value) && name === "length") ? (value as Record<string, unknown>)[name] : undefined;
}

/** What is at a place of a plain value that the core has told of. */
export function toldAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce(toldMember, value);
}

/** The core's texts of pointers are UTF-8, in which half a pair of surrogates is its three bytes, each as U+FFFD. */
function toldMember(value: unknown, name: string): unknown {
  if (!name.includes("\ufffd\ufffd\ufffd") || !isContainer(value) || Object.hasOwn(value, name)) return memberOf(value, name);
  return Object.entries(value).find(([key]) => key.replace(LONE_SURROGATES, "\ufffd\ufffd\ufffd") === name)?.[1];
}

const LONE_SURROGATES = /\p{Surrogate}/gu;
