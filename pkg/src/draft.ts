import { Adoption, Foreign, type Measure, notJson, PLACE, placeOf, pointerOf, requireJson, snapshot } from "./adopt.js";
import { PatchwireError } from "./errors.js";
import { Log, Taken, type Source } from "./log.js";
import { isContainer, Place, put, Tree, type Key, type Slot } from "./view.js";

/** A tree whose containers can be drafted: what a recipe does to them is done at once, journaled and logged. */
export class DraftTree extends Tree {
  readonly log = new Log();
  open = false;
  adoption = new Adoption(this);
  /** Where the records of the running change begin in the log. */
  start = 0;

  /**
   * Runs a recipe on a draft of the whole state. Throws what it throws, `ASYNC_RECIPE` or `NOT_JSON`, having
   * changed nothing; otherwise the change is journaled and logged, and waits for `commit` or `rollback`.
   */
  run(recipe: (draft: never) => unknown): Measure {
    this.open = true;
    this.start = this.log.length;
    this.adoption = new Adoption(this);
    this.record = 0;
    this.loose = 0;
    this.log.begin();
    try {
      const result = recipe((this.root instanceof Place ? draftOf(this.root) : this.root) as never);
      if (isThenable(result)) {
        result.then(undefined, () => {});
        throw new PatchwireError("ASYNC_RECIPE", "the recipe returned a promise: do the waiting first, then update");
      }
      this.adoption.catchUp();
      if (this.adoption.suspicious) requireJson(this.root);
      if (this.aliases.length > 0) this.separate();
    } catch (error) {
      this.rollback();
      throw error;
    } finally {
      this.open = false;
    }
    if (this.log.length === this.start + 1) this.log.rewind(this.start);
    return this.adoption;
  }

  override rollback(): void {
    super.rollback();
    this.log.rewind(this.start);
  }

  /** Begins a change that is made without a recipe. */
  begin(): void {
    this.start = this.log.length;
    this.record = 0;
    this.log.begin();
  }

  override child(place: Place, key: Key): Slot {
    const slot = place.twin[key];
    const child = super.child(place, key);
    if (child !== slot) this.adoption.placed(slot as object, child as Place);
    return child;
  }

  assign(place: Place, key: Key, value: unknown): void {
    const slot = this.adoption.adopt(value, place, key);
    if (slot instanceof Place && Object.hasOwn(place.twin, key) && this.child(place, key) === slot) return;
    const paths = this.paths(place);
    const payload = this.payload(slot, paths.length === 1);
    this.measure(paths, payload);
    this.set(place, key, slot);
    for (const path of paths) this.logged(() => this.log.set([...path, key], payload));
  }

  delete(place: Place, key: string): void {
    const paths = this.paths(place);
    this.remove(place, key);
    for (const path of paths) this.logged(() => this.log.remove([...path, key]));
  }

  spliceItems(place: Place, index: number, count: number, values: unknown[]): Slot[] {
    const slots = values.map((value, i) => this.adoption.adopt(value, place, index + i));
    const paths = this.paths(place);
    const payloads = slots.map((slot) => this.payload(slot, paths.length === 1));
    for (const payload of payloads) this.measure(paths, payload);
    const out = this.splice(place, index, count, slots);
    const record = this.record;
    for (const path of paths) this.logged(() => this.log.splice(path, index, count, payloads));
    // What was taken out may come back, so it needs an identity.
    return out.map((slot, item) => {
      if (!isContainer(slot) || slot instanceof Place || slot instanceof Foreign) return slot;
      const place = new Place(this, slot as never, null, "");
      place.removed = { record, item, loose: this.loose };
      this.adoption.placed(slot, place);
      return place;
    });
  }

  reorder(place: Place, order: number[]): void {
    if (order.every((from, to) => from === to)) return;
    const paths = this.paths(place);
    this.permute(place, order);
    for (const path of paths) this.logged(() => this.log.permute(path, order));
  }

  /** How deep a value that was taken along nests isn't known here: then the core must say. */
  private measure(paths: Key[][], payload: Slot | Taken): void {
    const { adoption } = this;
    const below = payload instanceof Taken ? Infinity : isContainer(payload) ? adoption.taken : 0;
    for (const path of paths) adoption.depth = Math.max(adoption.depth, path.length + 1 + below);
  }

