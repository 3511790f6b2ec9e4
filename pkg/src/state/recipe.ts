import { arrayDraft } from "./array-draft.js";
import { ArrayPlace } from "./array-place.js";
import { isContainer, type Container, type Key } from "../json/containers.js";
import { objectDraft } from "./object-draft.js";
import { ObjectPlace } from "./object-place.js";
import type { Place } from "./place.js";
import type { State } from "./state.js";

/** A recipe while it runs: what its drafts have in common. Afterwards they are dead. */
export class Recipe {
  isOpen = true;
  /** While its values are taken over their getters run, which may ask for anything. */
  isSettling = false;
  /** The next {@link Place.turn}: containers, and the own members of objects, have theirs in the order in which they were first changed. */
  turns = 0;
  /** Containers that are changed where they are. */
  readonly inPlace: Place[] = [];
  /** Whether it put something of the state into a second place: then both may hold the same container. */
  sharesParts = false;
  /** Whether it put something frozen somewhere, which may be the state's. */
  putsFrozen = false;
  /** What `splice` returned last: nobody means the state by that. */
  taken: unknown = undefined;

  constructor(readonly state: State) {}

  /** The state as the recipe sees it: a place, or the scalar that it is. */
  begin(value: unknown): unknown {
    return isContainer(value) ? this.place(value as Container, null, "", true) : value;
  }

  /** A container of the state becomes a place: see {@link Place}. */
  place(value: Container, parent: Place | null, key: Key, isOfState: boolean): Place {
    return Array.isArray(value) ? new ArrayPlace(this, value, parent, key, isOfState) : new ObjectPlace(this, value, parent, key, isOfState);
  }

  /** The draft of a container. */
  draft(place: Place): object {
    return place instanceof ArrayPlace ? arrayDraft(place) : objectDraft(place as ObjectPlace);
  }

  /** Whether a container is the state's: frozen, or one that nobody has seen. The recipe's own values are neither. */
  isOurs(value: object): boolean {
    return Object.isFrozen(value) || this.state.isUnseen(value);
  }

  /**
   * Whether a container may be changed where it is, because it is large, and nobody has seen it or will before the change is certain.
   * When the recipe has ended, what isn't where it was is compared with what was there.
   */
  mayWriteInto(place: Place): boolean {
    return this.state.mayWriteInto(place.base) && (this.isOpen || this.isAlone(place));
  }

  /** Whether a place is where it was read, and nowhere else. */
  private isAlone(place: Place): boolean {
    return !this.sharesParts && place.isSeated;
  }

  /** Somebody looks at the state from inside the recipe: what was changed where it is must look as it was. */
  standApart(): void {
    for (const place of this.inPlace) place.standApart();
  }

  /**
   * At its end, gives what was changed in place a copy of its own, if the recipe moved it or put it in a second place: the state before
   * has to be there unchanged, to be compared with.
   */
  part(): void {
    for (const place of this.inPlace) if (!this.isAlone(place)) place.standApart();
  }

  /** A container of the state that somebody will look at. */
  published(container: object): object {
    this.standApart();
    return this.state.published(container);
  }

  /** Somebody will look at a copy that shares parts of the state: only what is changed where it is already, and has copies of its own, goes on so. */
  share(): void {
    this.state.seal(this.inPlace.map((place) => place.base));
  }

  /** A copy of a container, read whole. */
  whole<T extends object>(copy: T): T {
    return this.state.source(copy) === null ? copy : (this.published(copy) as T);
  }

  /** Takes back what was changed where it is. */
  undo(): void {
    for (const place of this.inPlace) place.undo();
  }
}
