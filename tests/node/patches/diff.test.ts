import fc from "fast-check";
import { compare } from "fast-json-patch";
import { describe, expect, test } from "vitest";
import { applyPatch, diff, diffTexts, StateDocument } from "patchwire";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

const order = (id: number) => ({
  id,
  customer: { name: `Customer ${id}`, city: ["Graz", "Linz", "Wels"][id % 3] },
  lines: Array.from({ length: 1 + (id % 4) }, (_, i) => ({ sku: `sku-${id}-${i}`, count: i + 1, price: 9.5 })),
  note: "please ring twice, and leave it at the neighbour's if nobody opens",
});
const orders = (n: number) => ({ title: "orders", orders: Array.from({ length: n }, (_, id) => order(id)), open: n });
const messages = (n: number) => Array.from({ length: n }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: `message ${i}: `.padEnd(60 + i, "words ") }));

/** What programs do to a state, as its JSON clone. */
const edits: [name: string, state: object, edit: (state: any) => void][] = [
  ["one leaf", orders(50), (s) => { s.orders[20].lines[0].count = 5; }],
  ["a few leaves", orders(50), (s) => { for (const i of [3, 9, 40]) { s.orders[i].customer.city = "Wien"; s.orders[i].lines.push({ sku: "new", count: 1, price: 1 }); } }],
  ["removal in the middle", orders(50), (s) => { s.orders.splice(10, 1); s.open--; }],
  ["insertion at the front", orders(50), (s) => { s.orders.unshift({ ...s.orders[0], id: 99 }); s.open++; }],
  ["to the front", orders(50), (s) => { s.orders.unshift(...s.orders.splice(30, 1)); }],
  ["sorted the other way", orders(20), (s) => { s.orders.reverse(); }],
  ["renamed member", orders(5), (s) => { s.name = s.title; delete s.title; }],
  ["an edit and an insertion before it, without ids", { messages: messages(20) }, (s) => { s.messages[9].text += " Edited."; s.messages.splice(2, 0, { role: "tool", text: "result" }); }],
  ["a message more", { messages: messages(20) }, (s) => { s.messages.push({ role: "user", text: "and?" }); }],
  ["the first half gone", { messages: messages(40) }, (s) => { s.messages.splice(0, 20); }],
  ["numbers", { values: Array.from({ length: 100 }, (_, i) => i % 7) }, (s) => { s.values[50] = 9; s.values.shift(); }],
  ["all numbers", { values: Array.from({ length: 100 }, (_, i) => i) }, (s) => { s.values = s.values.map((v: number) => v + 1000); }],
  ["an array for an object", { a: { b: 1 } }, (s) => { s.a = [1]; }],
];

describe("realistic edits", () => {
  test.each(edits)("%s: no longer than fast-json-patch's", (_, before, edit) => {
    const after = structuredClone(before);
    edit(after);
    const ours = diff(before, after);
    const theirs = compare(before, after);
    expect(applyPatch(before, ours)).toEqual(after);
    expect(applyPatch(before, theirs as never)).toEqual(after);
    expect(JSON.stringify(ours).length).toBeLessThanOrEqual(JSON.stringify(theirs).length);
    expect(StateDocument.parse(JSON.stringify(before)).diff(StateDocument.parse(JSON.stringify(after)))).toEqual(ours);
  });
});

test("any two values: both patches lead to the same", () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(value, value, fc.constantFrom("rfc6902", "extended"), fc.option(fc.constantFrom("a", "id"), { nil: undefined }), (before, after, dialect, key) => {
      const patch = diff(before, after, { dialect: dialect as "rfc6902", ...(key === undefined ? {} : { key }) });
      expect(applyPatch(before, patch)).toEqual(after);
      expect(JSON.stringify(patch).length).toBeLessThanOrEqual(JSON.stringify([{ op: "replace", path: "", value: after }]).length);
      expect(diff(after, after)).toEqual([]);
    }),
    asked(500),
  );
});

