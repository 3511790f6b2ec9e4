import { bounds } from "../bridge/limits.js";
import { checkFunction, checkKnown, refusal } from "../bridge/checks.js";
import { isStorage, type StoreStorage } from "../tables/rows.js";
import type { Limits, Validator } from "../types.js";
import { requireRule, type StandardSchemaV1 } from "../values/validate.js";
import type { SocketContext } from "./audience.js";
import type { ConnectionEvent } from "./connections.js";
import { checkMigration, type Migration } from "./migration.js";
import { checkRetention, type Retention } from "../tables/past.js";
import type { SyncedState } from "./synced-state.js";

/** What of a Durable Object's context is used; `this.ctx` has it. */
export interface DurableContext extends SocketContext {
  storage: StoreStorage;
}

/** Where a state is: an object's context, or its storage alone, which has no sockets. */
export type StateContext = Pick<DurableContext, "storage"> & Partial<SocketContext>;

/** Something that logs and metrics should know. `engine_lost`: the core failed, and the state is read from storage again. */
export type SyncedEvent = ConnectionEvent | { type: "commit"; revision: number; bytes: number; rows: number } | { type: "engine_lost" };

/** How a {@link SyncedState} begins, and what it accepts. */
export interface SyncedStateOptions<T> extends Migration<T> {
  /** The state of an object that has none yet. */
  initial: T;
  /**
   * Tells several states of one object from each other: each has tables, sockets and streams of its own. Up to 64
   * letters, digits, `-` and `_`, of which case doesn't matter. The state without a name is one of its own, too.
   */
  name?: string | undefined;
  /** How many earlier revisions {@link SyncedState.at} can read. Without it, those of the log and those that are pinned. */
  retention?: Retention | undefined;
  /** Told of commits, of clients that needed a snapshot in the place of what they had, and of what was refused. */
  onEvent?: ((event: SyncedEvent) => void) | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
  /**
   * What every state must satisfy that a change leads to, `initial` and what `migrate` returns as well: a schema, or a function that
   * throws or returns `false`. It sees the whole frozen state, so each change reads all of it. What is stored already is opened
   * whatever it says, and stays as it is until a change leads to a state that it accepts.
   */
  validate?: StandardSchemaV1 | Validator<T> | undefined;
}

const OPTIONS = ["initial", "name", "version", "migrate", "retention", "limits", "validate", "onEvent"] as const satisfies readonly (keyof SyncedStateOptions<unknown>)[];

/** Refuses what is given in the place of a context, and options that nobody knows. */
export function requireArguments(ctx: StateContext, options: SyncedStateOptions<unknown>): void {
  if (!isStorage((ctx as StateContext | null | undefined)?.storage)) throw refusal("the first argument is the Durable Object's this.ctx");
  if (!("initial" in Object(options))) throw refusal("the second argument has the initial state: { initial: … }");
  checkKnown("option", options, OPTIONS);
  checkFunction("the option onEvent", options.onEvent);
  checkMigration(options as Migration<never>);
  requireRule(options.validate);
  bounds(options.limits);
}

/** Options as they are now, whatever becomes of the objects that hold them. */
export function checkedOptions<T>(options: SyncedStateOptions<T>): SyncedStateOptions<T> {
  return { ...options, limits: options.limits && { ...options.limits }, retention: checkRetention(options.retention) };
}
