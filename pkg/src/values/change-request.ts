import { call, core, passTexts } from "#merge";
import { pointerText } from "../json/pointer.js";
import { bounds } from "../bridge/limits.js";
import { checkOptions, checkText, isExtended, refusal } from "../bridge/checks.js";
import type { PatchwireErrorCode } from "../errors.js";
import { freeze, thawed } from "../json/containers.js";
import { checkJson, jsonOf } from "../json/json.js";
import { requireRule, validate, type StandardSchemaV1 } from "./validate.js";
import type { Dialect, Immutable, JSONPatchOperation, Limits } from "../types.js";
import { onAllTexts, type Failure, type MergeConflict, type MergeStrategies } from "./merge.js";
import type { View } from "./combining.js";

/**
 * What a language model wants changed in a state, instead of sending all of the state back. A value `"__DELETE__"` (or
 * `"_DELETE_"`) in `removeElements` or `updateElements` deletes what is there. Lists go by position, with `{}` for each
 * item to keep; what `newElements` has for a list is appended.
 */
export interface ChangeRequest {
  /** What isn't in the state yet. */
  newElements?: unknown;
  /** New values for what is in the state; objects are merged. */
  updateElements?: unknown;
  /** What to delete. */
  removeElements?: unknown;
  /** Members that replace what is in the state as a whole. */
  replaceElements?: unknown;
  /** Why. */
  reasoning?: string;
}

/** What a change does to one place. */
export type ChangeOperation = "add" | "update" | "delete";

/** When a loss is noticed. Percentages are of what was there, lengths in UTF-16 code units. */
export interface Truncation {
  /** A text must have had this length to be looked at: 100. */
  length?: number | undefined;
  /** A text that lost more percent than this is told: 70. */
  content?: number | undefined;
  /** A text that lost more than this is told as critical: 90. */
  contentCritical?: number | undefined;
  /** An array that lost more percent of its items than this is told: 50. */
  items?: number | undefined;
  /** An array that lost more of its items than this is told as high: 80. */
  itemsHigh?: number | undefined;
  /** An object that lost more percent of its members than this is told: 50. */
  members?: number | undefined;
  /** An object that lost more of its members than this is told as critical: 80. */
  membersCritical?: number | undefined;
  /** The whole state is told where it lost more percent of its members than this: 30. */
  structure?: number | undefined;
  /** If it had more members than this: 5. */
  structureMembers?: number | undefined;
  /** A text longer than this that became a placeholder is told: 50. */
  placeholder?: number | undefined;
  /** What else a text that was cut short has in it, beside `...` or `etc` at its end, `[truncated]`, `[shortened]`, `and more`. */
  marks?: readonly string[] | undefined;
}

/** How a change request is applied. */
export interface ChangeRequestOptions<T = unknown> {
  /**
   * Which operations may be done where, as rules: `research.*:add,update`, `items[*].price`, `/draft:update`. A path that
   * begins with `/` is a JSON Pointer and covers what is below; any other means exactly that place, unless it ends with
   * `.*` or `.**`. `*` alone is everything, elsewhere one segment; `**` any number of them. No operations means all of them.
   */
  allow?: readonly string[] | undefined;
  /** What the agent sees: it can change nothing else, and learns nothing of the rest from what comes back. */
  view?: View | undefined;
  /** What the request was made from, where the state has gone on since: both changes are merged, as far as the `view` shows them. */
  base?: T | undefined;
  /** How values that the newer state and the request both set become one; the request's stays where nothing is said. */
  strategies?: MergeStrategies | undefined;
  /** The place that the request is about, as a JSON Pointer. */
  scope?: string | undefined;
  /** Members that no change request has are refused (the default), moved to where a model mostly means them, or left out. */
  strayMembers?: "refuse" | "move" | "ignore" | undefined;
  /** How losses are noticed; `false` for not at all. */
  truncation?: Truncation | boolean | undefined;
  /** What the result must satisfy: a schema, or a function that throws or returns `false`. */
  validate?: StandardSchemaV1 | ((next: T) => void) | undefined;
  /** Who asks for it, for the record. */
  agent?: string | undefined;
  /** When, in milliseconds since 1970; now where it is missing. */
  at?: number | undefined;
  /** Which operations the patches may have. */
  dialect?: Dialect | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
}

const OPTIONS = ["allow", "view", "base", "strategies", "scope", "strayMembers", "truncation", "validate", "agent", "at", "dialect", "limits"] as const satisfies readonly (keyof ChangeRequestOptions<unknown>)[];

