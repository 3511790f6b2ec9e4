import type { Key } from "../json/containers.js";

// Values as the log takes them: plain frozen ones, or those below, which refer to the state that the recipe began with.

/** Where something is in the state that the recipe began with. */
export class Trail {
  constructor(
    private readonly above: Trail | null,
    private readonly key: Key,
  ) {}

  path(): Key[] {
    const path: Key[] = [];
    for (let at: Trail | null = this; at !== null; at = at.above) path.push(at.key);
    return path.reverse();
  }
}

/** What was somewhere in the state that the recipe began with; null for all of it. */
export class Ref {
  constructor(readonly home: Trail | null) {}
}

/** A long string, and the one that it took the place of. */
export interface Grown {
  readonly before: string;
  readonly text: string;
}

/** What may have much in common with what it took the place of. */
export class Edited implements Grown {
  constructor(
    readonly from: Trail,
    readonly before: string,
    readonly text: string,
  ) {}
}

/** So many items, from one on, of the array that {@link Items} are from. */
export class Run {
  constructor(
    readonly start: number,
    public length: number,
  ) {}
}

/** An array of runs of an array that was there, and of other values. */
export class Items {
  constructor(
    readonly from: Key[],
    readonly parts: unknown[],
    /** How many items that array has, if the parts are runs of its containers in their order; otherwise null. */
    readonly whole: number | null,
  ) {}
}

/** An object or an array, in which there are values that refer. */
export class Composite {
  constructor(
    readonly names: string[] | null,
    readonly values: unknown[],
  ) {}
}