  private logged(write: () => void): void {
    write();
    this.record++;
  }

  /** Everywhere the container is in the document; nowhere if it was taken out. */
  private paths(place: Place): Key[][] {
    if (this.aliases.length > 0) {
      const paths = this.allPaths(place);
      if (paths.length === 0) this.loose++;
      return paths;
    }
    const path = this.path(place);
    if (path === null) this.loose++;
    return path === null ? [] : [path];
  }

  private path(place: Place): Key[] | null {
    if (place.pathShape === this.shape) return place.path;
    if (place === this.root) place.path = [];
    else if (place.parent === null) place.path = null;
    else {
      const above = this.path(place.parent);
      place.path = above && [...above, this.keyOf(place, place.parent)];
    }
    place.pathShape = this.shape;
    return place.path;
  }

  private allPaths(place: Place): Key[][] {
    if (place === this.root) return [[]];
    return [...new Set(holdersOf(place))].flatMap((holder) => {
      const above = this.allPaths(holder);
      return above.length === 0 ? [] : this.keysOf(place, holder).flatMap((key) => above.map((path) => [...path, key]));
    });
  }

  /** Where `holder` holds `place`: more than once if it was put there twice. */
  private keysOf(place: Place, holder: Place): Key[] {
    if (!holder.owned) return [place.key];
    const times = holdersOf(place).filter((other) => other === holder).length;
    if (times === 1 && holder === place.parent) return [this.keyOf(place, holder)];
    const slots = holder.twin as unknown as Slot[];
    if (Array.isArray(slots)) return [...slots.keys()].filter((key) => slots[key] === place);
    return Object.keys(holder.twin).filter((key) => holder.twin[key] === place);
  }

  /** A slot as the log takes it: by reference where the core knows the value already and `may` find it. */
  private payload(slot: Slot, may: boolean): Slot | Taken {
    if (!(slot instanceof Place)) return slot;
    const source = may ? this.source(slot) : null;
    if (source !== null) return new Taken(undefined, [{ path: [], source }]);
    const parts: Taken["parts"] = [];
    const template = this.template(slot, [], may ? parts : null);
    return parts.length > 0 ? new Taken(template, parts) : template;
  }

  /** The value around the values that are taken along by reference. */
  private template(slot: Slot, path: Key[], parts: Taken["parts"] | null): unknown {
    if (!(slot instanceof Place)) return slot;
    const source = path.length > 0 && parts !== null ? this.source(slot) : null;
    if (source !== null) {
      parts!.push({ path, source });
      return null;
    }
    if (!slot.owned) return slot.twin;
    const copy: object = Array.isArray(slot.twin) ? [] : {};
    for (const key of Object.keys(slot.twin)) {
      put(copy, key, this.template(slot.twin[key], [...path, slot.isArray ? Number(key) : key], parts));
    }
    return copy;
  }

  /** Where the core finds the container's value as it is now. */
  private source(place: Place): Source | null {
    if (this.aliases.length > 0) {
      const live = this.allPaths(place)[0];
      return live === undefined ? null : { path: live };
    }
    const path: Key[] = [];
    for (let at = place; ; at = at.parent) {
      if (at === this.root) return { path };
      if (at.parent === null) {
        const { removed } = at;
        return removed && removed.loose === this.loose ? { path, record: removed.record, item: removed.item } : null;
      }
      path.unshift(this.keyOf(at, at.parent));
    }
  }

  /** One container in two places was shared while the recipe ran; from now on each place has its own. */
  private separate(): void {
    for (const place of new Set(this.aliases)) {
      const holders = holdersOf(place).filter((holder) => this.isLive(holder));
      // Mostly it was moved: what held it before has gone.
      if (holders.length === 1 && place !== this.root) this.link(place, holders[0]!, place.key, null);
      else this.separateFrom(place, new Set(holders));
    }
    this.aliases = [];
    this.shape++;
  }

  private separateFrom(place: Place, holders: Set<Place>): void {
    let isFirst = place !== this.root;
    for (const holder of holders) {
      for (const key of this.keysOf(place, holder)) {
        if (isFirst) this.link(place, holder, key, null);
        else this.replaceAlias(place, holder, key);
        isFirst = false;
      }
    }
  }

  private isLive(place: Place): boolean {
    return place === this.root || holdersOf(place).some((holder) => this.isLive(holder));
  }

