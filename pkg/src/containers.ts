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

/** Above so many members V8 keeps an object that members came to, or went from, as a dictionary. */
const WIDE = 64;

/**
 * A shallow copy. Once its call site has seen many shapes, V8 spreads an object of 1,000 members in 580 µs and assigns
 * them in 2; but assigning would take a member named `__proto__` for the prototype. A dictionary it assigns in 600 µs,
 * most of which goes into finding out that the copy becomes one too; into a dictionary it puts them one by one in 60.
 */
export function copyOf(twin: Twin, isDictionary = false): Twin {
  if (Array.isArray(twin)) return twin.slice() as unknown as Twin;
  if (Object.hasOwn(twin, "__proto__")) return { ...twin };
  if (isDictionary) {
    const keys = Object.keys(twin);
    if (keys.length > WIDE) {
      const copy: Twin = { some: 0 };
      // An object that loses its first member becomes a dictionary.
      delete copy["some"];
      for (const key of keys) copy[key] = twin[key];
      return copy;
    }
  }
  return Object.assign({}, twin);
}

/** Freezes a value that nobody else holds. O(its size). */
export function freeze(value: unknown): unknown {
  if (!isContainer(value) || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) freeze(value[i]);
  else for (const key in value) freeze((value as Twin)[key]);
  return Object.freeze(value);
}
