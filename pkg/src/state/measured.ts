import { isContainer } from "../json/containers.js";
import { DEEPEST } from "../json/json.js";
import type { Place } from "./place.js";
import type { Recipe } from "./recipe.js";
import type { Settlement } from "./settle.js";
import type { Measure } from "./state.js";

/** How many parts are looked at of one value, and of all that a recipe put elsewhere. */
const PARTS = 1_024;
const ALL_PARTS = 8_192;

/**
 * Bounds of what a recipe brought. What it moved was counted where it was, and makes the state no larger; what is in one
 * place more is as large again. So each value is counted once for each place but one that it is in now. Where that may be
 * more than is cheap to look at, it is counted as all that there is.
 */
export function measured(settlement: Settlement, recipe: Recipe, known: { weight: number; depth: number }): Measure {
  const { puts, longest, grown } = settlement;
  let { bytes, depth } = settlement;
  const parts = new Parts(recipe);
  for (const place of puts) {
    // A frozen part of the state that was put somewhere has another place there, which may be the one of an equal part.
    const more = place.puts - 1 + Number(place.isKept) + Number(recipe.putsFrozen);
    const home = homeDepth(place);
    // What came into it was counted where it was met first.
    const isDeeper = place.deepest > home || (more > 0 && place.final !== place.base);
    if (more === 0 && !isDeeper) continue;
    const value = parts.of(place.final!);
    if (isDeeper) depth = Math.max(depth, Math.max(place.deepest, home) + (value?.depth ?? Math.max(known.depth, depth)));
    if (more > 0) bytes += more * (value?.bytes ?? known.weight + bytes);
  }
  // What has no place is where it was, and once more if what it was in was put elsewhere.
  if (puts.length > 0) {
    const sizes = settlement.kept.map((value) => parts.of(value)?.bytes ?? Infinity);
    bytes += Math.min(known.weight, sizes.reduce((sum, size) => sum + size, 0));
  }
  if (settlement.repeats > 0) bytes += settlement.repeats * (known.weight + bytes);
  return { bytes, depth, longest, grown };
}

/** How many containers a place was in when the recipe began. */
function homeDepth(place: Place): number {
  let depth = 0;
  for (let at = place.parent; at !== null; at = at.parent) depth++;
  return depth;
}

/** Looks at values, as long as that is cheap. */
class Parts {
  private all = ALL_PARTS;
  private left = 0;

  constructor(private readonly recipe: Recipe) {}

  /** How many bytes a value has at most, and how deep it nests; null where that isn't cheap to know. */
  of(value: object): { bytes: number; depth: number } | null {
    const bounds = { bytes: 0, depth: 0 };
    const most = (this.left = Math.min(PARTS, this.all));
    const isLookedAt = this.look(value, bounds, 1);
    this.all -= most - this.left;
    return isLookedAt ? bounds : null;
  }

  /** Counts a value as what comes in is counted (`Takeover`), and says whether it looked at all of it. */
  private look(value: unknown, bounds: { bytes: number; depth: number }, depth: number): boolean {
    if (this.left <= 0) return false;
    this.left--;
    if (!isContainer(value)) {
      bounds.bytes += typeof value === "string" ? value.length * 3 + 3 : 26;
      return true;
    }
    if (depth > DEEPEST || this.recipe.state.source(value) !== null) return false;
    bounds.bytes += 6;
    bounds.depth = Math.max(bounds.depth, depth);
    if (Array.isArray(value)) return value.length <= this.left && value.every((item) => this.look(item, bounds, depth + 1));
    for (const key of Object.keys(value)) {
      bounds.bytes += key.length * 3 + 4;
      if (!this.look((value as Record<string, unknown>)[key], bounds, depth + 1)) return false;
    }
    return true;
  }
}