  private replaceAlias(place: Place, holder: Place, key: Key): void {
    this.touch(holder);
    this.journal.push({ kind: "slot", place: holder, key, had: true, slot: place });
    if (place.parent !== holder) holder.held?.delete(place);
    put(holder.twin, key, snapshot(place));
  }
}

/** The containers that hold a place, each as often as it does. */
function holdersOf(place: Place): Place[] {
  return place.parent === null ? [] : [place.parent, ...(place.others ?? [])];
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isContainer(value) && typeof (value as { then?: unknown }).then === "function" && placeOf(value) === undefined;
}

/** The draft of a container: one proxy for its whole life, usable while a recipe runs. */
function draftOf(place: Place): object {
  return (place.proxy ??= place.isArray ? new Proxy([place] as unknown as object, arrayTraps) : new Proxy(place, objectTraps));
}

function open(place: Place): DraftTree {
  const tree = place.tree as DraftTree;
  if (!tree.open) throw new PatchwireError("DRAFT_REVOKED", "the recipe of this draft has ended: take what you need out of it, or update again");
  return tree;
}

/** A slot as a recipe sees it. */
function seen(slot: Slot): unknown {
  if (slot instanceof Place) return draftOf(slot);
  return slot instanceof Foreign ? slot.value : slot;
}

function read(place: Place, key: Key): unknown {
  const tree = open(place);
  const slot = place.twin[key];
  if (typeof slot !== "object" || slot === null) return slot;
  if (slot instanceof Place) return draftOf(slot);
  if (slot instanceof Foreign) return slot.value;
  if (!Object.hasOwn(place.twin, key)) return slot;
  return draftOf(tree.child(place, key) as Place);
}

function refuse(what: string): never {
  throw new TypeError(`${what} can't be done to a draft`);
}

/** The traps that objects and arrays share; `find` gets the place from the proxy's target. */
function traps(find: (target: object) => Place): ProxyHandler<object> {
  return {
    has: (target, key) => (open(find(target)), Reflect.has(find(target).twin, key)),
    ownKeys: (target) => (open(find(target)), Reflect.ownKeys(find(target).twin)),
    getOwnPropertyDescriptor(target, key) {
      const place = find(target);
      open(place);
      const descriptor = Reflect.getOwnPropertyDescriptor(place.twin, key);
      if (descriptor === undefined) return undefined;
      const isLength = place.isArray && key === "length";
      // Object.keys asks this of every member: no drafts are made for it.
      return { value: seen(descriptor.value), writable: true, enumerable: !isLength, configurable: !isLength };
    },
    defineProperty(target, key, descriptor) {
      if (!("value" in descriptor)) throw notJson(() => {}, [String(key)]);
      return Reflect.set(find(target).proxy!, key, descriptor.value);
    },
    getPrototypeOf: (target) => Reflect.getPrototypeOf(find(target).twin),
    setPrototypeOf: () => refuse("Setting the prototype"),
    preventExtensions: () => refuse("Freezing"),
  };
}

function symbolKey(key: symbol): never {
  throw notJson(key, []);
}

const objectTraps: ProxyHandler<Place> = {
  ...(traps((target) => target as Place) as ProxyHandler<Place>),
  get: (place, key) => (key === PLACE ? place : read(place, key as string)),
  set(place, key, value) {
    const tree = open(place);
    if (typeof key === "symbol") symbolKey(key);
    const has = Object.hasOwn(place.twin, key);
    if (value === undefined) {
      if (has) tree.delete(place, key);
    } else if (!has || !Object.is(place.twin[key], value)) {
      tree.assign(place, key, value);
    }
    return true;
  },
  deleteProperty(place, key) {
    const tree = open(place);
    if (typeof key === "string" && Object.hasOwn(place.twin, key)) tree.delete(place, key);
    return true;
  },
};

