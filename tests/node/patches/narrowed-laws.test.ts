import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, diff, diffTexts, PatchwireError, type Dialect } from "patchwire";
import { asked } from "../support/runs.ts";

// What two values have in common is left out before the core is asked, unless limits are given: then it is asked about all.

const runs = asked(2000);
const ASKED = { limits: {} };

const names = ["a", "b", "id", "key", "0", "1", "-", "__proto__", "a name that is long", "a/b~c/d/e/f", "", "é", "\ud83d"];
const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 3, unit: "binary" }),
  fc.constantFrom("x".repeat(40), "x".repeat(60), "y".repeat(60), ""),
  fc.boolean(),
  fc.constant(null),
);
/** Rows without ids, of which some member may tell them apart all the same. */
const unnamed = fc.record(
  { title: fc.oneof(fc.string({ maxLength: 3 }), fc.nat(30), fc.string({ maxLength: 40 })), text: fc.string({ maxLength: 12 }), done: fc.boolean(), value: fc.double({ noNaN: true, noDefaultInfinity: true }), tags: fc.array(fc.nat(3), { maxLength: 3 }) },
  { requiredKeys: ["title"] },
);
const anyState = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie("array"), tie("object"), tie("object")),
  array: fc.oneof(
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.record({ id: fc.integer({ min: 0, max: 9 }), text: fc.string({ maxLength: 12 }), done: fc.boolean() }), { maxLength: 12 }),
    fc.uniqueArray(fc.record({ id: fc.nat(99), text: fc.string({ maxLength: 12 }), done: fc.boolean(), more: tie("value") }, { requiredKeys: ["id", "text"] }), { selector: ({ id }) => id, maxLength: 12 }),
    fc.array(unnamed, { maxLength: 12 }),
    fc.uniqueArray(unnamed, { selector: ({ title }) => title, maxLength: 24 }),
    fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 }),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 5, noNullPrototype: true }),
}));

type Container = Record<string, unknown>;

/** A place in the value, and another one that takes part where values change places. */
type Edit = { at: number[]; with: number[]; kind: "set" | "each" | "grow" | "remove" | "insert" | "swap" | "copy" | "same"; value: unknown };

function containerAt(state: unknown, choices: readonly number[]): Container | undefined {
  let at = state;
  for (const choice of choices) {
    const inner = typeof at === "object" && at !== null ? Object.values(at).filter((value) => typeof value === "object" && value !== null) : [];
    if (inner.length === 0) break;
    at = inner[choice % inner.length];
  }
  return typeof at === "object" && at !== null ? (at as Container) : undefined;
}

