import { checkOptions, checkText, refusal } from "../../bridge/checks.js";
import { pointerOf } from "../../json/json.js";
import { segmentsOf, toldAt } from "../../json/pointer.js";
import { change, extractPlaces, isAllowed, type AppliedCounts, type BlockedChange, type ChangeOperation, type ChangeRequest, type ChangeWarning, type Outcome } from "../../values/change-request.js";
import type { JSONPatchOperation } from "../../types.js";
import { analysis as analysisOf, type PayloadAnalysisResult } from "./analysis.js";
import { report, type DeepDiffResult } from "./diff.js";
import { dotted } from "./paths.js";

const ALL: ChangeOperation[] = ["add", "update", "delete"];

/** A path and what it grants. */
export interface PathWithOperations {
  path: string;
  operations: ChangeOperation[];
  allOperations: boolean;
}

/**
 * Reads a path with operations: `customer.*:add,update`. Unknown operations grant nothing.
 *
 * @example
 * ```ts
 * import { parsePathWithOperations } from "patchwire/memberjunction";
 * console.log(parsePathWithOperations("customer.*:add")); // { path: 'customer.*', operations: [ 'add' ], allOperations: false }
 * ```
 */
export function parsePathWithOperations(spec: string): PathWithOperations {
  const colon = checkText("a path", spec).lastIndexOf(":");
  if (colon < 0) return { path: spec, operations: [...ALL], allOperations: true };
  const named = spec.slice(colon + 1).split(",").map((name) => name.trim().toLowerCase());
  const operations = [...new Set(named)].filter((name): name is ChangeOperation => (ALL as string[]).includes(name));
  return { path: spec.slice(0, colon), operations, allOperations: operations.length === ALL.length };
}

/** A change request. The payload's type may be named, as in the original, and isn't asked: tokens and empty objects may be anywhere in a request. */
export type AgentPayloadChangeRequest<_P = any> = ChangeRequest;

/** An operation that wasn't done. */
export interface BlockedOperation {
  /** With dots, and `[0]` for an item. */
  path: string;
  operation: ChangeOperation;
  from?: unknown;
  to?: unknown;
  reason: string;
  timestamp: string;
}

/** What a change did. `patch`, `inverse` and `changeWarnings` are what the original doesn't have. */
export interface PayloadManagerResult<P> {
  result: P;
  applied: AppliedCounts;
  /** As the original words them. */
  warnings: string[];
  /** What looks like losses; absent where nobody asked for it. */
  analysis?: PayloadAnalysisResult;
  /** For people: what became of each value, list items by position. Absent where nobody asked for it. */
  diff?: DeepDiffResult;
  requiresFeedback: boolean;
  timestamp: Date;
  blockedOperations: BlockedOperation[];
  /** Leads from the payload to the result. */
  patch: JSONPatchOperation[];
  /** Leads back. */
  inverse: JSONPatchOperation[];
  /** All warnings, with codes and pointers. */
  changeWarnings: ChangeWarning[];
}

/** How a request is applied. */
export interface ApplyOptions {
  /** Writes a line about the change to the console, with `verbose`. */
  logChanges?: boolean;
  verbose?: boolean;
  agentName?: string;
  /** Whether losses are looked for: `true`. */
  analyzeChanges?: boolean;
  /** Paths with operations; everything is allowed where there are none. */
  allowedPaths?: string[];
  /** Whether members that a request doesn't have are left out instead of moved to where they belong. */
  ignoreStrayKeys?: boolean;
  /** Taken and unused, as in the original: every change is validated. */
  validateChanges?: boolean;
  /** Whether `diff` is made: `true`. O(size of the payload). */
  generateDiff?: boolean;
}

const OPTIONS = [
  "logChanges", "verbose", "agentName", "analyzeChanges", "allowedPaths", "ignoreStrayKeys", "validateChanges", "generateDiff",
] as const satisfies readonly (keyof ApplyOptions)[];

