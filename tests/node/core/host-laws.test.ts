import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StateDocument } from "patchwire";
import { DocumentHandle, TrackerCore } from "../../../pkg/dist/wasm/patchwire.js";
import { call, core, passTexts } from "../../../pkg/dist/bridge/core.js";
import { reading } from "../../../pkg/dist/bridge/engine.js";
import { Values } from "../../../pkg/dist/bridge/host.js";
import { weightOf } from "../../../pkg/dist/json/size.js";
import { asked } from "../support/runs.ts";

// What the shim answers for values that stay in JavaScript, the core knows of documents: both mean the same, at every
// boundary. And whatever is asked, in whatever order, an answer comes: what failed is kept beside it.

const runs = asked(300);

const leaf = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ maxLength: 6, unit: "binary" }), fc.constantFrom("é", "\ud83d", "\ude00\ud83d", "😀", "\"\\\n", "\u0001"), fc.boolean(), fc.constant(null));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5, withCrossShrink: true }, leaf, fc.array(tie("value"), { maxLength: 5 }), fc.dictionary(fc.constantFrom("a", "b", "c/d", "é", "__proto__", "constructor", "0", "10"), tie("value"), { maxKeys: 5, noNullPrototype: true })),
})).value;
const container = anyValue.filter((value) => typeof value === "object" && value !== null) as fc.Arbitrary<object>;

/** The same value with its members in another order, and some that are undefined. */
function reordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reordered);
  const other: object = {};
  const put = (key: string, item: unknown) => Object.defineProperty(other, key, { value: item, writable: true, enumerable: true, configurable: true });
  put("not there", undefined);
  for (const key of Object.keys(value).reverse()) put(key, reordered((value as Record<string, unknown>)[key]));
  return other;
}

/** The number of what holds the values that a host begins with. */
const ROOTS = 1;

/** A host that was asked for its first values. */
function over(values: unknown[]): Values {
  const host = Values.given(values);
  host.roots();
  return host;
}

const text = (value: unknown) => JSON.stringify(value);
const bytes = (value: unknown) => Buffer.byteLength(text(value));

describe("a value that stays in JavaScript", () => {
  test("equals another exactly if the documents of their texts are equal", () => {
    fc.assert(fc.property(container, container, fc.boolean(), (a, b, isSame) => {
      const other = isSame ? (reordered(a) as object) : b;
      const isEqual = StateDocument.parse(text(a)).diff(StateDocument.parse(text(other))).length === 0;
      expect(over([a, other]).isEqual(ROOTS, 0, ROOTS, 1)).toBe(isEqual);
      expect(over([other, a]).isEqual(ROOTS, 0, ROOTS, 1)).toBe(isEqual);
    }), runs);
  });

  test("is as long as its text", () => {
    fc.assert(fc.property(container, (value) => {
      const length = bytes(value);
      for (const most of [0, 1, length - 1, length, length + 1, length * 8]) {
        expect(over([value]).length(ROOTS, 0, most)).toBe(Math.min(length, most));
        expect(over([value, [value]]).lengths(Uint32Array.of(ROOTS, 1, ROOTS, 0), 2 * most)).toBe(Math.min(2 * length + 2, 2 * most));
      }
    }), runs);
  });

  test("nests as deep as its document", () => {
    fc.assert(fc.property(container, fc.integer({ min: 1, max: 7 }), (value, limit) => {
      let isWithin = true;
      try {
        StateDocument.parse(text(value), { depth: limit });
      } catch {
        isWithin = false;
      }
      expect(over([value]).isNestedWithin(ROOTS, 0, limit)).toBe(isWithin);
    }), runs);
  });

  test("weighs what its document does once that is built", () => {
    fc.assert(fc.property(container, (value) => {
      // Text with spaces in it doesn't stay text.
      const spaced = JSON.stringify(value, null, 1);
      const document = call(() => core().DocumentHandle.parse(...passTexts(spaced), new Float64Array())) as DocumentHandle;
      const tracker = call(() => new (core().TrackerCore as typeof TrackerCore)(document, [], new Float64Array()));
      if (spaced.length > text(value).length) expect(weightOf(value)).toBe(tracker.weight());
      tracker.free();
      document.free();
    }), runs);
  });
});

describe("a host", () => {
  const question = fc.record({
    ask: fc.constantFrom("roots", "open", "open", "open", "items", "print", "length", "lengths", "isNestedWithin", "isSame", "isEqual", "sharedRuns", "release"),
    a: fc.nat(6), at: fc.nat(3), b: fc.nat(6), otherAt: fc.nat(3), most: fc.nat(40),
  });
  /** Fails where it is read, or isn't JSON. */
  const hostile = fc.constantFrom<() => unknown>(
    () => ({ get fails() { throw new Error("mine"); } }),
    () => ({ get calls() { return StateDocument.parse("{}"); } }),
    () => new Proxy([], { get() { throw new Error("mine"); } }),
    () => new Proxy({}, { ownKeys() { throw new Error("mine"); } }),
    () => new Map(), () => undefined, () => () => 1, () => NaN, () => 1n, () => [, 1],
  );
  const part = fc.oneof(container, hostile.map((make) => make()));
  const values = fc.array(fc.oneof(container, fc.tuple(part, part), fc.record({ a: part, b: container, __proto__: part })), { minLength: 1, maxLength: 4 });

  test("answers whatever it is asked, in any order, and keeps what failed", () => {
    let failures = 0;
    fc.assert(fc.property(values, fc.array(question, { maxLength: 30 }), (given, questions) => {
      const host = over(given);
      reading.failure = null;
      for (const { ask, a, at, b, otherAt, most } of questions) {
        const hadFailed = reading.failure !== null;
        const answer: unknown = {
          roots: () => host.roots(), open: () => host.open(a, at), items: () => host.items(a, at, most), print: () => host.print(a, at),
          length: () => host.length(a, at, most), lengths: () => host.lengths(Uint32Array.of(a, at, b, otherAt), most), isNestedWithin: () => host.isNestedWithin(a, at, most), isSame: () => host.isSame(a, at, b, otherAt),
          isEqual: () => host.isEqual(a, at, b, otherAt), sharedRuns: () => host.sharedRuns(a, b), release: () => host.release(a),
        }[ask]();
        expect(reading.isOn).toBe(false);
        // What has failed isn't asked again.
        if (hadFailed && ask !== "release") expect([0, false, "null"].includes(answer as never) || (answer as Uint8Array).length === 0).toBe(true);
      }
      if (reading.failure !== null) failures++;
      reading.failure = null;
    }), runs);
    expect(failures).toBeGreaterThan(0);
  });
});