describe("texts", () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);

  test.each(edits)("%s: as documents parsed one by one", (_, before, edit) => {
    const after = structuredClone(before);
    edit(after);
    const [a, b] = [JSON.stringify(before), JSON.stringify(after)];
    const expected = StateDocument.parse(a).diff(StateDocument.parse(b));
    for (const [one, other] of [[a, b], [utf8(a), utf8(b)], [a, utf8(b)], [utf8(a), b]] as const) expect(diffTexts(one, other)).toEqual(expected);
    expect(StateDocument.parse(a).parseNext(b).toJSON()).toEqual(after);
  });

  test("long ones are the same in JavaScript's and in the core's encoding, wherever they differ", () => {
    const unit = fc.constantFrom("a", "é", "—", "😀", "\ud83d", "\ude00", "\n");
    const text = fc.array(unit, { maxLength: 6 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text, text, text, text, (head, old, now, tail) => {
        const around = [`${head}${"—".repeat(3_000)}`, `${"b".repeat(3_000)}${tail}`];
        const [a, b] = [old, now].map((middle) => JSON.stringify([around[0] + middle + around[1]]));
        const patch = diffTexts(a!, b!);
        expect(patch).toEqual(a === b ? [] : [{ op: "replace", path: "/0", value: JSON.parse(b!)[0] }]);
        // Half a pair that isn't escaped is what JSON.parse makes of it.
        const [raw, other] = [old, now].map((middle) => `["${(around[0] + middle + around[1]).replaceAll("\n", " ")}"]`);
        expect(diffTexts(raw!, other!)).toEqual(raw === other ? [] : [{ op: "replace", path: "/0", value: (JSON.parse(other!) as string[])[0] }]);
      }),
      asked(200),
    );
  });

  test("a second one that isn't JSON is refused as if it were parsed alone", () => {
    const before = JSON.stringify(orders(200));
    const document = StateDocument.parse(before);
    for (const at of [0, 1, 700, before.length - 1]) {
      for (const wrong of [before.slice(0, at), `${before.slice(0, at)}}${before.slice(at)}`, `${before.slice(0, at)}—"${before.slice(at + 1)}`]) {
        const { code, offset } = refusal(() => StateDocument.parse(wrong));
        expect(code).toBe("INVALID_JSON");
        for (const read of [() => document.parseNext(wrong), () => diffTexts(before, wrong), () => diffTexts(before, utf8(wrong))]) {
          expect(refusal(read)).toMatchObject({ code, offset });
        }
      }
    }
  });
});

describe("versions that share what they have in common", () => {
  const before = StateDocument.parse(JSON.stringify(orders(2_000)));

  test("tell what was done to one", () => {
    const patch = [
      { op: "replace" as const, path: "/orders/700/customer/name", value: "Other" },
      { op: "remove" as const, path: "/orders/900" },
      { op: "move" as const, from: "/orders/1500", path: "/orders/3" },
    ];
    const found = before.diff(before.apply(patch), { key: "id" });
    expect(found).toHaveLength(3);
    expect(before.apply(found).toJSON()).toEqual(before.apply(patch).toJSON());
  });

  test("and nothing of one with itself", () => {
    expect(before.diff(before)).toEqual([]);
    expect(before.diff(before.apply([]))).toEqual([]);
  });
});

describe("bad input", () => {
  test("what isn't JSON says where", () => {
    expect(refusal(() => diff({ a: [new Date(0)] }, { a: [1] }))).toMatchObject({ code: "NOT_JSON", path: "/a/0" });
    expect(refusal(() => diff({}, { a: undefined, b: [undefined] }))).toMatchObject({ code: "NOT_JSON", path: "/b/0" });
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(refusal(() => diff(1, circular))).toMatchObject({ code: "NOT_JSON", path: "/self" });
  });

  test("an option of the wrong type", () => {
    expect(refusal(() => diff([], [1], { key: 5 as never })).code).toBe("VALIDATION_FAILED");
    expect(refusal(() => diff([], [1], { limits: null as never })).code).toBe("VALIDATION_FAILED");
    const document = StateDocument.parse("[]");
    expect(refusal(() => document.diff(document, { key: {} as never })).code).toBe("VALIDATION_FAILED");
  });

  test("limits name what is over", () => {
    const error = refusal(() => diff("short", "secret".repeat(100), { limits: { string: 100 } }));
    expect(error.code).toBe("LIMIT_EXCEEDED");
    expect(error.message).not.toContain("secret");
    expect(diff([1, "-".repeat(200)], [2, "-".repeat(200), 3], { limits: { operations: 1 } })).toHaveLength(1);
  });

  test("hostile keys are members like any other", () => {
    const [before, after] = ['{"__proto__":{"a":1},"constructor":[1]}', '{"__proto__":{"a":2},"constructor":[2],"toString":null}'].map((text) => JSON.parse(text) as object);
    expect(JSON.stringify(applyPatch(before, diff(before, after)))).toBe(JSON.stringify(after));
    expect(diff(before, before, { key: "__proto__" })).toEqual([]);
  });
});
