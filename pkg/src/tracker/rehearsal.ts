import type { Container } from "../json/containers.js";
import { Follower } from "../state/edits.js";
import { Gathered } from "../state/gathered.js";
import { StateIntake } from "../json/json.js";
import { Items, Run } from "../state/payload.js";
import { placeOf, type Place } from "../state/place.js";
import { State } from "../state/state.js";
import { Settlement } from "../state/settle.js";
import { Telling } from "./telling.js";
import type { StateTracker } from "./tracker.js";

/** In how many updates it is time: before, little has been compiled, and a first update would have to wait for this. */
let ahead = 16;
let kept: unknown[] | null = null;

/**
 * Keeps an object of each class whose objects may live no longer than an update does, those of a recipe by running one. When no
 * object of a class has been alive in a few full collections, V8 throws away what it has compiled for such objects.
 */
export function rehearse(Tracker: typeof StateTracker): void {
  if (kept !== null || --ahead !== 0) return;
  try {
    kept = cast(Tracker);
  } catch {
    // No update may fail for this: there may be no stack left, or accessors on what all objects inherit from.
    kept = [];
  }
}

function cast(Tracker: typeof StateTracker): unknown[] {
  const tracker = new Tracker({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], sifted: [{ n: 4 }, { n: 5 }], by: {} as Container }, { own: true });
  let place: Place | undefined;
  tracker.update((draft) => {
    place = placeOf(draft);
    const { rows, sifted, by } = draft;
    rows.forEach((row) => (row.n = 0));
    rows.push({ n: 6 });
    by.copies = [rows[0], rows[1]];
    by.copy = { ...rows[1], row: rows[2] };
    draft.sifted = sifted.filter(({ n }) => n === 5);
  });
  // Bounds are whole numbers that V8 may hold as fractions; a class whose objects had others before is another one to it.
  return [tracker, place, new Settlement(place!.recipe, undefined, 0.5), new StateIntake("look"), new Gathered(false, false), new Items([], [new Run(0, 0)], null), new Follower(null), new Telling(new State(null))];
}
