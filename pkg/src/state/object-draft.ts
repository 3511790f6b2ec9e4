import { isContainer } from "../json/containers.js";
import { inherited, INSPECT, isSlot, pathOf, setElsewhere, shown, slotFor, traps } from "./draft.js";
import { symbolNotJson } from "../json/json.js";
import { ObjectPlace } from "./object-place.js";
import { PLACE, requireOpen, seen } from "./place.js";

/** The draft of an object: a proxy for its place. */
export function objectDraft(place: ObjectPlace): object {
  return new Proxy(place, objectTraps);
}

(ObjectPlace.prototype as unknown as Record<symbol, unknown>)[INSPECT] = shown;

const objectTraps: ProxyHandler<ObjectPlace> = {
  ...(traps((target) => target as ObjectPlace) as ProxyHandler<ObjectPlace>),
  get(place, key) {
    if (key === PLACE) return place;
    requireOpen(place).find(key);
    const value: unknown = place.now[key as string];
    if (typeof value !== "object" && typeof value !== "function") return value;
    if (!Object.hasOwn(place.now, key)) return inherited(place, key);
    return seen(place.slot(key as string));
  },
  set(place, key, value, receiver) {
    requireOpen(place);
    if (receiver !== place.proxy) return setElsewhere(receiver, key, value);
    if (typeof key === "symbol") throw symbolNotJson(pathOf(place));
    place.find(key);
    const has = Object.hasOwn(place.now, key);
    if (value === undefined) {
      if (has) place.remove(key);
      return true;
    }
    const slot = slotFor(place, value);
    // It may be the number or the string that hasn't been read.
    if (has && !isContainer(slot)) place.read(key);
    if (!has || !isSlot(place, key, slot)) place.set(key, slot);
    return true;
  },
  deleteProperty(place, key) {
    requireOpen(place).find(key);
    if (Object.hasOwn(place.now, key)) place.remove(key as string);
    return true;
  },
};
