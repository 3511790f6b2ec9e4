import fc from "fast-check";
import { expect, test } from "vitest";
import { StateDocument, StateTracker, type JSONPatchOperation } from "patchwire";
import { json, type Json } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// Patches that come in: the plain state follows when somebody looks, and takes long values from the patch's own text.

const runs = asked(1000);
const timeout = 90_000;

/** The state of anew, as its text says. */
const read = (document: StateDocument): unknown => JSON.parse(new TextDecoder().decode(document.toBytes()));

const LONG = "long ".repeat(40);

/** JSON text of values that JavaScript and the core may read each in its own way. */
const text = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  fc.constantFrom("-0", "-0.0", "1.0", "1e2", "0.1e1", "123456789012345678", '"\\ud83d"', '"\ud83d"', '"\ufffd"', '"\\u0061\\/"', '"é—😀"', '{"a":1,"b":2,"a":{}}', '{"b":-0,"__proto__":[1]}', '{"2":0,"1":0}'),
);
const value = fc.oneof(text, text.map((text) => `[${text},"${LONG}"]`), text.map((text) => `{"x":"${LONG}","y":${text}}`), fc.constantFrom(`"${LONG}"`, `"${LONG}é—😀"`, `"${LONG}\ud83d"`));
const operation = fc.record({ kind: fc.nat(6), value });

const printed = ({ kind, value }: { kind: number; value: string }): string =>
  [
    `{"op":"add","path":"/list/-","value":${value}}`,
    `{"op":"add","path":"/list/0","value":${value}}`,
    `{"op":"replace","path":"/one","value":${value}}`,
    `{"op":"add","path":"/__proto__","value":${value}}`,
    `{"op":"test","path":"/list","value":[]},{"op":"add","path":"/list/-","value":${value}},{"op":"remove","path":"/list/0"}`,
    `{"op":"move","from":"/one","path":"/one"},{"op":"copy","from":"/one","path":"/list/-"}`,
    `{"op":"replace","path":"","value":{"list":[],"one":${value}}}`,
  ][kind]!;

/** Whether a value and what is in it is frozen. */
const isFrozen = (value: unknown): boolean => typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));

test("every state is what the document was then, whichever of them is looked at and when", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(operation, { minLength: 1, maxLength: 3 }), fc.boolean()), { minLength: 1, maxLength: 5 }), fc.boolean(), (patches, isOfDocument) => {
      const start = { list: [], one: 1, rest: [{ a: "b".repeat(5000) }] };
      const tracker = new StateTracker<Json>(isOfDocument ? (StateDocument.parse(JSON.stringify(start)) as never) : start);
      const states: [unknown, unknown][] = [];
      for (const [operations, looks] of patches) {
        const text = `[${operations.map(printed).join(",")}]`;
        const before = read(tracker.document());
        try {
          tracker.apply(text);
          if (looks) states.push([tracker.getState(), read(tracker.document())]);
        } catch {
          expect(read(tracker.document())).toEqual(before);
        }
        if (looks) expect(tracker.getState()).toEqual(read(tracker.document()));
      }
      for (const [state, then] of states.toReversed()) expect(structuredClone({ ...(state as object) })).toEqual(structuredClone({ ...(then as object) }));
      expect(tracker.getState()).toEqual(read(tracker.document()));
      expect(isFrozen(tracker.getState())).toBe(true);
    }),
    runs,
  );
}, timeout);

test("a value of the caller's stays the caller's", () => {
  const tracker = new StateTracker<{ list: unknown[] }>({ list: [] });
  const value = { text: LONG, inside: { n: 1 } };
  const patch: JSONPatchOperation[] = [{ op: "add", path: "/list/-", value }, { op: "copy", from: "/list/0", path: "/list/-" }];
  tracker.apply(patch);
  value.inside.n = 2;
  expect(tracker.getState().list).toEqual([{ text: LONG, inside: { n: 1 } }, { text: LONG, inside: { n: 1 } }]);
  expect(Object.isFrozen(value.inside)).toBe(false);
});

test("a validator sees long values before they are accepted", () => {
  const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ((value as { text: string }).text.length > 300 ? { issues: [{ message: "too long" }] } : { value }) } } as const;
  const tracker = new StateTracker({ text: "" }, { validate: schema });
  tracker.apply([{ op: "replace", path: "/text", value: LONG }]);
  expect(refusal(() => tracker.apply([{ op: "replace", path: "/text", value: LONG + LONG }])).code).toBe("VALIDATION_FAILED");
  expect(tracker.getState()).toEqual({ text: LONG });
});
