import { Adoption, placeOf, requireJson, snapshot } from "./adopt.js";
import { Foreign, isContainer, put, type Key, type Slot } from "./containers.js";
import { seen } from "./draft.js";
import { PatchwireError } from "../errors.js";
import type { Measure } from "./json.js";
import { Log, Taken, type Source } from "../bridge/log.js";
import { Place } from "./place.js";
import { fork, readAll } from "./reading.js";
import { Tree, Version } from "./tree.js";
import { SMALL, Unread } from "./unread.js";

/** A tree that records: what a recipe does to its containers is done at once, journaled and logged. */
export class Recording extends Tree {
  readonly log = new Log();
  open = false;
  readonly adoption = new Adoption(this);
  /** Where the records of the running change begin in the log. */
  start = 0;
  /** What makes the next change, and the version that it leads to. */
  private due: { run: () => void; version: Version } | null = null;

  /**
   * Runs a recipe on the whole state. Throws what it throws, `ASYNC_RECIPE` or `NOT_JSON`, having
   * changed nothing; otherwise the change is journaled and logged, and waits for `commit` or `rollback`.
   */
  run(recipe: (draft: unknown) => unknown): Measure {
    this.open = true;
    this.start = this.log.length;
    this.adoption.begin();
    this.record = 0;
    // What earlier recipes took out has no record in this one.
    this.loose++;
    this.log.begin();
    try {
      const result = recipe(seen(this.root));
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
      this.adoption.end();
    }
    if (this.log.length === this.start + 1) this.log.rewind(this.start);
    return this.adoption;
  }

  override rollback(): void {
    super.rollback();
    this.log.rewind(this.start);
  }

  /**
   * Makes a change that fits when somebody looks; the root stays the container that it is. If it fails after all, nothing
   * has changed, and the next one who looks tries again.
   */
  later(run: () => void): void {
    this.due = { run, version: new Version() };
  }

  /** The present version, made or not. */
  get latest(): Version {
    return this.due?.version ?? this.version;
  }

  /** Makes the change that is due. */
  catchUp(): void {
    const { due } = this;
    if (due === null) return;
    try {
      due.run();
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.due = null;
    this.commit(due.version);
  }

  override publish(version = this.latest): unknown {
    this.catchUp();
    return super.publish(version);
  }

  override member(version: Version, key: PropertyKey): unknown {
    this.catchUp();
    return super.member(version, key);
  }

  /** Forgets the first records: they are in the core now. */
  drop(count: number): void {
    this.log.drop(count);
    this.start -= count;
  }

  /** Forgets what was committed, and what the core knew: another one begins with the published state. */
  restart(): void {
    this.drop(this.open || this.journal !== null ? this.start : this.log.length);
    this.log.forgetKeys();
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
    for (const path of paths) this.log.set(path, key, payload);
    this.record += paths.length;
  }

  delete(place: Place, key: string): void {
    const paths = this.paths(place);
    this.remove(place, key);
    for (const path of paths) this.log.remove(path, key);
    this.record += paths.length;
  }

  spliceItems(place: Place, index: number, count: number, values: unknown[]): Slot[] {
    const slots = values.map((value, i) => this.adoption.adopt(value, place, index + i));
    const paths = this.paths(place);
    const payloads = slots.some(isPlace) ? slots.map((slot) => this.payload(slot, paths.length === 1)) : slots;
    for (const payload of payloads) this.measure(paths, payload);
    const out = this.splice(place, index, count, slots);
    const record = this.record;
    for (const path of paths) this.log.splice(path, index, count, payloads);
    this.record += paths.length;
    // What was taken out may come back, so it needs an identity.
    return out.map((slot, item) => {
      if (!isContainer(slot) || slot instanceof Place || slot instanceof Foreign || slot instanceof Unread) return slot;
      const place = new Place(this, slot as never, null, "");
      place.removed = { record, item, loose: this.loose };
      this.adoption.placed(slot, place);
      return place;
    });
  }

  /** The same for whoever looks at what was taken out. */
  takeItems(place: Place, index: number, count: number, values: unknown[]): Slot[] {
    readAll(place, SMALL, index, index + count);
    return this.spliceItems(place, index, count, values);
  }

  reorder(place: Place, order: number[]): void {
    if (order.every((from, to) => from === to)) return;
    const paths = this.paths(place);
    this.permute(place, order);
    for (const path of paths) this.log.permute(path, order);
    this.record += paths.length;
  }

  /** How deep a value that was taken along nests isn't known here: then the core must say. */
  private measure(paths: Key[][], payload: Slot | Taken): void {
    const { adoption } = this;
    const below = payload instanceof Taken ? Infinity : isContainer(payload) ? adoption.taken : 0;
    for (const path of paths) adoption.depth = Math.max(adoption.depth, path.length + 1 + below);
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
    readAll(slot);
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
      // Where it was before it stays itself.
      for (const key of this.keysOf(place, holder).sort((a, b) => Number(b === place.key) - Number(a === place.key))) {
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
    this.journal = { kind: "slot", place: holder, key, had: true, slot: place, before: this.journal };
    if (place.parent !== holder) holder.held?.delete(place);
    put(holder.twin, key, this.base?.isNeeded ? fork(place, holder, key) : snapshot(place));
    holder.hide();
  }
}

function isPlace(slot: Slot): boolean {
  return slot instanceof Place;
}

/** The containers that hold a place, each as often as it does. */
function holdersOf(place: Place): Place[] {
  return place.parent === null ? [] : [place.parent, ...(place.others ?? [])];
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isContainer(value) && typeof (value as { then?: unknown }).then === "function" && placeOf(value) === undefined;
}
