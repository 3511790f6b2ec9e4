import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { failAt, failNow } from "../../support/faults.ts";
import { asked } from "../support/runs.ts";

// A tracker knows about how long its state may be by now, and asks how long it is only where that is near a limit. Whatever it was told, by
// whatever way, and whatever was asked or lost in between: what it has is within its limits.

type Any = any;

const LIMITS = { document: 3_000, string: 1_500, depth: 12 };

/** Texts of one, two and three bytes a character. */
const text = fc.tuple(fc.constantFrom("x", "é", "€"), fc.nat(900)).map(([letter, length]) => letter.repeat(length));
const name = fc.constantFrom("a", "b", "c");

const nested = (depth: number, value: Any): Any => (depth === 0 ? value : nested(depth - 1, depth % 2 === 0 ? [value] : { in: value }));

const act = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), name, text }),
  fc.record({ kind: fc.constant("grow" as const), name, text, more: fc.nat(40) }),
  fc.record({ kind: fc.constant("push" as const), text }),
  fc.record({ kind: fc.constant("nest" as const), name, text, depth: fc.nat(11) }),
  fc.record({ kind: fc.constant("deeper" as const), name, depth: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant("append" as const), text }),
  fc.record({ kind: fc.constant("stream" as const), text }),
  fc.record({ kind: fc.constant("apply" as const), name, text }),
  fc.record({ kind: fc.constant("drop" as const), name }),
  fc.record({ kind: fc.constantFrom("undo" as const, "ask" as const, "document" as const, "reset" as const, "lose" as const) }),
);

function perform(tracker: StateTracker<Any>, one: Any): void {
  const put = (value: Any): void => tracker.update((draft) => void (draft[one.name] = value));
  if (one.kind === "set") put(one.text);
  // A little longer, and maybe of other letters, which have up to three times as many bytes.
  else if (one.kind === "grow") tracker.update((draft) => void (draft[one.name] = String(draft[one.name] ?? "").replaceAll(/./gu, one.text[0] ?? "$&") + one.text.slice(0, one.more)));
  else if (one.kind === "push") tracker.update((draft) => void draft.list.push(one.text));
  else if (one.kind === "nest") put(nested(one.depth, one.text));
  else if (one.kind === "deeper") tracker.update((draft) => void (draft[one.name] = nested(one.depth, draft[one.name] ?? 0)));
  else if (one.kind === "append") tracker.append("/text", one.text);
  else if (one.kind === "stream") {
    const stream = tracker.stream("/streamed");
    for (const piece of JSON.stringify([one.text]).match(/.{1,200}/gu)!) stream.write(piece);
    stream.end();
  } else if (one.kind === "apply") tracker.apply([{ op: "add", path: `/${one.name}`, value: one.text }]);
  else if (one.kind === "drop") tracker.update((draft) => void delete draft[one.name]);
  else if (one.kind === "undo") tracker.undo();
  else if (one.kind === "ask") tracker.getStepWrites();
  else if (one.kind === "document") tracker.document().free();
  else if (one.kind === "reset") tracker.resetTracking();
  else failNow();
}

const depthOf = (value: Any): number => (typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0);
const longest = (value: Any): number => (typeof value === "string" ? Buffer.byteLength(value) : typeof value === "object" ? Math.max(0, ...Object.values(value).map(longest)) : 0);

beforeEach(() => failAt(Infinity));

test("a state is within its limits", () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 4, maxLength: 24 }), fc.boolean(), fc.boolean(), (acts, ofDocument, hasRule) => {
      const initial = { list: [], text: "", streamed: [] };
      const document = ofDocument ? StateDocument.parse(JSON.stringify(initial), LIMITS) : undefined;
      const options = { limits: LIMITS, ...(hasRule && { validate: () => {} }) };
      const tracker = new StateTracker<Any>(document ?? initial, options);
      tracker.getState();
      for (const one of acts) {
        try {
          perform(tracker, one);
        } catch (error) {
          expect(["LIMIT_EXCEEDED", "ENGINE_LOST"]).toContain((error as { code: string }).code);
        }
        const state = tracker.getState();
        expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(LIMITS.document);
        expect(depthOf(state)).toBeLessThanOrEqual(LIMITS.depth);
        expect(longest(state)).toBeLessThanOrEqual(LIMITS.string);
      }
      failAt(Infinity);
      expect(tracker.document().toJSON()).toEqual(tracker.getState());
    }),
    asked(400),
  );
});