function put(container: Container, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The value with edits; where they are all of kinds that keep identities, what wasn't edited is shared. */
function edited(state: unknown, edits: readonly Edit[]): unknown {
  const whole = { root: structuredClone(state) };
  for (const { at, with: other, kind, value: given } of edits) {
    const value = structuredClone(given);
    const [one, two] = [containerAt(whole, at), containerAt(whole, other)];
    if (one === undefined || two === undefined) continue;
    const [key, otherKey] = [Object.keys(one)[at.length % Math.max(1, Object.keys(one).length)], Object.keys(two)[other.length % Math.max(1, Object.keys(two).length)]];
    if (kind === "insert") Array.isArray(one) ? one.splice(at[0]! % (one.length + 1), 0, value) : put(one, names[at[0]! % names.length]!, value);
    if (key === undefined) continue;
    if (kind === "set") put(one, key, value);
    const rows = Object.values(one).filter((row) => typeof row === "object" && row !== null) as Container[];
    if (kind === "each") rows.filter((_, i) => i % (1 + (at[0]! % 4)) === 0).forEach((row) => put(row, ["text", "done", "more", "id"][other[0]! % 4]!, at.length > 3 ? value : other.length));
    if (kind === "grow") put(one, key, typeof one[key] === "string" ? `${one[key]}${"z".repeat(at[0]!)}` : value);
    if (kind === "remove") Array.isArray(one) ? one.splice(Number(key), 1) : delete one[key];
    if (otherKey === undefined) continue;
    const [mine, theirs] = [structuredClone(one[key]), structuredClone(two[otherKey])];
    if (kind === "copy") put(one, key, theirs);
    if (kind === "swap") {
      put(one, key, theirs);
      if (containerAt(whole, other) === two && Object.hasOwn(two, otherKey)) put(two, otherKey, mine);
    }
  }
  return whole.root === undefined ? null : whole.root;
}

/** As much as is equal is the very same. */
function sharing(before: unknown, after: unknown, every: number): unknown {
  let count = 0;
  const share = (old: unknown, now: unknown): unknown => {
    if (typeof old !== "object" || old === null || typeof now !== "object" || now === null) return now;
    if (JSON.stringify(old) === JSON.stringify(now) && count++ % every === 0) return old;
    for (const name of Object.keys(now)) if (Object.hasOwn(old, name)) put(now as Container, name, share((old as Container)[name], (now as Container)[name]));
    return now;
  };
  return share(before, after);
}

const choices = fc.array(fc.nat(60), { minLength: 1, maxLength: 5 });
const edit = fc.record({ at: choices, with: choices, kind: fc.constantFrom<Edit["kind"]>("set", "set", "each", "each", "grow", "remove", "insert", "swap", "copy"), value: anyState.value });
const cases = fc.tuple(anyState.value, fc.array(edit, { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), fc.boolean()).map(([before, edits, every, isShared]) => {
  const after = edited(before, edits);
  return [before, isShared ? sharing(before, after, every) : after] as const;
});

/** How it was refused, if it was. */
function outcome(run: () => unknown): unknown {
  try {
    return void run();
  } catch (error) {
    const { code, message, path } = error as PatchwireError;
    return { code, message, path };
  }
}

const titled = fc.record({ title: fc.nat(30) });

/** Lists of which rows have another member than before, and some in a row what the next one had, but their title. */
const member = fc.constantFrom("text", "text", "done", "value", "more", "more", "tags", "title");
const edition = fc.record({ member, value: fc.oneof(leaf, fc.constantFrom("z".repeat(30), "z".repeat(50))), kind: fc.constantFrom("keep", "set", "set", "drop") });
const lists = fc.record({ rows: fc.array(fc.oneof(unnamed, titled, titled, titled), { minLength: 2, maxLength: 20, size: "medium" }), editions: fc.array(fc.array(edition, { maxLength: 2 }), { minLength: 2, maxLength: 10 }), areDistinct: fc.boolean(), areEdited: fc.boolean(), from: fc.nat(20), shifted: fc.nat(6) }).map(({ rows, editions, areDistinct, areEdited, from, shifted }) => {
  const before = rows.map((row, i) => ({ ...row, title: areDistinct ? `${row.title}${i}` : i % 5, body: String.fromCharCode(97 + i).repeat(60) })) as Container[];
  const after = before.map((row, i) => {
    const now = i >= from && i < from + shifted ? { ...before[(i + 1) % before.length], title: row["title"] } : { ...row };
    for (const { member, value, kind } of areEdited ? editions[i % editions.length]! : []) {
      if (kind === "set") now[member] = value;
      if (kind === "drop") delete now[member];
    }
    return now;
  });
  return [before, structuredClone(after)] as const;
});

/** An object of which nearly all differs, and beside that what stays, as long as decides whether it is told as a whole. */
const scalar = fc.oneof(fc.integer({ min: -200, max: 2_000 }), fc.boolean(), fc.constant(null), fc.constantFrom("was", "is", "\n", "é\"", ""), fc.double({ noNaN: true, noDefaultInfinity: true }));
const members = fc.dictionary(fc.constantFrom("state", "at", "a/b", "é", "list", "done"), fc.tuple(scalar, scalar), { minKeys: 1, maxKeys: 6, noNullPrototype: true });
const stays = fc.oneof(scalar, fc.constantFrom<unknown>([], {}, [[]], [1, [false]], { a: {} }, { é: [null, ""] }));
const statuses = fc.record({ members, stays, path: fc.constantFrom<readonly string[]>([], ["run"], ["run", "b/c"], ["é"]), isNew: fc.boolean() });

/** One of the two, so deep, beside a text that stays. */
function around(inner: Container, path: readonly string[], beside: string): unknown {
  return path.reduceRight<unknown>((value, name) => ({ [name]: value, beside }), inner);
}

describe("what differs alone, and the whole of two values", () => {
  test.each<[string, { dialect?: Dialect; key?: string }]>([
    ["of RFC 6902", {}],
    ["extended", { dialect: "extended" }],
    ["by a key", { key: "id" }],
  ])("lead to the same patch, %s", (_, options) => {
    fc.assert(fc.property(fc.oneof(cases, lists), ([before, after]) => {
      const kept = structuredClone([before, after]);
      const patch = diff(before, after, options);
      // Short values are compared by their texts, where the core opens what repeats in another order.
      const known = [diff(before, after, { ...options, ...ASKED }), diffTexts(JSON.stringify(before), JSON.stringify(after), options)];
      // Of moves it tries some, and beside fewer other changes it may come upon shorter ones.
      const isShorter = known.every((one) => JSON.stringify(patch).length < JSON.stringify(one).length);
      if (!isShorter) expect(known).toContainEqual(patch);
      expect([before, after]).toEqual(kept);
      expect(diff(applyPatch(before, patch), after)).toEqual([]);
    }), runs);
  });

  test.each<[string, unknown, unknown]>([
    ["whose place as a member takes more text than as the only item", { a: 0, b: { "a/b~c/d/e/f": [{ id: 0, text: "" }] } }, { a: 0, b: { "a/b~c/d/e/f": [{}] } }],
    ["beside another that is replaced as a whole", { a: 1, b: { n: 1, m: 2 }, c: 3 }, { a: 2, b: { n: 2, m: 3 }, c: 3 }],
    ["named __proto__", JSON.parse('{"a":"","__proto__":{}}'), { a: "" }],
    ["that was taken out at the front", { l: Array.from({ length: 50 }, (_, n) => ({ n })) }, { l: Array.from({ length: 49 }, (_, n) => ({ n: n + 1 })) }],
    ["of rows that have names, in each", [1, 2, 3].map((id) => ({ id, n: 1, text: "a text that is long enough" })), [1, 2, 3].map((id) => ({ id, n: 2, text: "a text that is long enough" }))],
  ])("lead to the same patch of a value %s", (_, before, after) => {
    expect(diff(before, after)).toEqual(diff(before, after, ASKED));
  });

  test("are refused alike", () => {
    // Nobody looks into one object that is in both.
    const bad = fc.constantFrom(...[() => NaN, () => Infinity, () => undefined, () => 1n, () => Symbol("s"), () => () => 1, () => new Date(0), () => new Map(), () => ({ [Symbol("s")]: 1 }), () => [, 1]]);
    fc.assert(fc.property(cases, choices, choices, bad, fc.boolean(), ([before, after], at, other, make, isInBoth) => {
      const [old, now] = [{ root: structuredClone(before) }, { root: structuredClone(after) }];
      const place = (state: object, where: number[]): void => {
        const container = containerAt(state, where)!;
        const keys = Object.keys(container);
        if (keys.length > 0) put(container, keys[where.length % keys.length]!, make());
      };
      place(now, at);
      if (isInBoth) place(old, other);
      const [known, found] = [outcome(() => diff(old, now, ASKED)), outcome(() => diff(old, now))];
      // Of two places either may be told, and what an item held that was removed may have been looked at or not.
      const codes = [undefined, (known as PatchwireError | undefined)?.code];
      if (isInBoth) expect(codes).toContain((found as PatchwireError | undefined)?.code);
      else expect(found).toEqual(known);
    }), runs);
  });

  test("are refused where they contain themselves, on every way", () => {
    const winding = () => {
      const value: Container = { n: 1 };
      return Object.assign(value, { x: value, y: [value, { value }] });
    };
    expect(outcome(() => diff(winding(), winding()))).toMatchObject({ code: "NOT_JSON" });
    expect(outcome(() => diff({ a: 1, b: winding() }, { a: 1, b: winding() }))).toMatchObject({ code: "NOT_JSON" });
  });

  test("are told as a whole from the same byte on", () => {
    fc.assert(fc.property(statuses, fc.nat(200), ({ members, stays, path, isNew }, outside) => {
      const [before, after] = [0, 1].map((i) => Object.fromEntries(Object.entries(members).map(([name, values]) => [name, values[i]])));
      if (isNew) delete before![Object.keys(members)[0]!];
      // The lengths from which on one or the other is shorter lie side by side.
      for (let length = 0; length < 330; length++) {
        const [old, now] = [before!, after!].map((inner) => around({ ...inner, stays, kept: "k".repeat(length) }, path, "o".repeat(outside)));
        expect(diff(old, now)).toEqual(diff(old, now, ASKED));
      }
    }), { ...runs, numRuns: Math.ceil(runs.numRuns! / 20) });
  });

  test("tell a list of scalars as a whole from the same item on", () => {
    const some = fc.oneof(fc.nat(9), fc.nat(99), fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), fc.string({ maxLength: 6, unit: "binary" }), fc.constantFrom("w".repeat(45), "w".repeat(46), "x".repeat(30), `${"x".repeat(30)} more than that`, true, null));
    const list = fc.array(some, { maxLength: 24, size: "max" });
    const kinds = fc.constantFrom("keep", "keep", "set", "drop", "swap");
    const edits = fc.array(fc.tuple(kinds, some), { minLength: 24, maxLength: 24 });
    fc.assert(fc.property(list, edits, list, fc.nat(24), fc.boolean(), fc.constantFrom<Dialect>("rfc6902", "extended"), (before, edits, more, kept, isRoot, dialect) => {
      // The lengths from which on one or the other is shorter lie side by side.
      for (let differ = 0; differ <= before.length; differ++) {
        const after: unknown[] = [];
        before.forEach((item, i) => {
          const [kind, value] = i < differ ? edits[i]! : ["keep", null];
          if (kind === "swap") after.unshift(item);
          else if (kind !== "drop") after.push(kind === "keep" ? item : value);
        });
        after.push(...more.slice(0, differ % 4));
        const [old, now] = [before, after].map((list) => (isRoot ? list : { a: { list, kept: "k".repeat(kept) } }));
        const known = [diff(old, now, { dialect, ...ASKED }), diffTexts(JSON.stringify(old), JSON.stringify(now), { dialect })];
        const patch = diff(old, now, { dialect });
        // Of equal items either may be the one that is told.
        const lengths = known.map((one) => JSON.stringify(one).length);
        const isShorter = lengths.every((length) => JSON.stringify(patch).length < length);
        if (!isShorter) expect(lengths).toContain(JSON.stringify(patch).length);
        expect(applyPatch(old, patch)).toEqual(now);
      }
    }), { ...runs, numRuns: Math.ceil(runs.numRuns! / 4) });
  });

  test("tell lists of which little is left as a whole from the same scalar on", () => {
    const some = fc.oneof(fc.nat(9), fc.nat(9_999), fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), fc.string({ maxLength: 6, unit: "binary" }), fc.constantFrom("w".repeat(30), "x".repeat(60), `${"x".repeat(60)} more than that`, true, null));
    const item = fc.oneof(
      fc.array(some, { maxLength: 6 }),
      fc.tuple(some, fc.array(fc.array(some, { maxLength: 3 }), { maxLength: 2 })),
      fc.record({ x: some, "a longer name": some, "a/b~é": fc.array(some, { maxLength: 3 }) }, { requiredKeys: ["x"] }),
      fc.record({ id: fc.nat(20), name: some, inner: fc.record({ y: some }) }, { requiredKeys: ["id", "name"] }),
      some,
    );
    const list = fc.array(item, { minLength: 1, maxLength: 14, size: "max" });
    fc.assert(fc.property(list, list, fc.infiniteStream(some), fc.nat(10), fc.nat(13), fc.constantFrom("root", "member", "two", "exchanged"), fc.constantFrom<Dialect>("rfc6902", "extended"), (was, other, stream, every, kept, kind, dialect) => {
      // Of all scalars, but some, another one; with it some items stay as they are.
      let count = 0;
      const changed = (value: unknown): unknown => {
        if (typeof value !== "object" || value === null) return count++ % (every + 1) < every ? stream.next().value : value;
        if (Array.isArray(value)) return value.map(changed);
        return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, changed(inside)]));
      };
      const is = was.map((value, i) => (i === kept ? structuredClone(value) : changed(value)));
      const [old, now] = ((): [unknown, unknown] => {
        if (kind === "root") return [was, is];
        if (kind === "member") return [{ a: { list: was } }, { a: { list: is } }];
        return kind === "two" ? [{ was, other }, { was: is, other: other.map(changed) }] : [{ was, other, n: [was] }, { was: other.map(changed), other: is, n: [is] }];
      })();
      const known = [diff(old, now, { dialect, ...ASKED }), diffTexts(JSON.stringify(old), JSON.stringify(now), { dialect })];
      const patch = diff(old, now, { dialect });
      const lengths = known.map((one) => JSON.stringify(one).length);
      if (lengths.every((length) => length <= JSON.stringify(patch).length)) expect(lengths).toContain(JSON.stringify(patch).length);
      expect(applyPatch(old, patch)).toEqual(now);
    }), { ...runs, numRuns: runs.numRuns! * 2 });
  });

  test("find what left a list of scalars, and is a member now", () => {
    const few = fc.oneof(fc.nat(3), fc.constantFrom("a", "a long text ".repeat(6), `${"a long text ".repeat(6)}and more`, null, true));
    const some = fc.dictionary(fc.constantFrom("a", "b", "c"), few, { maxKeys: 3, noNullPrototype: true });
    const lists = fc.record({ list: fc.array(few, { minLength: 1, maxLength: 5 }), inside: some, beside: some });
    const edits = fc.array(fc.tuple(fc.nat(20), few), { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(lists, edits, fc.nat(200), fc.constantFrom<Dialect>("rfc6902", "extended"), (before, edits, kept, dialect) => {
      const after = structuredClone(before) as { list: unknown[]; inside: Container; beside: Container };
      for (const [at, value] of edits) {
        if (at < 8) after.list[at % after.list.length] = value;
        else Object.assign(at < 14 ? after.inside : after.beside, { [["a", "b", "c"][at % 3]!]: value });
      }
      const [old, now] = [before, after].map((value) => ({ ...value, kept: "k".repeat(kept) }));
      const known = [diff(old, now, { dialect, ...ASKED }), diffTexts(JSON.stringify(old), JSON.stringify(now), { dialect })];
      const found = diff(old, now, { dialect });
      // The core moves a scalar, and tells all of the state where that and the rest are longer; the rest without the move may be shorter.
      const isShorter = known.every((one) => JSON.stringify(found).length < JSON.stringify(one).length);
      if (!isShorter) expect(known).toContainEqual(found);
      expect(applyPatch(old, found)).toEqual(now);
    }), { ...runs, numRuns: runs.numRuns! * 4 });
  });
});
