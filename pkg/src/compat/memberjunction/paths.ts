/** A JSON Pointer of names. */
export function pointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The names in a JSON Pointer. */
export function segments(path: string): string[] {
  return path.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is at a place of a plain value. */
export function at(value: unknown, names: readonly string[]): unknown {
  return names.reduce<any>((place, name) => (typeof place === "object" && place !== null && Object.hasOwn(place, name) ? place[name] : undefined), value);
}

/** A pointer as the original writes paths: `items.[0].price`. */
export function dotted(path: string, payload: unknown): string {
  const names = segments(path);
  return names.map((name, index) => (Array.isArray(at(payload, names.slice(0, index))) ? `[${name}]` : name)).join(".");
}