const arrayTraps: ProxyHandler<object> = {
  ...traps((target) => (target as Place[])[0]!),
  get(target, key) {
    const place = (target as Place[])[0]!;
    if (key === PLACE) return place;
    if (typeof key === "string" && Object.hasOwn(arrayMethods, key)) return (open(place), arrayMethods[key as keyof typeof arrayMethods]);
    return read(place, key as Key);
  },
  set(target, key, value) {
    const place = (target as Place[])[0]!;
    const tree = open(place);
    const items = place.twin as unknown as Slot[];
    if (key === "length") {
      resize(tree, place, value as number);
      return true;
    }
    const index = typeof key === "string" ? indexOf(key) : undefined;
    if (index === undefined) throw new PatchwireError("NOT_JSON", "an array has items only: use an object for named members");
    if (index < items.length) {
      if (!Object.is(items[index], value)) tree.assign(place, index, value);
    } else {
      if (index > items.length) resize(tree, place, index);
      tree.spliceItems(place, index, 0, [value]);
    }
    return true;
  },
  deleteProperty(target, key) {
    const place = (target as Place[])[0]!;
    const index = typeof key === "string" ? indexOf(key) : undefined;
    // A hole: allowed only if it is gone when the recipe ends.
    if (index !== undefined && index < (place.twin as unknown as Slot[]).length) open(place).assign(place, index, undefined);
    return true;
  },
};

/** An array index as JavaScript writes it, or undefined. */
function indexOf(key: string): number | undefined {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key ? index : undefined;
}

function resize(tree: DraftTree, place: Place, length: number): void {
  const now = (place.twin as unknown as Slot[]).length;
  if (!Number.isInteger(length) || length < 0 || length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
  if (length > now + 10_000_000) throw new PatchwireError("LIMIT_EXCEEDED", "the array would grow by more than 10,000,000 holes", { path: pointerOf([]) });
  if (length < now) tree.spliceItems(place, length, now - length, []);
  else if (length > now) tree.spliceItems(place, now, 0, new Array(length - now).fill(undefined));
}

function place(draft: unknown[]): Place {
  const place = placeOf(draft);
  if (place === undefined || !place.isArray) throw new TypeError("this array method needs a draft");
  open(place);
  return place;
}

function clamp(index: number, length: number): number {
  return index < 0 ? Math.max(length + index, 0) : Math.min(index, length);
}

/** Array methods that change the array, each logged as what it means instead of as many assignments. */
const arrayMethods = {
  push(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    const items = array.twin as unknown as Slot[];
    if (values.length > 0) (array.tree as DraftTree).spliceItems(array, items.length, 0, values);
    return (array.twin as unknown as Slot[]).length;
  },
  pop(this: unknown[]): unknown {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    return length === 0 ? undefined : seen((array.tree as DraftTree).spliceItems(array, length - 1, 1, [])[0]);
  },
  shift(this: unknown[]): unknown {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    return length === 0 ? undefined : seen((array.tree as DraftTree).spliceItems(array, 0, 1, [])[0]);
  },
  unshift(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    if (values.length > 0) (array.tree as DraftTree).spliceItems(array, 0, 0, values);
    return (array.twin as unknown as Slot[]).length;
  },
  splice(this: unknown[], ...args: [start?: number, count?: number, ...values: unknown[]]): unknown[] {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    const start = clamp(Math.trunc(Number(args[0] ?? 0)) || 0, length);
    const asked = args.length === 0 ? 0 : args.length === 1 ? length : Math.trunc(Number(args[1])) || 0;
    const count = Math.min(Math.max(asked, 0), length - start);
    const values = args.slice(2);
    return count === 0 && values.length === 0 ? [] : (array.tree as DraftTree).spliceItems(array, start, count, values).map(seen);
  },
  reverse(this: unknown[]): unknown[] {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    (array.tree as DraftTree).reorder(array, Array.from({ length }, (_, i) => length - 1 - i));
    return this;
  },
  sort(this: unknown[], compare?: (a: unknown, b: unknown) => number): unknown[] {
    const array = place(this);
    const values = (array.twin as unknown as Slot[]).map(seen);
    const order = values.map((_, i) => i);
    if (compare !== undefined) {
      order.sort((a, b) => (values[a] === undefined || values[b] === undefined ? Number(values[a] === undefined) - Number(values[b] === undefined) : compare(values[a], values[b])));
    } else {
      const texts = values.map((value) => (value === undefined ? undefined : String(value)));
      order.sort((a, b) => {
        const [left, right] = [texts[a], texts[b]];
        if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
        return left < right ? -1 : left > right ? 1 : 0;
      });
    }
    (array.tree as DraftTree).reorder(array, order);
    return this;
  },
};
