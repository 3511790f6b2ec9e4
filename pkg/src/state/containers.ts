/** A part of the state: a plain value, or a place in the tree if it is a container that was touched. */
export type Slot = unknown;
export type Key = string | number;
export type Twin = Record<Key, Slot> & { length?: number };

/** A value that isn't JSON, kept as it is until the recipe ends: it may be gone by then. */
export class Foreign {
  constructor(readonly value: unknown) {}

  /** In the log it stands for something that will be overwritten. */
  toJSON(): null {
    return null;
  }
}

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Sets an own member whatever its name: assigning `__proto__` would set the prototype. */
export function put(target: object, key: Key, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else (target as Twin)[key] = value;
}

/**
 * A shallow copy. Once its call site has seen many shapes, V8 spreads an object of 1,000 members in 580 µs and assigns
 * them in 2; but assigning would take a member named `__proto__` for the prototype. A dictionary it assigns in 600 µs,
 * most of which goes into finding out that the copy becomes one too; into a dictionary it puts them one by one in 60,
 * if the `keys` of such an object are given: to have them in order it has to sort them, which takes another 70.
 */
export function copyOf(twin: Twin, keys: readonly string[] | null = null): Twin {
  if (Array.isArray(twin)) return twin.slice() as unknown as Twin;
  if (Object.hasOwn(twin, "__proto__")) return { ...twin };
  if (keys === null) return Object.assign({}, twin);
  const copy: Twin = { some: 0 };
  // An object that loses its first member becomes a dictionary.
  delete copy["some"];
  for (let i = 0; i < keys.length; i++) copy[keys[i]!] = twin[keys[i]!];
  return copy;
}

/** Freezes a value that nobody else holds. O(its size). */
export function freeze(value: unknown): unknown {
  if (!isContainer(value) || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) freeze(value[i]);
  else for (const key in value) freeze((value as Twin)[key]);
  return Object.freeze(value);
}
