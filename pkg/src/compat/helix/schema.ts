import { PatchwireError } from "../../errors.js";
import { isObject, ownOf } from "../../json/containers.js";
import { pointerOf } from "../../json/json.js";
import type { StandardIssue, StandardSchemaV1 } from "../../values/validate.js";

/** What a schema makes of a value. */
export type Checked<T> = { success: true; data: T } | { success: false; issues: readonly StandardIssue[] };

/** A schema with Zod's two methods, which is also a Standard Schema. Members that it doesn't know are let through. */
export interface Schema<T> extends StandardSchemaV1 {
  /** The value itself, or a `VALIDATION_FAILED` with its place. */
  readonly parse: (value: unknown) => T;
  readonly safeParse: (value: unknown) => Checked<T>;
}

type Kind = "string" | "number" | "boolean" | "array" | "present" | readonly string[] | Issues;

/** What is wrong with a value at a place. */
export type Issues = (value: unknown, path: string[]) => StandardIssue[];

/** What members there are, by name; `?` at its end says that one may be missing. */
export interface Members {
  readonly [name: string]: Kind;
}

/** A schema of objects with these members. */
export function schemaOf<T>(members: Members): Schema<T> {
  return schema((value, path) => issuesOf(value, members, path));
}

/** Objects that are told apart by their `type`. */
export function anyOf(variants: { readonly [type: string]: Members }): Issues {
  return (value, path) => {
    const type = isObject(value) && Object.hasOwn(value, "type") ? value["type"] : undefined;
    if (typeof type !== "string" || !Object.hasOwn(variants, type)) return [{ message: "the type isn't known", path: [...path, "type"] }];
    return issuesOf(value, variants[type]!, path);
  };
}

export function schema<T>(issues: Issues): Schema<T> {
  const safeParse = (value: unknown): Checked<T> => {
    const found = issues(value, []);
    return found.length === 0 ? { success: true, data: value as T } : { success: false, issues: found };
  };
  const parse = (value: unknown): T => {
    const checked = safeParse(value);
    if (checked.success) return checked.data;
    const { message, path = [] } = checked.issues[0]!;
    throw new PatchwireError("VALIDATION_FAILED", message, { path: pointerOf(path as string[]) }, { cause: checked.issues });
  };
  const validate = (value: unknown) => {
    const checked = safeParse(value);
    return checked.success ? { value: checked.data } : { issues: checked.issues };
  };
  return { "~standard": { version: 1, vendor: "patchwire", validate }, parse, safeParse };
}

function issuesOf(value: unknown, members: Members, path: string[]): StandardIssue[] {
  if (!isObject(value)) return [{ message: "an object is expected", path }];
  return Object.entries(members).flatMap(([label, kind]) => {
    const name = label.replace(/\?$/, "");
    const member = ownOf(value, name);
    const place = [...path, name];
    if (member === undefined) return name === label ? [{ message: "a member is missing", path: place }] : [];
    if (kind === "present") return [];
    if (kind === "array") return Array.isArray(member) ? [] : [{ message: "an array is expected", path: place }];
    if (typeof kind === "string") return typeof member === kind ? [] : [{ message: `a ${kind} is expected`, path: place }];
    if (typeof kind === "function") return kind(member, place);
    return kind.includes(member as string) ? [] : [{ message: `one of ${kind.join(", ")} is expected`, path: place }];
  });
}