/**
 * MemberJunction's `PayloadManager`, over Patchwire's change requests: the same methods, and results of the same shape with
 * the patch beside it. Payloads and requests that are given stay as they are; results are the caller's own.
 *
 * @example
 * ```ts
 * import { PayloadManager } from "patchwire/memberjunction";
 * const payload = { research: { status: "new" } };
 * const request = { updateElements: { research: { status: "complete" }, unauthorized: { hack: "attempt" } } };
 * const { result, blocked, patch } = new PayloadManager().applySubAgentChangeRequest(payload, request, ["research.*"], "ResearchAgent");
 * console.log(result, blocked); // { research: { status: 'complete' } } 1
 * console.log(patch); // [ { op: 'replace', path: '/research/status', value: 'complete' } ]
 * ```
 */
export class PayloadManager {
  /**
   * Applies an agent's change request.
   *
   * @throws PatchwireError `VALIDATION_FAILED` with the place in the request that is malformed or doesn't fit the payload.
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * const { result, applied, warnings } = new PayloadManager().applyAgentChangeRequest({ a: 1 }, { updateElements: { b: 2 } });
   * console.log(result, applied); // { a: 1, b: 2 } { additions: 1, updates: 0, deletions: 0 }
   * console.log(warnings[0]); // Auto-corrected: 'b' was in updateElements but doesn't exist (treated as addition)
   * ```
   */
  applyAgentChangeRequest<P = any>(originalPayload: P, changeRequest: ChangeRequest, options: ApplyOptions = {}): PayloadManagerResult<P> {
    checkOptions(options, OPTIONS);
    const { allowedPaths, ignoreStrayKeys, analyzeChanges = true, generateDiff = true, agentName } = options;
    const outcome = change<P>(originalPayload ?? null, { request: withoutMarks(changeRequest) }, {
      strayMembers: ignoreStrayKeys ? "ignore" : "move",
      truncation: analyzeChanges,
      ...(allowedPaths && { allow: rules(allowedPaths) }),
    });
    const denied = outcome.blocked.map((one) => blockedOperation(one, originalPayload, `operation '${one.operation}' not allowed`));
    const messages = denied.map(({ path, operation }) => `Operation denied: Cannot ${operation} '${path}' - operation '${operation}' not allowed`);
    const result = summary(outcome, originalPayload, denied, messages, { agent: agentName, analyze: analyzeChanges, diff: generateDiff });
    if (options.logChanges && options.verbose) logChanges(outcome, agentName);
    return result;
  }

  /**
   * Applies a sub-agent's change request, as far as its paths allow; `blocked` counts what they didn't.
   *
   * @throws PatchwireError as {@link applyAgentChangeRequest}.
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * const manager = new PayloadManager();
   * const { result, blockedOperations } = manager.applySubAgentChangeRequest({ r: [1, 2, 3] }, { removeElements: { r: ["__DELETE__"] } }, ["r.*:add"], "Sub");
   * console.log(result, blockedOperations[0]?.path, blockedOperations[0]?.reason); // { r: [ 1, 2, 3 ] } r.[0] operation 'delete' not allowed
   * ```
   */
  applySubAgentChangeRequest<P = any>(parentPayload: P, changeRequest: ChangeRequest, upstreamPaths: string[], subAgentName: string): PayloadManagerResult<P> & { blocked: number } {
    const outcome = change<P>(parentPayload ?? null, { request: withoutMarks(changeRequest) }, { strayMembers: "move", allow: rules(upstreamPaths) });
    const operations = outcome.blocked.flatMap(leaves).map((one) => blockedOperation(one, parentPayload, reasonOf(one)));
    return { ...summary(outcome, parentPayload, operations, [], { agent: subAgentName, analyze: true, diff: true }), blocked: operations.length };
  }