/** What a request asked for and wasn't done. */
export interface BlockedChange {
  /** Where, as a JSON Pointer. */
  path: string;
  /** What it would have been. Of a place that the agent doesn't see, what the request called it. */
  operation: ChangeOperation;
  /** `operation` where other operations may be done there, `path` where none may. */
  reason: "path" | "operation";
  /** The value that the request had; absent for a deletion. */
  to?: unknown;
}

/** What looks like a mistake of the model. It was done all the same. */
export interface ChangeWarning {
  /** What it is, for programs. */
  code:
    | "UPDATED_BY_NEW" | "ADDED_BY_UPDATE" | "ADDED_PAST_END" | "NOTHING_TO_DELETE" | "NOT_A_TOKEN" | "TOKEN_AS_VALUE" | "EMPTY_ELEMENT"
    | "OVERRULED" | "STRAY_MEMBER" | "DOTTED_NAME" | "CONTENT_REDUCED" | "TRUNCATION_MARK" | "ARRAY_REDUCED" | "KEYS_REMOVED"
    | "TYPE_CHANGED" | "STRUCTURE_MISSING" | "PLACEHOLDER";
  /** How bad it would be: `low` where the request was understood, though not written as it should be. */
  severity: "low" | "medium" | "high" | "critical";
  /** Where in the state before the request, as a JSON Pointer. */
  path: string;
  /** Where it is after the request, if that is another place, because items before it were deleted. */
  after?: string;
  /** For people and models; without values of the state. */
  message: string;
}

/** How many elements changed. What was equal already doesn't count. */
export interface AppliedCounts {
  additions: number;
  updates: number;
  deletions: number;
}

/** One change as an audit trail keeps it. Keep the records of a state in order: they lead back, see {@link revertChange}. */
export interface ChangeRecord {
  /** Who asked for it. */
  agent?: string;
  /** Why, in the model's words. */
  reasoning?: string;
  /** When, in milliseconds since 1970. */
  at: number;
  applied: AppliedCounts;
  /** What changed. */
  patch: JSONPatchOperation[];
  /** How it is taken back. */
  inverse: JSONPatchOperation[];
}

/** What a change request did. */
export interface ChangeResult<T> {
  /** The state after it, frozen. */
  result: Immutable<T>;
  /** Leads from the state to the result. */
  patch: JSONPatchOperation[];
  applied: AppliedCounts;
  /** What the guard or the view didn't let through. */
  blocked: BlockedChange[];
  warnings: ChangeWarning[];
  /** What the newer state and the request both set; only with `base`. */
  conflicts: MergeConflict[];
  /** For an audit trail. */
  record: ChangeRecord;
}

/** Something wrong with what a model sent. */
export interface ChangeRequestProblem {
  code: PatchwireErrorCode;
  /** What is wrong and what to send instead, for the model. */
  message: string;
  /** Where in the request, as a JSON Pointer. */
  path: string;
  /** Which byte of the text, where it isn't JSON. */
  offset?: number;
}

/** What the core answers. */
export interface Outcome<T> extends Omit<ChangeResult<T>, "result" | "record"> {
  result: T;
  inverse: JSONPatchOperation[];
  reasoning?: string;
}

/** The core's rules for a change, as it takes them. */
type Rules = Pick<ChangeRequestOptions, "allow" | "view" | "scope" | "strayMembers" | "truncation">;

/** Makes a change of any kind (src/wasm/change_request.rs) to a state, and returns what isn't frozen yet. */
export function change<T>(state: unknown, told: object, options: Pick<ChangeRequestOptions, "strategies" | "dialect" | "limits"> & Rules): Outcome<T> {
  const { allow, view, scope, strayMembers, truncation } = options;
  const rules = { allow, view, scope, strayMembers, truncation };
  // Each by itself: where in a request or a state something isn't JSON is told, and not where in what the core is sent.
  for (const part of [...Object.values(told), rules]) if (part !== undefined) checkJson(part);
  const texts = [jsonOf(state), JSON.stringify({ ...told, ...rules })] as const;
  const failure: Failure = {};
  const strategies = onAllTexts(options.strategies, failure);
  const [extended, limits] = [isExtended(options, ...OPTIONS), bounds(options.limits)];
  const [arena, split, length] = passTexts(...texts);
  const handle = call(() => new (core().ChangeHandle)(arena, split, length, extended, limits));
  try {
    return JSON.parse(call(() => handle.run(strategies as never))) as Outcome<T>;
  } catch (error) {
    throw "thrown" in failure ? failure.thrown : error;
  }
}

