import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyChangeRequest, changeRequestProblems, changeRequestSchema, PatchwireError, type ChangeRequest, type ChangeResult } from "patchwire";
import { asked } from "../support/runs.ts";

// The schema that a model gets, read by somebody else's validator, beside what is done with what the model sends.

type Any = any;

const runs = asked(1000);

// Ajv overlooks a property called __proto__.
const name = fc.constantFrom("a", "b", "c", "0", "toString", "constructor", "$ref");
const { value } = fc.letrec<{ value: Any }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Any>(null, true, 1, "text"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  ),
}));
const state = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((members) => Object.fromEntries(members));

const place = fc.array(fc.constantFrom("a", "b", "c", "*", "$ref"), { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}`);
const view = fc.record({ include: fc.array(place, { minLength: 1, maxLength: 3 }), exclude: fc.array(place, { maxLength: 2 }) }, { requiredKeys: [] });
const rights = fc.constantFrom("", ":add", ":update", ":delete", ":add,update", ":update,delete");
const rule = fc.tuple(fc.oneof(place, fc.constantFrom("*", "a", "a.*", "*.b", "**.a", "**.b.*", "a.**.b", "**[0]", "c.**")), rights).map((parts) => parts.join(""));
const allow = fc.option(fc.array(rule, { maxLength: 3 }), { nil: undefined });

const isContainer = (one: Any): boolean => typeof one === "object" && one !== null;

/** What a request says about a value, mostly what fits; undefined for nothing. A list goes by position, with {} for nothing. */
function said(about: Any, spare: Any, choose: () => number, part: string): Any {
  const choice = choose() % 8;
  // An object put on an object is merged, and a scalar in a container's place is what the schema advises against.
  const isUnusual = isContainer(about) && !(Array.isArray(spare) && spare.length > 0);
  if (choice === 0 && part === "removeElements") return "__DELETE__";
  if (choice === 0 && !isUnusual) return spare;
  if (Array.isArray(about)) {
    if (part === "newElements") return [spare];
    const items = about.map((item) => (choose() % 2 ? undefined : said(item, spare, choose, part)));
    return items.some((item) => item !== undefined) ? items.map((item) => item ?? {}) : undefined;
  }
  if (typeof about === "object" && about !== null) {
    const members = Object.keys(about).filter(() => choose() % 2).map((key) => [key, said(about[key], spare, choose, part)] as const);
    if (choice === 2) members.push([["a", "b", "c", "new"][choose() % 4]!, part === "removeElements" ? "__DELETE__" : spare]);
    const some = members.filter(([, value]) => value !== undefined);
    return some.length > 0 ? Object.fromEntries(some) : undefined;
  }
  return part === "removeElements" ? "__DELETE__" : spare;
}

const parts = ["newElements", "updateElements", "removeElements", "replaceElements"];
// In most places {} says nothing.
const spare = value.filter((value) => JSON.stringify(value) !== "{}");
const program = fc.tuple(fc.array(fc.nat(255), { minLength: 1, maxLength: 20 }), spare, fc.nat(3), fc.nat(30));

/** One part, because two about the same place act together, which no schema tells; now and then one that no request has. */
function request(of: Any, [bytes, spare, which, stray]: readonly [number[], Any, number, number]): Any {
  let at = 0;
  const choose = () => bytes[at++ % bytes.length]!;
  const part = parts[which]!;
  const about = said(of, spare, choose, part);
  const some: [string, Any][] = about === undefined || about === null ? [] : [[part, about]];
  return Object.fromEntries(stray === 0 ? [...some, ["status", spare]] : some);
}

function applied(state: Any, sent: Any, options: object): ChangeResult<Any> | PatchwireError {
  try {
    return applyChangeRequest(state, sent as ChangeRequest, options);
  } catch (error) {
    if (!(error instanceof PatchwireError)) throw error;
    return error;
  }
}

// One for all: making the check of schemas themselves takes longer than all else.
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, allowUnionTypes: true, ownProperties: true });

function validator(schema: object) {
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return validate;
}

/** Whether an update says of some place what is there already: that isn't blocked, whatever the rights. */
function repeats(state: Any, said: Any): boolean {
  const text = JSON.stringify(said);
  if (text === JSON.stringify(state)) return text !== "{}" && said !== undefined;
  if (!isContainer(state) || !isContainer(said)) return false;
  return Object.keys(said).some((key) => Object.hasOwn(state, key) && repeats(state[key], said[key]));
}

/** What was done as it was meant: nothing left out, nothing taken for something else. */
function isAsSent(outcome: ChangeResult<Any> | PatchwireError): boolean {
  return !(outcome instanceof PatchwireError) && outcome.patch.length > 0 && outcome.blocked.length === 0 && outcome.warnings.every(({ severity }) => severity !== "low");
}

const counts = { accepted: 0, refused: 0, blocked: 0, errors: 0 };

test("the schema is valid, takes what is done as it was sent, and refuses what would be blocked", () => {
  fc.assert(
    fc.property(state, fc.option(view, { nil: undefined }), allow, program, fc.boolean(), (state, view, allow, program, isKnown) => {
      const schema = changeRequestSchema(view, { ...(isKnown && { state }), ...(allow && { allow }) });
      const validate = validator(schema);
      const sent = request(state, program);
      const outcome = applied(state, sent, { ...(view && { view }), ...(allow && { allow }), truncation: false });
      const accepts = validate(sent);
      const about = JSON.stringify({ state, view, allow, sent, schema, errors: validate.errors, outcome });
      if (accepts) {
        expect(changeRequestProblems(JSON.stringify(sent)), about).toEqual([]);
        if (outcome instanceof PatchwireError) {
          counts.errors++;
          // Inside of what is described as any object or any list.
          expect(outcome.code, about).toBe("VALIDATION_FAILED");
          if (isKnown) expect(outcome.path?.split("/").length, about).toBeGreaterThan(3);
        } else if (isKnown) expect(outcome.blocked, about).toEqual([]);
        counts.accepted++;
      } else {
        // The schema describes only members that may be replaced with all that is in them: inside of others, updates do.
        if (sent.replaceElements === undefined && !repeats(state, sent.updateElements)) expect(isAsSent(outcome), about).toBe(false);
        counts.refused++;
        if (!(outcome instanceof PatchwireError) && outcome.blocked.length > 0) counts.blocked++;
      }
    }),
    runs,
  );
  // Neither side decides everything.
  expect(Math.min(counts.accepted, counts.refused, counts.blocked)).toBeGreaterThan(runs.numRuns / 50);
});