  /**
   * Brings what a sub-agent made of its payload back into its parent's, as far as its paths allow. What the sub-agent's
   * lacks is deleted, unless the paths are `*`: a payload may then be a part of the parent's.
   *
   * @throws PatchwireError `NOT_JSON`, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * const parent = { customer: { id: 1 }, analysis: { tags: ["a", "b"] } };
   * const { result, warnings } = new PayloadManager().mergeUpstreamPayload("Sub", parent, { customer: { id: 2 }, analysis: { tags: [] } }, ["analysis.*"]);
   * console.log(result, warnings); // { customer: { id: 1 }, analysis: { tags: [] } } [ 'Sub-agent "Sub" attempted 1 unauthorized operation(s)' ]
   * ```
   */
  mergeUpstreamPayload<P = any>(subAgentName: string, parentPayload: P | null | undefined, subAgentPayload: Partial<P> | null | undefined, upstreamPaths: string[], verbose?: boolean): PayloadManagerResult<P> {
    const allow = rules(upstreamPaths);
    const isNothing = !subAgentPayload || upstreamPaths.length === 0;
    const deletes = !upstreamPaths.includes("*");
    const told = isNothing ? { request: {} } : { theirs: subAgentPayload, deletes };
    const outcome = change<P>(parentPayload ?? (isNothing ? null : {}), told, { truncation: false, allow });
    const operations = outcome.blocked.map((one) => blockedOperation(one, parentPayload, reasonOf(one)));
    const messages = operations.length > 0 ? [`Sub-agent "${subAgentName}" attempted ${operations.length} unauthorized operation(s)`] : [];
    if (subAgentPayload && upstreamPaths.length === 0) messages.push("No upstream paths specified - sub-agent changes ignored");
    if (verbose) for (const message of messages) console.log(message);
    return summary(outcome, parentPayload, operations, messages, { agent: subAgentName });
  }

  /**
   * The part of a payload that a sub-agent is given. Items keep their positions.
   *
   * @throws PatchwireError `NOT_JSON`, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * const payload = { customer: { id: 1, secret: "x" }, items: [{ price: 1, n: 2 }] };
   * console.log(new PayloadManager().extractDownstreamPayload("Sub", payload, ["customer.id", "items[0].price"]));
   * // { customer: { id: 1 }, items: [ { price: 1 } ] }
   * ```
   */
  extractDownstreamPayload<P = any>(_subAgentName: string, fullPayload: P | null | undefined, downstreamPaths: string[]): Partial<P> | null {
    if (!fullPayload) return null;
    const paths = (downstreamPaths ?? []).filter((path) => path !== "");
    return extractPlaces(fullPayload, paths.map((path) => `${path}:add`)) as Partial<P>;
  }

  /**
   * Whether paths with operations allow an operation at a place.
   *
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * console.log(new PayloadManager().isOperationAllowedForPath("items[0].price", "update", ["items[*].price"])); // true
   * ```
   */
  isOperationAllowedForPath(path: string, operation: ChangeOperation, allowedPatterns: string[]): boolean {
    return isAllowed(rules(allowedPatterns), pointerOf(path.split(/[.[\]]/).filter((name) => name !== "")), operation);
  }

  /**
   * The first value with the members of the second; objects are merged, anything else is replaced.
   *
   * @throws PatchwireError `NOT_JSON`, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * console.log(new PayloadManager().deepMerge<any>({ a: [1, 2], b: { c: 1 } }, { a: [3], b: { d: 1 } })); // { a: [ 3 ], b: { c: 1, d: 1 } }
   * ```
   */
  deepMerge<T = any>(destination: T | null | undefined, source: Partial<T> | null | undefined): T {
    return change<T>(destination ?? null, source ? { theirs: source, deletes: false } : { request: {} }, { truncation: false }).result;
  }