/**
 * Applies what a model wants changed, all that is allowed of it or, if it throws, nothing. The request is an object, or the
 * text that the model sent. What it may not write is left out and told in `blocked`; what looks like a mistake, a text cut
 * short for one, is told in `warnings`. O(size of the state).
 *
 * @throws PatchwireError `INVALID_JSON` with `offset` where the text isn't JSON (cut off, in a code block, with other text
 *   around it); `VALIDATION_FAILED` with the `path` in the request where it isn't a change request or doesn't fit the state,
 *   and where the result isn't what `validate` demands; `INVALID_POINTER`, `PATH_NOT_FOUND` for the scope; `NOT_JSON`;
 *   `LIMIT_EXCEEDED`. The message can be handed back to the model; it holds no value of the state.
 * @example
 * ```ts
 * import { applyChangeRequest } from "patchwire";
 * const state = { status: "new", items: [{ id: 1 }, { id: 2 }, { id: 3 }], budget: 10 };
 * const sent = '{"updateElements":{"status":"done","budget":99},"removeElements":{"items":[{},"__DELETE__"]},"reasoning":"2 is a duplicate"}';
 * const { result, patch, applied, blocked } = applyChangeRequest(state, sent, { allow: ["status:update", "items.*"] });
 * console.log(result); // { status: 'done', items: [ { id: 1 }, { id: 3 } ], budget: 10 }
 * console.log(JSON.stringify(patch)); // [{"op":"remove","path":"/items/1"},{"op":"replace","path":"/status","value":"done"}]
 * console.log(applied, blocked); // { additions: 0, updates: 1, deletions: 1 } [ { path: '/budget', operation: 'update', reason: 'path', to: 99 } ]
 * ```
 */
export function applyChangeRequest<T>(state: T, request: ChangeRequest | string, options: ChangeRequestOptions<T> = {}): ChangeResult<T> {
  checkOptions(options, OPTIONS);
  requireRule(options.validate);
  const { agent, at = Date.now() } = options;
  if (agent !== undefined) checkText("the option agent", agent);
  if (!Number.isFinite(at)) throw refusal("the option at is a time in milliseconds");
  const onto = options.base === undefined ? {} : { newer: state };
  const outcome = change<T>(options.base ?? state, { request: request ?? null, ...onto }, options);
  const { result, inverse, reasoning, ...rest } = outcome;
  const frozen = freeze(result) as Immutable<T>;
  if (options.validate !== undefined) validate(options.validate as never, frozen);
  const { patch, applied } = rest;
  const record = { ...(agent !== undefined && { agent }), ...(reasoning !== undefined && { reasoning }), at, applied, patch: thawed(patch) as JSONPatchOperation[], inverse };
  return { result: frozen, ...rest, record };
}

/**
 * All that is wrong with what a model sent, in words that can be handed back to it; empty where it is a change request.
 * Nothing is repaired: whoever guesses what was cut off loses data. O(length).
 *
 * @param sent the model's text, or what somebody parsed of it.
 * @throws PatchwireError `NOT_JSON` where it is neither.
 * @example
 * ```ts
 * import { changeRequestProblems } from "patchwire";
 * const [problem] = changeRequestProblems('```json\n{"newElements":{"a":1}}\n```');
 * console.log(problem?.code, problem?.offset, problem?.message); // INVALID_JSON 0 the JSON is in a markdown code block: send the JSON alone
 * const problems = changeRequestProblems('{"updateElements":"{}","status":"done"}');
 * console.log(problems.map(({ path }) => path)); // [ '/updateElements', '/status' ]
 * ```
 */
export function changeRequestProblems(sent: unknown): ChangeRequestProblem[] {
  const [arena, length] = passTexts(typeof sent === "string" ? sent : jsonOf(sent));
  return JSON.parse(call(() => core().change_request_problems(arena, length))) as ChangeRequestProblem[];
}

