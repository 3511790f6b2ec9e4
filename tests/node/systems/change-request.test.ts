import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  applyChangeRequest, applyPatch, changeRequestProblems, changeRequestSchema, compact, PatchwireError, revertChange, stateBefore, type ChangeRequest,
  type ChangeRequestOptions,
} from "patchwire";

// What goes beyond the cases of the original (memberjunction-cases.test.ts) and the laws (tests/laws/change_requests.rs).

function refusal(state: unknown, request: ChangeRequest | string, options?: ChangeRequestOptions<any>): { code: string; path?: string; offset?: number } {
  const before = JSON.stringify(state);
  try {
    applyChangeRequest(state, request, options);
  } catch (error) {
    expect(error).toBeInstanceOf(PatchwireError);
    expect(JSON.stringify(state)).toBe(before);
    const { code, path, offset } = error as PatchwireError;
    return { code, ...(path !== undefined && { path }), ...(offset !== undefined && { offset }) };
  }
  throw new Error("it was applied");
}

describe("malformed output of a model", () => {
  const state = { analysis: { score: 1 }, items: [{ id: 1 }] };
  const sentence = "the JSON is in a markdown code block: send the JSON alone";

  test.each([
    ["a code block", '```json\n{"newElements":{}}\n```', { code: "INVALID_JSON", offset: 0 }],
    ["a code block after a line", '\n  ```\n{}\n```', { code: "INVALID_JSON", offset: 3 }],
    ["text before", 'Here you are: {"newElements":{}}', { code: "INVALID_JSON", offset: 0 }],
    ["text after", '{"newElements":{}} I hope this helps', { code: "INVALID_JSON", offset: 19 }],
    ["cut off in a string", '{"updateElements":{"analysis":{"note":"it is', { code: "INVALID_JSON", offset: 44 }],
    ["cut off in a literal", '{"updateElements":{"a":tru', { code: "INVALID_JSON", offset: 26 }],
    ["nothing", "", { code: "INVALID_JSON", offset: 0 }],
    ["single quotes", "{'newElements':{}}", { code: "INVALID_JSON", offset: 1 }],
    ["a comma too many", '{"newElements":{},}', { code: "INVALID_JSON", offset: 18 }],
    ["the request as a string", JSON.stringify('{"newElements":{}}'), { code: "VALIDATION_FAILED" }],
    ["a part as a string", '{"updateElements":"{}"}', { code: "VALIDATION_FAILED", path: "/updateElements" }],
    ["a member that is none", '{"analysis":{"score":2}}', { code: "VALIDATION_FAILED", path: "/analysis" }],
    ["a part that comes twice", '{"updateElements":{"a":":\\"{"},"updateElements":{"b":2}}', { code: "VALIDATION_FAILED", path: "/updateElements" }],
    ["a member that comes twice", '{"newElements":{"x":[{"b/c":1,"n":2,"b/c":null}]}}', { code: "VALIDATION_FAILED", path: "/newElements/x/0/b~1c" }],
    ["reasons in a list", '{"reasoning":["a"]}', { code: "VALIDATION_FAILED", path: "/reasoning" }],
    ["a list for an object", '{"updateElements":{"analysis":[1]}}', { code: "VALIDATION_FAILED", path: "/updateElements/analysis" }],
    ["an object for a list", '{"newElements":{"items":{"id":2}}}', { code: "VALIDATION_FAILED", path: "/newElements/items" }],
    ["names for indexes", '{"updateElements":{"items":{"first":{"id":2}}}}', { code: "VALIDATION_FAILED", path: "/updateElements/items" }],
  ])("%s", (_, text, wanted) => {
    expect(refusal(state, text)).toEqual(wanted);
  });

  test("what is no request at all", () => {
    for (const request of [null, undefined, 7, [], "null", "[]"] as never[]) expect(refusal(state, request).code).toBe("VALIDATION_FAILED");
    expect(refusal(state, { newElements: { at: new Date() } })).toEqual({ code: "NOT_JSON", path: "/newElements/at" });
  });

  test("all that is wrong is told at once, without values", () => {
    expect(changeRequestProblems("```\n{}\n```")).toEqual([{ code: "INVALID_JSON", message: sentence, path: "", offset: 0 }]);
    const problems = changeRequestProblems('{"updateElements":"secret","reasoning":7,"stray":"secret"}');
    expect(problems.map(({ path }) => path)).toEqual(["/updateElements", "/reasoning", "/stray"]);
    expect(JSON.stringify(problems)).not.toContain("secret");
    expect(changeRequestProblems('{"newElements":{},"updateElements":null,"reasoning":"r"}')).toEqual([]);
    // A tool's arguments, which somebody parsed.
    expect(changeRequestProblems({ newElements: { a: 1 } })).toEqual([]);
    expect(changeRequestProblems({ updateElements: "secret" }).map(({ path }) => path)).toEqual(["/updateElements"]);
    for (const nothing of [null, 7, []]) expect(changeRequestProblems(nothing)[0]!.message).toContain("a change request is a JSON object");
    expect(() => changeRequestProblems(undefined)).toThrow(expect.objectContaining({ code: "NOT_JSON" }));
  });

  test("a request as deep as it may be", () => {
    const deep = (levels: number): string => `{"newElements":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
    expect(applyChangeRequest({}, deep(500)).applied.additions).toBe(1);
    expect(refusal({}, deep(600)).code).toBe("LIMIT_EXCEEDED");
    const state = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
    expect(applyChangeRequest(state, { updateElements: JSON.parse(`${'{"a":'.repeat(500)}2${"}".repeat(500)}`) }).applied.updates).toBe(1);
  });
});

describe("prototypes and paths", () => {
  test.each(["newElements", "updateElements", "replaceElements"])("%s", (part) => {
    for (const [state, name] of [[{}, "__proto__"], [{ a: {} }, "constructor"], [{ a: [{}] }, "__proto__"]] as const) {
      const inner = `{"${name}":{"polluted":true,"prototype":{"polluted":true}}}`;
      const text = "a" in state ? `{"${part}":{"a":${Array.isArray(state.a) ? `[${inner}]` : inner}}}` : `{"${part}":${inner}}`;
      const { result, patch } = applyChangeRequest<any>(state, text);
      expect(({} as any).polluted).toBeUndefined();
      expect(JSON.stringify(result)).toContain("polluted");
      expect(JSON.stringify(applyPatch(state, patch))).toBe(JSON.stringify(result));
    }
  });

  test("a name with slashes and dots is a name", () => {
    const state = { a: { b: 1 }, "a/b": 2, "../x": 3 };
    const { result, blocked } = applyChangeRequest<any>(state, { updateElements: { "a/b": 4, "../x": 5, a: { b: 6 } } }, { allow: ["/a~1b"] });
    expect(result).toEqual({ ...state, "a/b": 4 });
    expect(blocked.map(({ path }) => path)).toEqual(["/..~1x", "/a"]);
  });
});

describe("rights", () => {
  const state = { research: { notes: [{ text: "a", cost: 1 }], status: "new" }, total: 1 };
  const allow = ["research.*:add,update"];

  test("items, deletions and what is inside", () => {
    const request = { newElements: { research: { notes: [{ text: "b" }] } }, updateElements: { research: { notes: [{ text: "c" }] }, total: "__DELETE__" }, removeElements: { research: { status: "_DELETE_" } } };
    const { result, blocked, applied } = applyChangeRequest<any>(state, request, { allow });
    expect(result).toEqual({ ...state, research: { notes: [{ text: "c", cost: 1 }, { text: "b" }], status: "new" } });
    expect(blocked).toEqual([{ path: "/research/status", operation: "delete", reason: "operation" }, { path: "/total", operation: "delete", reason: "path" }]);
    expect(applied).toEqual({ additions: 1, updates: 1, deletions: 0 });
  });

  test("of what is added only the part that may be", () => {
    const { result, blocked } = applyChangeRequest<any>({}, { newElements: { user: { name: "Ada", token: "t" } } }, { allow: ["user.name:add"] });
    expect(result).toEqual({ user: { name: "Ada" } });
    expect(blocked).toEqual([{ path: "/user/token", operation: "add", reason: "path", to: "t" }]);
  });

  test("a misspelt right is refused", () => {
    expect(refusal(state, {}, { allow: ["research.*:write"] })).toEqual({ code: "VALIDATION_FAILED", path: "research.*:write" });
    expect(refusal(state, {}, { allow: [""] }).code).toBe("VALIDATION_FAILED");
    expect(refusal(state, {}, { view: { exclude: ["secret"] } }).code).toBe("INVALID_POINTER");
  });

  test("what a view hides can't be written, and shows in nothing", () => {
    const told = ["s1", { longer: "s2" }].map((secret) => {
      const { result, patch, record, ...rest } = applyChangeRequest<any>({ secret, open: 1 }, { updateElements: { secret: "s1", open: 2 }, removeElements: { secret: "__DELETE__" } }, { view: { exclude: ["/secret"] } });
      expect(result).toEqual({ secret, open: 2 });
      return { patch, ...rest };
    });
    expect(told[0]).toEqual(told[1]);
    expect(told[0]!.blocked.map(({ operation }) => operation)).toEqual(["delete", "update"]);
  });

  test("a scope is where the request begins", () => {
    const { patch } = applyChangeRequest<any>(state, { updateElements: { status: "done" } }, { scope: "/research" });
    expect(patch).toEqual([{ op: "replace", path: "/research/status", value: "done" }]);
    expect(refusal(state, {}, { scope: "/nowhere" })).toEqual({ code: "PATH_NOT_FOUND", path: "/nowhere" });
    expect(refusal(state, { updateElements: { notes: { x: 1 } } }, { scope: "/research" }).path).toBe("/updateElements/notes");
  });
});

describe("what the guide called future", () => {
  const schema = z.object({ n: z.number().max(9), notes: z.array(z.string()) });
  const base = { n: 1, notes: ["a"] };

  test("schema validation", () => {
    expect(applyChangeRequest(base, { updateElements: { n: 2 } }, { validate: schema }).result.n).toBe(2);
    expect(refusal(base, { updateElements: { n: 20 } }, { validate: schema })).toEqual({ code: "VALIDATION_FAILED", path: "/n" });
    expect(refusal(base, { newElements: { notes: [7] } }, { validate: schema }).path).toBe("/notes/1");
  });

  test("conflict resolution against a newer base", () => {
    const newer = { n: 5, notes: ["a", "b"] };
    const request = { updateElements: { n: 3 }, newElements: { notes: ["c"] } };
    const { result, conflicts, patch } = applyChangeRequest(newer, request, { base });
    expect(result).toEqual({ n: 3, notes: ["a", "b", "c"] });
    expect(conflicts).toEqual([{ path: "/n", strategy: "last", kept: 3, lost: 5, keptBy: 1, lostBy: 0 }]);
    expect(applyPatch(newer, patch)).toEqual(result);
    expect(applyChangeRequest(newer, request, { base, strategies: { "/n": "first" } }).result.n).toBe(5);
    expect(applyChangeRequest(newer, request, { base, strategies: { "/n": (a: number, b: number) => a * b } }).result.n).toBe(15);
    const thrown = new Error("mine");
    expect(() => applyChangeRequest(newer, request, { base, strategies: { "/n": () => { throw thrown; } } })).toThrow(thrown);
  });

  test("snapshots, compression and reverting", () => {
    const requests: ChangeRequest[] = [
      { updateElements: { n: 2 }, reasoning: "first" },
      { newElements: { notes: ["b", "c"] } },
      { removeElements: { notes: ["__DELETE__"] }, updateElements: { n: 4 } },
    ];
    const states: any[] = [base];
    const records = requests.map((request, at) => {
      const { result, record } = applyChangeRequest(states.at(-1), request, { agent: "Planner", at });
      states.push(result);
      return record;
    });
    expect(records[0]).toMatchObject({ agent: "Planner", reasoning: "first", at: 0, applied: { additions: 0, updates: 1, deletions: 0 } });
    // Records travel as JSON.
    const kept = JSON.parse(JSON.stringify(records));
    for (const index of [0, 1, 2]) expect(stateBefore(states[3], kept, index).result).toEqual(states[index]);
    const joined = compact(records.map(({ patch }) => patch), { base });
    expect(applyPatch(base, joined)).toEqual(states[3]);
    expect(joined.length).toBeLessThan(records.flatMap(({ patch }) => patch).length);
    expect(revertChange(states[3], kept, 2).result).toEqual(states[2]);
    // The one in the middle, whose items are still there though one before them is gone.
    expect(revertChange<any>(states[3], kept, 1).result.n).toBe(4);
    const first = revertChange<any>(states[3], kept, 0);
    expect(first.result.n).toBe(1);
    expect(first.conflicts).toMatchObject([{ path: "/n", kept: 1, lost: 4 }]);
    expect(revertChange<any>(states[3], kept, 0, { strategies: { "/n": "first" } }).result).toEqual(states[3]);
    for (const index of [3, -1, 0.5]) expect(() => revertChange(states[3], kept, index)).toThrow(expect.objectContaining({ code: "STALE_STATE" }));
    expect(() => stateBefore({ n: 0, notes: [] }, kept, 1)).toThrow(expect.objectContaining({ code: "STALE_STATE" }));
  });
});

describe("losses", () => {
  const state = { text: "x".repeat(1000), list: Array.from({ length: 10 }, (_, id) => ({ id })) };
  const codes = (request: ChangeRequest, options?: ChangeRequestOptions<any>) => applyChangeRequest(state, request, options).warnings.map(({ code, path }) => `${code} ${path}`);

  test("thresholds can be moved, and looking turned off", () => {
    const request = { updateElements: { text: "x".repeat(400) } };
    expect(codes(request)).toEqual([]);
    expect(codes(request, { truncation: { content: 50 } })).toEqual(["CONTENT_REDUCED /text"]);
    expect(codes({ updateElements: { text: "" } })).toEqual(["CONTENT_REDUCED /text"]);
    expect(codes({ updateElements: { text: "" } }, { truncation: false })).toEqual([]);
    expect(codes({ updateElements: { text: `${"x".repeat(990)}…` } }, { truncation: { marks: ["…"] } })).toEqual(["TRUNCATION_MARK /text"]);
    expect(refusal(state, {}, { truncation: { contents: 5 } as never }).code).toBe("VALIDATION_FAILED");
  });

  test("places are those before the request", () => {
    const items = [{ t: "y".repeat(200) }, { t: "z".repeat(200) }];
    const { warnings } = applyChangeRequest({ items }, { removeElements: { items: ["__DELETE__"] }, updateElements: { items: [{}, { t: "z" }] } });
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(["CONTENT_REDUCED /items/1/t"]);
  });

  test("what is left out or taken otherwise is told", () => {
    expect(codes({ removeElements: { text: "delete it", list: [true], nothing: "__DELETE__" } })).toEqual(["NOT_A_TOKEN /text", "NOT_A_TOKEN /list/0", "NOTHING_TO_DELETE /nothing"]);
    expect(codes({ updateElements: { text: "__delete__" } })).toEqual(["TOKEN_AS_VALUE /text", "CONTENT_REDUCED /text"]);
    expect(codes({ replaceElements: { text: "y" }, updateElements: { text: "z" } })).toEqual(["OVERRULED /text", "CONTENT_REDUCED /text"]);
    expect(codes({ newElements: { list: [{}] } })).toEqual(["EMPTY_ELEMENT /list/10"]);
    expect(codes({ updateElements: { list: { 12: 1 } } })).toEqual(["ADDED_PAST_END /list/12"]);
  });
});

test("the schema is of what may be sent", () => {
  const state = { notes: [{ text: "a", cost: 1 }], user: { name: "Ada", token: "t" }, n: 1 };
  const all: any = changeRequestSchema(undefined, { state });
  expect(Object.keys(all.properties)).toEqual(["newElements", "updateElements", "removeElements", "replaceElements", "reasoning"]);
  expect(all.properties.updateElements.properties).toEqual({ notes: { type: "array" }, user: { type: "object" }, n: {} });
  expect(all.additionalProperties).toBe(false);
  const view = { include: ["/user", "/notes/*/text"], exclude: ["/user/token"] };
  const some: any = changeRequestSchema(view, { state, allow: ["*:update"] });
  expect(Object.keys(some.properties)).toEqual(["updateElements", "reasoning"]);
  const { properties, additionalProperties } = some.properties.updateElements;
  expect(Object.keys(properties).sort()).toEqual(["notes", "user"]);
  expect(additionalProperties).toBe(false);
  expect(properties.user.properties.name).toEqual({});
  expect(JSON.stringify(properties.notes)).toContain('"text"');
  expect(JSON.stringify(properties.notes)).not.toContain('"cost"');
  // A model's tool definitions take it as it is.
  expect(JSON.stringify(changeRequestSchema({ include: [] }))).not.toContain("Elements");
  const unseen: any = changeRequestSchema({ exclude: ["/secret"] });
  expect(unseen.properties.updateElements).toMatchObject({ properties: { secret: { not: {} } }, additionalProperties: {} });
});

test("nothing that is given is written to or handed on", () => {
  const request = { newElements: { list: [{ a: 1 }] } };
  const state = { list: [{ b: 1 }] };
  const { result } = applyChangeRequest<any>(state, request);
  request.newElements.list[0]!.a = 2;
  expect(result.list).toEqual([{ b: 1 }, { a: 1 }]);
  expect(result.list[0]).not.toBe(state.list[0]);
  expect(Object.isFrozen(result.list[0])).toBe(true);
});

test("the schema of a view of five levels stays small, with rules of any depth too", () => {
  const task = { id: 1, title: "t", owner: { id: 1, name: "n", contact: { mail: "m" } }, notes: [{ id: 1, text: "a", tags: ["b"] }] };
  const phases = Array.from({ length: 3 }, (_, id) => ({ id, name: "p", tasks: Array.from({ length: 4 }, () => task) }));
  const web = Object.fromEntries(["a", "b", "c"].map((id) => [id, { id, url: "u", meta: { lang: "en", score: 1 } }]));
  const state = { project: { title: "t", phases }, research: { sources: { web, papers: web } }, budget: { lines: [{ id: 1, net: 2 }] }, keys: { api: "x" } };
  const view = { include: ["/project", "/research", "/budget/lines/*/net"], exclude: ["/project/phases/*/tasks/*/owner/contact", "/research/sources/*/*/meta/score"] };
  const allow = ["**.id:update", "**.title:add,update", "project.phases[*].tasks[*].notes.*", "research.**.meta.*:update"];
  for (const options of [{}, { state }, { allow }, { state, allow }]) {
    const schema = JSON.stringify(changeRequestSchema(view, options));
    expect(schema.length).toBeLessThan(16_000);
    for (const hidden of ["api", "total"]) expect(schema).not.toContain(`"${hidden}"`);
  }
});
