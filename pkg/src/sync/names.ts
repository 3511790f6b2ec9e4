import { refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import type { StoreStorage } from "../tables/rows.js";
import type { DurableContext } from "./options.js";

// Which state of an object is which: two of one name would share their tables.

const NAMES = /^[a-z0-9_-]{1,64}$/;

/** The names of the states in each storage, and by whom they were taken. */
const taken = new WeakMap<object, Map<string, object>>();

/** In the context of whoever may have several objects that stand for one state. */
export const OWNER: unique symbol = Symbol("owner");

type OwnedContext = DurableContext & { [OWNER]?: object };

/** Whether nobody but the context's owner, if it has one, has the name. */
export function mayTakeName({ storage, [OWNER]: owner }: OwnedContext, name: string): boolean {
  const holder = taken.get(storage)?.get(name);
  return holder === undefined || holder === owner;
}

/** The name in lower case, because those of tables have no other; empty for the state that has none. */
export function takeName(ctx: DurableContext, given: string | undefined): string {
  const name = typeof given === "string" ? given.toLowerCase() : "";
  if (given !== undefined && !NAMES.test(name)) throw refusal("the option name is up to 64 letters, digits, - and _");
  if (!mayTakeName(ctx, name)) throw new PatchwireError("CONFLICT", "another state of this object has this name, or both have none: make each once, as a field of the object, and give it a name of its own in the option name");
  const { storage, [OWNER]: owner = {} } = ctx as OwnedContext;
  const names = taken.get(storage) ?? new Map<string, object>();
  taken.set(storage, names.set(name, owner));
  return name;
}

/** Leaves a name to whoever comes next. */
export function leaveName(storage: StoreStorage, name: string): void {
  taken.get(storage)?.delete(name);
}