/**
 * The JSON Schema (2020-12) of the change requests that an agent may send, for a model's tool definition: limited to what
 * its view shows and to what `allow` grants. With a `state` its members are listed, and containers are of their kind.
 * It guides the model; what the model sends is guarded all the same. O(members that are named).
 *
 * @throws PatchwireError `VALIDATION_FAILED`, `INVALID_POINTER`, `PATH_NOT_FOUND` for the scope, `NOT_JSON`.
 * @example
 * ```ts
 * import { changeRequestSchema } from "patchwire";
 * const state = { notes: [{ text: "a" }], status: "new", keys: { a: 1 } };
 * const schema = changeRequestSchema({ exclude: ["/keys"] }, { state, allow: ["/notes:add", "/status:update", "/keys"] });
 * const { newElements, updateElements, removeElements } = schema.properties as any;
 * console.log(newElements.properties, updateElements.properties); // { notes: { type: 'array' } } { status: {} }
 * console.log(removeElements); // undefined
 * ```
 */
export function changeRequestSchema(view?: View, options: { state?: unknown; allow?: readonly string[] | undefined; scope?: string | undefined; limits?: Limits | undefined } = {}): Record<string, unknown> {
  checkOptions(options, ["state", "allow", "scope", "limits"]);
  const { state, allow, scope } = options;
  const texts = [jsonOf({ view, allow, scope }), state === undefined ? "" : jsonOf(state)] as const;
  const limits = bounds(options.limits);
  const [arena, split, length] = passTexts(...texts);
  return JSON.parse(call(() => core().change_request_schema(arena, split, length, limits))) as Record<string, unknown>;
}

/**
 * Takes one recorded change back and keeps those after it. Where a later change touched what this one had changed, the
 * older value comes back and the later one is told as a conflict, unless a strategy decides otherwise. O(size of the state).
 *
 * @param records all changes of the state, or the last ones, in their order.
 * @param index which of them to take back.
 * @throws PatchwireError `STALE_STATE` where the records don't lead back from this state, or there is no such record.
 * @example
 * ```ts
 * import { applyChangeRequest, revertChange } from "patchwire";
 * const first = applyChangeRequest({ title: "draft", notes: ["a"] }, { updateElements: { title: "final" } });
 * const second = applyChangeRequest(first.result, { newElements: { notes: ["b"] } });
 * const { result, patch } = revertChange(second.result, [first.record, second.record], 0);
 * console.log(result, patch); // { title: 'draft', notes: [ 'a', 'b' ] } [ { op: 'replace', path: '/title', value: 'draft' } ]
 * ```
 */
export function revertChange<T>(state: T, records: readonly ChangeRecord[], index: number, options: { strategies?: MergeStrategies | undefined; dialect?: Dialect | undefined; limits?: Limits | undefined } = {}): Pick<ChangeResult<T>, "result" | "patch" | "conflicts"> {
  checkOptions(options, ["strategies", "dialect", "limits"]);
  const { result, patch, conflicts } = change<T>(state, { records, revert: index }, options);
  return { result: freeze(result) as Immutable<T>, patch, conflicts };
}

/**
 * The state as it was before one of its recorded changes, and the patch that leads there. O(size of the state).
 *
 * @param records all changes of the state, or the last ones, in their order.
 * @throws PatchwireError `STALE_STATE` where the records don't lead back from this state, or there is no such record.
 * @example
 * ```ts
 * import { applyChangeRequest, stateBefore } from "patchwire";
 * const first = applyChangeRequest({ n: 1 }, { updateElements: { n: 2 } });
 * const second = applyChangeRequest(first.result, { updateElements: { n: 3 } });
 * const records = [first.record, second.record];
 * console.log(stateBefore(second.result, records, 1).result, stateBefore(second.result, records, 0).result); // { n: 2 } { n: 1 }
 * ```
 */
export function stateBefore<T>(state: T, records: readonly ChangeRecord[], index: number, options: { dialect?: Dialect | undefined; limits?: Limits | undefined } = {}): Pick<ChangeResult<T>, "result" | "patch"> {
  checkOptions(options, ["dialect", "limits"]);
  const { result, patch } = change<T>(state, { records, restore: index }, options);
  return { result: freeze(result) as Immutable<T>, patch };
}

/** The places of a state that a guard's rules name. */
export function extractPlaces(state: unknown, rules: readonly string[]): unknown {
  const [arena, split, length] = passTexts(jsonOf(state), jsonOf(rules));
  return JSON.parse(call(() => core().extract_places(arena, split, length, bounds(undefined))));
}

/** Whether a guard's rules grant an operation at a place. */
export function isAllowed(rules: readonly string[], pointer: string, operation: ChangeOperation): boolean {
  const text = jsonOf(rules);
  const place = pointerText(pointer);
  const [arena, length] = passTexts(text);
  return call(() => core().guard_allows(arena, length, place, operation));
}
