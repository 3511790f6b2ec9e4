import { PatchwireError } from "../errors.js";
import { arrayMethods } from "./array-methods.js";
import type { ArrayPlace } from "./array-place.js";
import { isContainer } from "../json/containers.js";
import { inherited, INSPECT, isSlot, pathOf, setElsewhere, shown, slotFor, traps } from "./draft.js";
import { notJsonAt } from "../json/json.js";
import { PLACE, requireOpen, seen } from "./place.js";

/** The draft of an array: a proxy for an array, which `Array.isArray` and `JSON.stringify` want, with its place in it. */
export function arrayDraft(place: ArrayPlace): object {
  const target: unknown[] & { [INSPECT]?: unknown } = [place];
  target[INSPECT] = shown;
  return new Proxy(target, arrayTraps);
}

const placeIn = (target: object): ArrayPlace => (target as ArrayPlace[])[0]!;

const arrayTraps: ProxyHandler<object> = {
  ...traps(placeIn),
  get(target, key) {
    const place = placeIn(target);
    if (key === PLACE) return place;
    const value: unknown = requireOpen(place).raw(key as string);
    if (typeof value === "function") return Object.hasOwn(arrayMethods, key) ? arrayMethods[key] : inherited(place, key);
    if (typeof value !== "object" || value === null) return value;
    return typeof key === "symbol" ? value : seen(place.slot(Number(key)));
  },
  set(target, key, value, receiver) {
    const place = requireOpen(placeIn(target));
    if (receiver !== place.proxy) return setElsewhere(receiver, key, value);
    if (key === "length") {
      resize(place, Number(value));
      return true;
    }
    const index = typeof key === "string" ? indexOf(key) : undefined;
    if (index === undefined) throw notJsonAt("an array has items only: use an object for named members", pathOf(place));
    const { length } = place;
    const slot = slotFor(place, value);
    if (index < length) {
      // It may be the number or the string that hasn't been read.
      if (!isContainer(slot)) place.read(index, index + 1);
      if (!isSlot(place, index, slot) || place.isHole(index)) place.set(index, slot);
    } else {
      if (index > length) resize(place, index);
      place.splice(index, 0, [slot]);
    }
    return true;
  },
  deleteProperty(target, key) {
    const place = requireOpen(placeIn(target));
    const index = typeof key === "string" ? indexOf(key) : undefined;
    // A hole: allowed only if it is gone when the recipe ends.
    if (index !== undefined && index < place.length && !place.isHole(index)) place.remove(index);
    return true;
  },
};

/** An array index as JavaScript writes it, or undefined. */
function indexOf(key: string): number | undefined {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key ? index : undefined;
}

/** The most holes that an assignment may leave in an array. */
const HOLES = 10_000_000;

function resize(place: ArrayPlace, length: number): void {
  const now = place.length;
  if (!Number.isInteger(length) || length < 0 || length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
  if (length > now + HOLES) throw new PatchwireError("LIMIT_EXCEEDED", "the array would grow by more than 10,000,000 holes", { path: pathOf(place) });
  if (length < now) place.splice(length, now - length, []);
  else if (length > now) place.widen(length);
}
