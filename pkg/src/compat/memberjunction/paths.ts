/** A JSON Pointer of names. */
export function pointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The names in a JSON Pointer. */
export function segments(path: string): string[] {
  return path.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is at a place of a plain value, as the core may have told it. */
export function at(value: unknown, names: readonly string[]): unknown {
  return names.reduce<any>((place, name) => (typeof place === "object" && place !== null ? memberOf(place, name) : undefined), value);
}

/** The core's texts of pointers are UTF-8, in which half a pair of surrogates is its three bytes, each as U+FFFD. */
function memberOf(object: object, name: string): unknown {
  if (Object.hasOwn(object, name)) return (object as Record<string, unknown>)[name];
  if (!name.includes("\ufffd\ufffd\ufffd")) return undefined;
  return Object.entries(object).find(([key]) => key.replace(LONE_SURROGATES, "\ufffd\ufffd\ufffd") === name)?.[1];
}

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** A pointer as the original writes paths: `items.[0].price`. */
export function dotted(path: string, payload: unknown): string {
  const names = segments(path);
  return names.map((name, index) => (Array.isArray(at(payload, names.slice(0, index))) ? `[${name}]` : name)).join(".");
}
