import { clone, type Json, type Step } from "./program.ts";

// Random programs that look only at a plain object to decide what to do, and do it to a draft as well: of the draft
// nothing is read but the way to what they change.

type Container = Json[] | { [key: string]: Json };
type Key = string | number;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function placesOf(value: Json, path: Key[] = [], found = new Map<Container, Key[]>()): Map<Container, Key[]> {
  if (!isContainer(value) || found.has(value)) return found;
  found.set(value, path);
  for (const key of Object.keys(value)) placesOf((value as Record<string, Json>)[key]!, [...path, Array.isArray(value) ? Number(key) : key], found);
  return found;
}

const at = (root: Json, path: Key[]): Container => path.reduce((value, key) => (value as never)[key], root) as Container;
const reaches = (from: Json | undefined, to: Container): boolean => from !== undefined && placesOf(from).has(to);

function put(target: Container, key: Key, value: Json): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else (target as Record<Key, Json>)[key] = value;
}

/** How a container takes a value that comes from elsewhere. */
function receive(target: Container, value: Json, index: number): void {
  if (!Array.isArray(target)) put(target, "received" + (index % 2), value);
  else if (index % 3 === 0) target.push(value);
  else if (index % 3 === 1) target.unshift(value);
  else target.splice(index % (target.length + 1), 1, value);
}

/** Does one step to `plain` and to `draft`, whose states are the same. */
export function performUnread(draft: Json, plain: Json, step: Step): void {
  const places = [...placesOf(plain)];
  if (places.length === 0) return;
  const [here, herePath] = places[step.place % places.length]!;
  const [there, therePath] = places[step.other % places.length]!;
  const run = Array.isArray(here) ? onArray(here, there, step) : onObject(here, there, step);
  if (run === undefined) return;
  const [target, second] = [at(draft, herePath), at(draft, therePath)];
  run(here as never, there);
  run(target as never, second);
}

function onArray(here: Json[], there: Container, { at, to, what, value }: Step): ((target: Json[], second: Container) => void) | undefined {
  const { length } = here;
  const index = length === 0 ? 0 : at % length;
  const item = here[index];
  const other = length === 0 ? 0 : to % length;
  switch (what % 22) {
    case 0: return (target) => void target.push(clone(value));
    case 1: return (target) => void target.pop();
    case 2: return (target) => void target.shift();
    case 3: return (target) => void target.unshift(clone(value));
    case 4: return (target) => void target.splice(index, to % 3, clone(value), at);
    case 5: return (target) => void target.splice(index, 1 + (to % 2));
    case 6: return (target) => void target.reverse();
    case 7: return (target) => void (target.length = Math.min(length, at));
    case 8: return length === 0 ? undefined : (target) => void (target[index] = clone(value));
    case 9: return length === 0 ? undefined : (target) => void ([target[index], target[other]] = [target[other]!, target[index]!]);
    // Moves an item to another container.
    case 10: case 11: case 12: return item === undefined || reaches(item, there) ? undefined : (target, second) => receive(second, target.splice(index, 1)[0]!, to);
    // Puts it there too.
    case 13: return item === undefined || reaches(item, there) ? undefined : (target, second) => receive(second, target[index]!, to);
    case 14: return (target) => void target.splice(0, length, ...target.filter((_, i) => i % 2 === to % 2));
    case 15: return (target) => void target.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
    case 16: return length < 2 ? undefined : (target) => void target.copyWithin(0, 1, 2);
    // Takes an item out, changes it outside and puts it back.
    case 17: return !isContainer(item) ? undefined : (target) => {
      const out = target.splice(index, 1)[0] as Container;
      receive(out, at, at);
      target.splice(to % length, 0, out as Json);
    };
    case 18: return (target) => void target.fill(at, 1, 3);
    // More edits than are told one by one.
    case 19: return length === 0 ? undefined : (target) => { for (let i = 0; i < 18; i++) target[(index + i * to) % length] = i % 3 === 0 ? target[other]! : i; };
    case 20: return length === 0 ? undefined : (target) => { for (let i = 0; i < 18; i++) target.unshift(target.pop()!); };
    default: return !isContainer(item) ? undefined : (target) => receive(target[index] as Container, clone(value), to);
  }
}

function onObject(here: { [key: string]: Json }, there: Container, { at, to, what, value }: Step): ((target: { [key: string]: Json }, second: Container) => void) | undefined {
  const names = Object.keys(here);
  const name = names.length === 0 ? "n" : names[at % names.length]!;
  const other = names.length === 0 ? "n" : names[to % names.length]!;
  const child = here[name];
  switch (what % 16) {
    case 0: return (target) => put(target, name, clone(value));
    case 1: return (target) => put(target, "n" + (at % 3), clone(value));
    case 2: case 3: return (target) => void delete target[name];
    // Moves a member to another container.
    case 4: case 5: case 6: return child === undefined || reaches(child, there) ? undefined : (target, second) => {
      const moved = target[name]!;
      delete target[name];
      receive(second, moved, to);
    };
    // Puts it there too, and changes it through one of the two places.
    case 7: case 8: return child === undefined || reaches(child, there) ? undefined : (target, second) => {
      receive(second, target[name]!, to);
      if (what % 2 === 0 && isContainer(target[name])) receive(target[name] as Container, at, at);
    };
    case 9: return names.length < 2 ? undefined : (target) => {
      const [a, b] = [target[name]!, target[other]!];
      put(target, name, b);
      put(target, other, a);
    };
    case 10: return (target) => put(target, name, { ...target } as Json);
    case 11: return child === undefined ? undefined : (target) => put(target, "wrapped", [{ child: target[name]! }, at]);
    // Takes a member out, changes it outside and puts it back.
    case 12: return !isContainer(child) ? undefined : (target) => {
      const out = target[name] as Container;
      delete target[name];
      receive(out, at, to);
      put(target, other, out as Json);
    };
    case 13: return (target) => {
      if (Object.keys(target).join() !== names.join()) throw new Error("other names");
    };
    case 14: return (target) => void Object.assign(target, { [name]: [at], z: at });
    default: return !isContainer(child) ? undefined : (target) => receive(target[name] as Container, clone(value), to);
  }
}
