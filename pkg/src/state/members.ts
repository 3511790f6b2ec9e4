import { put, type Container, type Key } from "../json/containers.js";

/** What the members of an object are asked for. */
interface MembersSource {
  /** What a member's slot holds; undefined where there is none. */
  member(name: string): unknown;
  /** What all of them hold. */
  members(): Container;
}

/**
 * The members of a wide object of a document, of which the object has only those that somebody asked for by their names: to list
 * half a million takes a second. Whatever needs all of them is done when they are listed in it, in their order.
 */
export class Members {
  /** The names in the document, once they are listed. */
  private names: string[] | null = null;
  /** Those of members that were deleted since: put back, they are the last ones. */
  private readonly gone = new Set<string>();

  constructor(
    private readonly object: Container,
    private readonly source: MembersSource,
  ) {}

  get isListed(): boolean {
    return this.names !== null;
  }

  /** Puts a member into the object that it hasn't yet. O(log n). */
  find(name: Key | symbol): void {
    if (this.isListed || typeof name !== "string" || Object.hasOwn(this.object, name) || this.gone.has(name)) return;
    const slot = this.source.member(name);
    if (slot !== undefined) put(this.object, name, slot);
  }

  /** Whether a member is where the document has it. O(log n). */
  isInPlace(name: string): boolean {
    return !this.isListed && !this.gone.has(name) && this.source.member(name) !== undefined;
  }

  /** Deletes a member. */
  remove(name: string): void {
    this.gone.add(name);
    delete this.object[name];
  }

  /** Puts members back that were deleted where the document has them. */
  restore(members: readonly [name: string, slot: unknown][]): void {
    for (const [name, slot] of members) {
      this.gone.delete(name);
      put(this.object, name, slot);
    }
    if (this.names !== null && members.length > 0) this.arrange({}, this.names);
  }

  /** Puts all of them into the object. O(their number). */
  list(): void {
    if (this.isListed) return;
    const members = this.source.members();
    this.names = Object.keys(members);
    this.arrange(members, this.names);
  }

  /** Gives the object its members in their order: those of the document, of which it may have some already, and the others. */
  private arrange(members: Container, names: readonly string[]): void {
    const { object } = this;
    const here = new Map(Object.entries(object));
    for (const name of here.keys()) delete object[name];
    for (const name of names) {
      if (this.gone.has(name)) continue;
      put(object, name, here.has(name) ? here.get(name) : members[name]);
      here.delete(name);
    }
    for (const [name, slot] of here) put(object, name, slot);
  }
}
