import fc from "fast-check";

// Random programs that run on a draft and on a plain object alike.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -9, max: 9 }), fc.constantFrom("", "a", "é😀", "\ud83d", "x".repeat(40)), fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)));
const key = fc.constantFrom("a", "b", "c", "list", "0", "x/y", "m~n", "constructor", "__proto__");
export const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => {
      const object = {};
      for (const [name, value] of members) Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
      return object as Json;
    }),
  ),
})).value as fc.Arbitrary<Json>;

export interface Step {
  place: number;
  other: number;
  at: number;
  to: number;
  what: number;
  value: Json;
}
export const step: fc.Arbitrary<Step> = fc.record({ place: fc.nat(40), other: fc.nat(40), at: fc.nat(9), to: fc.nat(9), what: fc.nat(40), value: json });

type Container = Json[] | { [key: string]: Json };

function containersOf(root: Json, seen = new Set<unknown>()): Container[] {
  if (typeof root !== "object" || root === null || seen.has(root)) return [];
  seen.add(root);
  return [root, ...Object.keys(root).flatMap((name) => containersOf((root as Record<string, Json>)[name]!, seen))];
}

export const clone = (value: Json): Json => structuredClone(value);

function has(container: Json, target: unknown): boolean {
  return containersOf(container).includes(target as Container);
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a recipe may do to its own value after it has put it somewhere. */
function changeLater(raw: Json, at: number): void {
  if (Array.isArray(raw)) {
    if (at % 2 === 0) raw.push({ late: [at] });
    else raw[0] = at;
  } else if (typeof raw === "object" && raw !== null) {
    raw["late"] = { at };
    if (at % 2 === 0) delete raw["a"];
  }
}

/** Runs on a draft and on a plain object alike. */
export function perform(root: Json, { place, other, at, to, what, value }: Step): void {
  const all = containersOf(root);
  if (all.length === 0) return;
  const target = all[place % all.length]!;
  const second = all[other % all.length]!;
  if (Array.isArray(target)) {
    const index = target.length === 0 ? 0 : at % target.length;
    const put = (child: Json): boolean => !has(child, target);
    switch (what) {
      case 0: case 1: target.push(clone(value)); break;
      case 2: target.push(clone(value), 1); break;
      case 3: target.pop(); break;
      case 4: target.shift(); break;
      case 5: target.unshift(clone(value)); break;
      case 6: target.splice(index, to % 3, clone(value)); break;
      case 7: target.splice(index, 1 + (to % 2)); break;
      case 8: target.sort(); break;
      case 9: target.reverse(); break;
      case 10: target.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length); break;
      case 11: target.fill(at, 1, 3); break;
      case 12: if (target.length > 1) target.copyWithin(0, 1, 2); break;
      case 13: target.length = Math.min(target.length, at); break;
      case 14: if (target.length > 0) target[index] = clone(value); break;
      case 15: target[target.length] = clone(value); break;
      case 16: { const item = target.pop(); if (item !== undefined && !has(item, second)) { if (Array.isArray(second)) second.unshift(item); else second["moved"] = item; } break; }
      case 17: if (target.length > 1) [target[0], target[index]] = [target[index]!, target[0]!]; break;
      case 18: { const kept = target.filter((_, i) => i % 2 === 0); target.splice(0, target.length, ...kept); break; }
      case 19: if (put(second)) target.push(second); break;
      case 20: { const copy = [...target]; target.length = 0; target.push(...copy, clone(value)); break; }
      case 21: { const out = target.splice(index, 1)[0]; if (out !== undefined) target.splice(to % (target.length + 1), 0, out); break; }
      case 23: { const raw = clone(value); target.push(raw); changeLater(raw, at); break; }
      case 24: target.push(target.indexOf(target[index]!), target.lastIndexOf(value), target.includes(second)); break;
      case 25: target.copyWithin(index, to % (target.length + 1), at); break;
      case 26: { target.fill(clone(value), index, index + 2); const first = target[index]; if (isObject(first)) first["filled"] = at; break; }
      case 27: { const { length } = target; target.length = length + 2; target.fill(at, length); break; }
      case 28: if (target.length > 2) [target[0], target[1], target[2]] = [target[1]!, target[2]!, target[0]!]; break;
      case 29: { const taken = target.splice(index, 2); if (taken.some((item) => has(item, second))) break; if (Array.isArray(second)) second.push(...taken); else second["taken"] = taken; break; }
      case 30: for (const item of target) { if (target.length > 12) break; if (typeof item === "number") target.push("grown"); } break;
      case 31: target.forEach((_, i) => { if (i === to) target.shift(); }); break;
      case 32: for (let i = target.length - 1; i >= 0; i--) if (i % 2 === at % 2) target.splice(i, 1); break;
      case 33: target.forEach((item) => { if (isObject(item)) item["seen"] = Object.keys(item).length; }); break;
      case 34: target.splice(0, target.length, ...target.toReversed()); break;
      case 35: { const last = target.at(-1); if (Array.isArray(last)) last.unshift(at); else if (isObject(last)) last["last"] = at; break; }
      case 36: if (!has(target, second)) { if (Array.isArray(second)) second.push(target.slice(index)); else second["slice"] = target.slice(index); } break;
      case 37: target.push(JSON.stringify(target).length); break;
      case 38: if (target.length > 0) { delete target[index]; target[index] = clone(value); } break;
      case 39: { const where = target.indexOf(second); if (where >= 0) target.splice(where, 1); break; }
      case 40: { const kept = target.map((item) => item); target.length = 0; for (const item of kept) target.unshift(item); break; }
      default: { const found = target.find((item) => typeof item === "object" && item !== null && !Array.isArray(item)) as Record<string, Json> | undefined; if (found) found["found"] = at; }
    }
  } else {
    const names = Object.keys(target);
    const name = names.length === 0 ? "n" : names[at % names.length]!;
    const put = (name: string, child: Json): void => {
      if (name === "__proto__") Object.defineProperty(target, name, { value: child, writable: true, enumerable: true, configurable: true });
      else target[name] = child;
    };
    switch (what) {
      case 0: case 1: case 2: put(name, clone(value)); break;
      case 3: case 4: put("n" + (at % 3), clone(value)); break;
      case 5: case 6: delete target[name]; break;
      case 7: if (typeof target[name] === "number") (target[name] as number)++; break;
      case 8: if (typeof target[name] === "string") put(name, target[name] + "more"); break;
      case 9: { const child = target[name]; if (child !== undefined && !has(child, second)) { delete target[name]; if (Array.isArray(second)) second.push(child); else second["moved"] = child; } break; }
      case 10: if (!has(second, target)) put("alias", second); break;
      case 11: if (!has(second, target)) { put("alias", second); if (Array.isArray(second)) second.push(at); else second["shared"] = at; } break;
      case 12: { const other = names[to % Math.max(names.length, 1)] ?? name; if (names.length > 1) { const [a, b] = [target[name]!, target[other]!]; put(name, b); put(other, a); } break; }
      case 13: put(name, { ...target } as Json); break;
      case 14: { const child = target[name]; if (child !== undefined) put("wrapped", { inside: clone(at), child } as Json); break; }
      case 15: { const shared = clone(value); put("p", shared); put("q", shared); if (typeof shared === "object" && shared !== null && !Array.isArray(shared)) (target["p"] as Record<string, Json>)["once"] = 1; break; }
      case 16: if (Array.isArray(target[name])) put(name, [...(target[name] as Json[]), at]); break;
      case 17: Object.assign(target, { [name]: at, z: [at] }); break;
      case 18: if (Array.isArray(target[name])) put(name, (target[name] as Json[]).filter((_, i) => i !== to)); break;
      case 19: { const raw = clone(value); put("raw", raw); changeLater(raw, at); break; }
      case 20: { const raw = clone(value); put("raw", { deep: [raw], beside: at } as Json); changeLater(raw, at); break; }
      case 24: put("in", [name in target, "b" in target, Object.hasOwn(target, "c")]); break;
      case 25: put("keys", Object.keys(target).join() + Reflect.ownKeys(target).length); break;
      case 26: { const child = target[name]; if (child !== undefined) { delete target[name]; put("renamed", child); } break; }
      case 27: for (const [key, child] of Object.entries(target)) if (typeof child === "number") put(key, child + 1); break;
      case 28: for (const key in target) if (key !== name) { delete target[key]; break; } break;
      case 29: { const child = target[name]; const [theirs] = Object.keys(second); if (Array.isArray(second) || child === undefined || theirs === undefined || theirs === "__proto__" || has(child, second) || has(second[theirs]!, target)) break; const back = second[theirs]!; put(name, back); second[theirs] = child; break; }
      case 30: { const list = (target["made"] ??= []); if (Array.isArray(list)) list.push(at); break; }
      case 31: Object.defineProperty(target, name, { value: clone(value), writable: true, enumerable: true, configurable: true }); break;
      case 32: Reflect.deleteProperty(target, name); break;
      case 33: for (const one of containersOf(target)) if (Array.isArray(one)) one.push(to); break;
      case 34: put("same", target[name] === target[name]); break;
      case 35: for (const letter of "ab") if (typeof target[name] === "string") put(name, target[name] + letter); break;
      case 36: put("size", JSON.stringify(target).length); break;
      case 37: { const { [name]: gone, ...rest } = target; put("rest", rest); if (gone !== undefined) put("gone", gone); break; }
      case 38: { const child = target[name]; if (isObject(child)) { const { a, ...others } = child; put(name, { ...others, b: a ?? null }); } break; }
      case 39: if (Array.isArray(target[name])) { const list = target[name] as Json[]; put(name, [...list.slice(0, to), clone(value), ...list.slice(to)]); } break;
      case 40: { const child = target[name]; if (typeof child === "object" && child !== null && !has(child, second)) { if (Array.isArray(second)) second.push(child, child); else { second["twice"] = child; second["again"] = child; } } break; }
      default: put(name, clone(value));
    }
  }
}

/** What a program leaves on a plain object, sharing within a recipe only. */
export function onPlain(start: Json, recipes: Step[][]): Json {
  let state = clone(start);
  for (const recipe of recipes) {
    recipe.forEach((one) => perform(state, one));
    state = JSON.parse(JSON.stringify(state)) as Json;
  }
  return state;
}

