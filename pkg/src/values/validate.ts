import { isPromise, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { isContainer } from "../json/containers.js";
import { pointerOf } from "../json/json.js";

/**
 * A schema of any library that follows [Standard Schema](https://standardschema.dev): Zod, Valibot, ArkType and others.
 * This is the part of its interface that is used here.
 */
export interface StandardSchemaV1 {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** What a schema says about a value. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** What a schema finds wrong, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What every state must satisfy. */
export type Rule = StandardSchemaV1 | ((next: unknown) => unknown);

/** Without types anything may be given as a rule, and would be refused as if it had refused the state. */
export function requireRule(given: unknown): void {
  if (given === undefined || typeof given === "function") return;
  const { "~standard": standard } = Object(given) as Partial<StandardSchemaV1>;
  if (typeof standard?.validate !== "function") throw refusal("the option validate is a function, or a schema that follows Standard Schema");
}

/**
 * Requires that a state satisfies a schema, or a function that throws or returns `false`. What the schema makes of the state is
 * ignored.
 *
 * @throws PatchwireError `VALIDATION_FAILED` with the first issue's place. What a schema says may hold values of the
 *   state, so the issues, or what the function threw, are the error's `cause` and not in its text.
 */
export function validate(rule: Rule, next: unknown): void {
  let answer: unknown;
  try {
    // A schema may be a function too.
    answer = "~standard" in rule ? rule["~standard"].validate(next) : rule(next);
  } catch (cause) {
    // A validator that asked the state itself, which is between two states then: that isn't what it thinks of the next one.
    if (cause instanceof PatchwireError && cause.code === "TRACKER_BUSY") throw cause;
    const isBug = [TypeError, ReferenceError, RangeError].some((kind) => cause instanceof kind);
    const message = isBug ? `the validator failed with a ${(cause as Error).name}, which is this error's cause` : "the validator refuses the state; what it threw is this error's cause";
    throw new PatchwireError("VALIDATION_FAILED", message, {}, { cause });
  }
  if (isPromise(answer)) throw new PatchwireError("VALIDATION_FAILED", "the validator is asynchronous: a state is validated before it can be seen");
  if (answer === false) throw new PatchwireError("VALIDATION_FAILED", "the validator refuses the state");
  if (!("~standard" in rule)) return;
  if (!isContainer(answer)) throw new PatchwireError("VALIDATION_FAILED", "the schema doesn't follow Standard Schema: it answered neither a value nor issues");
  const { issues } = answer as { readonly issues?: readonly StandardIssue[] | null };
  // A schema that says so little may say it in ways of its own.
  if (issues !== undefined && issues !== null) {
    const steps: unknown = issues[0]?.path;
    const path = pointerOf(Array.isArray(steps) ? steps.map((step: unknown) => String(isContainer(step) ? (step as { key?: unknown }).key : step)) : []);
    throw new PatchwireError("VALIDATION_FAILED", `the state isn't what the schema demands (at '${path}')`, { path }, { cause: issues });
  }
}
