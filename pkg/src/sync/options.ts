import { bounds } from "../bridge/limits.js";
import { checkFunction, checkKnown, isPromise, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { isObject } from "../json/containers.js";
import { StateIntake } from "../json/json.js";
import { bytesOf } from "../json/size.js";
import { isStorage, type StoreStorage } from "../tables/rows.js";
import type { Limits, Validator } from "../types.js";
import { isAllowed } from "../values/change-request.js";
import type { View } from "../values/combining.js";
import { requireRule, type StandardSchemaV1 } from "../values/validate.js";
import type { SocketContext } from "./audience.js";
import type { ConnectionEvent } from "./connections.js";
import type { HttpRequest } from "./http.js";
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
  /**
   * What a request to {@link SyncedState.fetch} may see of the state, which is asked once for each: `{ include, exclude }`, pointers as of
   * {@link filterPatch}, of 4,096 bytes at most as JSON; `{}` is all of it. What it hides is in nothing that the client is sent. Without it,
   * everybody sees all.
   *
   * @example
   * ```ts
   * import { memoryStorage, SyncedState } from "patchwire/durable-objects";
   * const session = new SyncedState({ storage: memoryStorage() }, {
   *   initial: { answer: "Hi", keys: { a: 1 } },
   *   view: (request) => (request.headers.get("x-role") === "owner" ? {} : { exclude: ["/keys"] }),
   * });
   * const { state } = (await session.fetch(new Request("https://session/")).json()) as { state: unknown };
   * console.log(state); // { answer: 'Hi' }
   * ```
   */
  view?: ViewOf | undefined;
  /**
   * Where a client may write, by `SyncedClient.update`, which is asked once for each socket: `{ allow }`, rules as those of change requests
   * (docs/change-requests.md), such as `"/draft"` or `"/todos:add,update"`, of 4,096 bytes at most as JSON; `false` or
   * nothing, if it may only read. A rule covers what is below its pointer. What a client doesn't see all of it may not change. Every
   * change leads to a state that `validate` accepts. Without it, clients only read.
   *
   * @example
   * ```ts
   * import { memoryStorage, SyncedState } from "patchwire/durable-objects";
   * const session = new SyncedState({ storage: memoryStorage() }, {
   *   initial: { draft: "", todos: [] as { text: string; done: boolean }[] },
   *   clientWrites: (request) => request.headers.get("x-role") === "owner" && { allow: ["/draft", "/todos:add,update"] },
   * });
   * console.log(session.getState().draft === ""); // true
   * ```
   */
  clientWrites?: WritesOf | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
  /**
   * What every state must satisfy that a change leads to, `initial` and what `migrate` returns as well: a schema, or a function that
   * throws or returns `false`. It sees the whole frozen state, so each change reads all of it. What is stored already is opened
   * whatever it says, and stays as it is until a change leads to a state that it accepts.
   */
  validate?: StandardSchemaV1 | Validator<T> | undefined;
}

/** Answers a request, of which another one than the state says what it may see. */
export const ANSWER: unique symbol = Symbol("answer");

/** What somebody may see who asks. As a method's type it may be one that was written for the platform's `Request`. */
export type ViewOf = { view(request: HttpRequest): View }["view"];

/** Where somebody may write who asks. */
export type WritesOf = { writes(request: HttpRequest): { readonly allow: readonly string[] } | false | undefined | void }["writes"];

/** A longer one couldn't be attached to a socket, which has room for 16,384 bytes: each character may take two. */
const LONGEST_VIEW = 4_096;

/** What an option returned, read once. */
function copied(value: unknown, option: string): unknown {
  try {
    return new StateIntake("copy").take(value);
  } catch (cause) {
    if (!(cause instanceof PatchwireError)) throw cause;
    throw new PatchwireError(cause.code, `the option ${option} returned what isn't plain JSON`, {}, { cause });
  }
}

/** What may be seen, as JSON text. */
export function viewText(view: unknown): string {
  if (isPromise(view)) throw refusal("the option view returned a promise: find out who asks before you call fetch, and say so in a header");
  if (!isObject(view)) throw refusal("the option view returns what the request may see, such as { exclude: ['/secrets'] }; {} is all of it");
  // A role that a table doesn't have would see everything.
  const blank = Object.keys(view).find((name) => (view as Record<string, unknown>)[name] === undefined);
  if (blank !== undefined) throw refusal(`the option view returned ${blank}: undefined, which would hide nothing: leave it out if that is meant`);
  const text = JSON.stringify(copied(view, "view"));
  if (bytesOf(text) > LONGEST_VIEW) throw new PatchwireError("LIMIT_EXCEEDED", `a view has ${LONGEST_VIEW} bytes at most as JSON`);
  return text;
}

/** The rules of where may be written, as JSON text; undefined where there are none. */
export function rulesText(writes: unknown): string | undefined {
  if (isPromise(writes)) throw refusal("the option clientWrites returned a promise: find out who asks before you call fetch, and say so in a header");
  if (writes === undefined || writes === false) return undefined;
  const allow: unknown = isObject(writes) ? (writes as { allow?: unknown }).allow : undefined;
  if (!Array.isArray(allow)) throw refusal("the option clientWrites returns where the client may write, such as { allow: ['/draft'] }, or false");
  checkKnown("option", writes as object, ["allow"]);
  // What is malformed is refused before anything is told.
  const rules = copied(allow, "clientWrites") as string[];
  isAllowed(rules, "", "update");
  const text = JSON.stringify(rules);
  if (bytesOf(text) > LONGEST_VIEW) throw new PatchwireError("LIMIT_EXCEEDED", `the rules of clientWrites have ${LONGEST_VIEW} bytes at most as JSON`);
  return text;
}

const OPTIONS = ["initial", "name", "version", "migrate", "retention", "view", "clientWrites", "limits", "validate", "onEvent"] as const satisfies readonly (keyof SyncedStateOptions<unknown>)[];

/** Refuses what is given in the place of a context, and options that nobody knows. */
export function requireArguments(ctx: StateContext, options: SyncedStateOptions<unknown>): void {
  if (!isStorage((ctx as StateContext | null | undefined)?.storage)) throw refusal("the first argument is the Durable Object's this.ctx");
  if (!("initial" in Object(options))) throw refusal("the second argument has the initial state: { initial: … }");
  checkKnown("option", options, OPTIONS);
  checkFunction("the option onEvent", options.onEvent);
  checkFunction("the option view", options.view);
  checkFunction("the option clientWrites", options.clientWrites);
  checkMigration(options as Migration<never>);
  requireRule(options.validate);
  bounds(options.limits);
}

/** Options as they are now, whatever becomes of the objects that hold them. */
export function checkedOptions<T>(options: SyncedStateOptions<T>): SyncedStateOptions<T> {
  return { ...options, limits: options.limits && { ...options.limits }, retention: checkRetention(options.retention) };
}