  /**
   * What is at a place, by a path like `/functional/requirements`; `null` where there is nothing.
   *
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * console.log(new PayloadManager().applyPayloadScope({ p: { q: [1] } }, "/p/q")); // [ 1 ]
   * ```
   */
  applyPayloadScope<P = any>(payload: P, scopePath: string): any {
    if (!payload || !scopePath) return payload;
    return structuredClone(toldAt(payload, scopePath.replace(/^\//, "").split("/")) ?? null);
  }

  /**
   * A value at a place, in objects that have nothing else.
   *
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * console.log(new PayloadManager().reversePayloadScope({ a: 1 }, "/p/q")); // { p: { q: { a: 1 } } }
   * ```
   */
  reversePayloadScope<P = any>(scopedPayload: unknown, scopePath: string): P {
    if (!scopePath) return scopedPayload as P;
    const names = scopePath.replace(/^\//, "").split("/");
    return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), structuredClone(scopedPayload)) as P;
  }

  /**
   * A request about what is at a place, as a request about the whole payload.
   *
   * @example
   * ```ts
   * import { PayloadManager } from "patchwire/memberjunction";
   * const manager = new PayloadManager();
   * const request = manager.transformChangeRequestPaths({ updateElements: { status: "done" } }, "/research/web");
   * console.log(request.updateElements); // { research: { web: { status: 'done' } } }
   * console.log(manager.applyAgentChangeRequest({ research: { web: { status: "new" } } }, request).result); // { research: { web: { status: 'done' } } }
   * ```
   */
  transformChangeRequestPaths(changeRequest: ChangeRequest, scopePath: string): ChangeRequest {
    if (!scopePath) return changeRequest;
    const scoped = Object.entries(changeRequest).map(([part, value]) => {
      const isPart = PARTS.has(part) && value !== undefined && value !== null;
      return [part, isPart ? this.reversePayloadScope(value, scopePath) : value];
    });
    return Object.fromEntries(scoped) as ChangeRequest;
  }
}

const PARTS = new Set(["newElements", "updateElements", "removeElements", "replaceElements"]);

/** Paths with operations as a guard's rules; what grants nothing is left out. */
function rules(paths: readonly string[]): string[] {
  if (!Array.isArray(paths)) throw refusal("an agent's paths are a list of strings; ['*'] allows all");
  const granting = paths.map(parsePathWithOperations).filter(({ path, operations }) => path !== "" && operations.length > 0);
  return granting.map(({ path, operations }) => `${path}:${operations.join()}`);
}

/** As the original, which overlooks members of a request whose names don't begin with a letter. */
function withoutMarks(request: ChangeRequest): ChangeRequest {
  const isObject = typeof request === "object" && request !== null && !Array.isArray(request);
  return isObject ? (Object.fromEntries(Object.entries(request).filter(([name]) => /^[a-zA-Z]/.test(name))) as ChangeRequest) : request;
}

/** What a result is to have beside the change. */
interface Asked {
  agent?: string | undefined;
  analyze?: boolean;
  diff?: boolean;
}

function summary<P>(outcome: Outcome<P>, payload: unknown, blockedOperations: BlockedOperation[], messages: string[], asked: Asked): PayloadManagerResult<P> {
  const { result, applied, patch, inverse, warnings: changeWarnings } = outcome;
  const analysis = asked.analyze ? analysisOf(changeWarnings, payload, result) : undefined;
  const losses = analysis?.warnings.map(({ severity, message }) => `[${severity}] ${message}`) ?? [];
  const warnings = [...changeWarnings.flatMap((warning) => wording(warning, asked.agent)), ...messages, ...losses];
  return {
    result, applied, warnings,
    ...(analysis && { analysis }),
    ...(asked.diff && { diff: report(payload, result) }),
    requiresFeedback: analysis?.requiresFeedback ?? false,
    timestamp: new Date(),
    blockedOperations, patch, inverse, changeWarnings,
  };
}

/** What the original says of a correction, if anything. */
function wording({ code, message, path }: ChangeWarning, agent?: string): string[] {
  if (code === "UPDATED_BY_NEW" || code === "ADDED_BY_UPDATE") return [message];
  const part = /was moved to (\w+)$/.exec(message)?.[1];
  if (code !== "STRAY_MEMBER" || part === undefined) return [];
  return [`[PayloadManager${agent ? `:${agent}` : ""}] Auto-corrected stray key "${segmentsOf(path).at(-1)}" in payloadChangeRequest — moved to ${part}`];
}

function logChanges({ applied, reasoning }: Outcome<unknown>, agent?: string): void {
  const who = agent ? ` by ${agent}` : "";
  const why = reasoning ? ` | Reason: ${reasoning}` : "";
  console.log(`Payload changes applied${who}: +${applied.additions} additions, ~${applied.updates} updates, -${applied.deletions} deletions${why}`);
}

function reasonOf({ reason, operation }: BlockedChange): string {
  return reason === "path" ? "path not allowed" : `operation '${operation}' not allowed`;
}

function blockedOperation({ path, operation, to }: BlockedChange, payload: unknown, reason: string): BlockedOperation {
  return { path: dotted(path, payload), operation, from: toldAt(payload, segmentsOf(path)), to, reason, timestamp: new Date().toISOString() };
}

/** A blocked object as one blocked operation for each of its values, as the original tells it of sub-agents. */
function leaves(one: BlockedChange): BlockedChange[] {
  if (typeof one.to !== "object" || one.to === null) return [one];
  const members = Object.entries(one.to);
  return members.length === 0 ? [one] : members.flatMap(([name, to]) => leaves({ ...one, path: one.path + pointerOf([name]), to }));
}
