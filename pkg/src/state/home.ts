import type { Key } from "../json/containers.js";
import { Trail } from "./payload.js";
import { ABSENT, type Place } from "./place.js";

/** Where a value was when the recipe began: null at the root, undefined if nowhere. */
export type Home = Trail | null | undefined;

/** Where a place was when the recipe began. */
export function homeOf(place: Place): Home {
  const { parent, base } = place;
  if (parent === null) return null;
  const above = homeOf(parent);
  if (above === undefined) return undefined;
  const key = place.home ?? (place.home = findHome(parent, place.key, base));
  return key === ABSENT ? undefined : new Trail(above, key as Key);
}

function findHome(parent: Place, key: Key, base: object): Key | typeof ABSENT {
  // An array that is changed in place keeps its items' indexes, or else stands apart by now; one that isn't listed keeps them too.
  if (parent.isInPlace || parent.isUnlisted || parent.base[key] === base) return key;
  return parent.baseIndex.get(base) ?? ABSENT;
}
