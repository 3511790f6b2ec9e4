import { HttpAgent } from "@ag-ui/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { stateEvents } from "patchwire/ag-ui";
import { json, perform, step, type Json } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";
import { marked, marksIn, shown, view } from "../support/views.ts";

// A client of AG-UI that is told a state by these events has what it may see of it, and is sent nothing else.

type Any = any;

/** What the client has after a run. */
async function told(events: object[]): Promise<unknown> {
  const all = [{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ...events, { type: "RUN_FINISHED", threadId: "t", runId: "r" }];
  const body = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const agent = new HttpAgent({ url: "https://example.com/agent", fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }) });
  await agent.runAgent({});
  return agent.state;
}

test("an AG-UI client has what a view shows of the state", async () => {
  await fc.assert(
    // Its library refuses patches at a member of the name __proto__.
    fc.asyncProperty(json.filter((value) => typeof value === "object" && value !== null), fc.option(view, { nil: undefined }), fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), async (initial, view, changes) => {
      let count = 0;
      const mark = (): string => `mark ${count++}!`;
      const tracker = new StateTracker<Any>(marked(initial, mark));
      const next = stateEvents(tracker, { view });
      const events: object[] = [next()!];
      const seen = new Set<string>();
      for (const steps of [[], ...changes]) {
        const fresh = steps.map((one) => ({ ...one, value: marked(one.value, mark) }));
        tracker.update((draft: Any) => fresh.forEach((one) => perform(draft as Json, one)));
        const event = next();
        if (event !== undefined) events.push(event);
        marksIn(JSON.stringify(shown(tracker.getState(), view ?? {}))).forEach((each) => seen.add(each));
        expect(next()).toBe(undefined);
      }
      const text = JSON.stringify(events);
      fc.pre(!text.includes("__proto__"));
      expect(marksIn(text).filter((each) => !seen.has(each))).toEqual([]);
      expect(await told(events)).toEqual(shown(tracker.getState(), view ?? {}));
    }),
    asked(150),
  );
}, 90_000);

test("a client that has nothing yet tells nothing, and what has no state or is no view is refused", () => {
  let state: unknown;
  const next = stateEvents({ getState: () => state });
  expect(next()).toBe(undefined);
  state = { n: 1 };
  expect([next(), next()]).toEqual([{ type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, undefined]);
  state = { n: 2, at: new Date() };
  expect(refusal(next).code).toBe("NOT_JSON");
  state = { n: 3 };
  // What was refused was never sent.
  expect(next()).toEqual({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 3 }] });
  expect(refusal(() => stateEvents({ n: 1 } as never)).code).toBe("VALIDATION_FAILED");
  expect(refusal(() => stateEvents({ getState: () => 1 }, { view: { hidden: [] } as never })).code).toBe("VALIDATION_FAILED");
  expect(refusal(() => stateEvents({ getState: () => 1 }, { exclude: ["/a"] } as never)).message).toContain("no option exclude");
});

test("a state with limits of its own is told by them, and a view that is changed later changes nothing", () => {
  const limits = { depth: 1_000 };
  // Long enough for the rest to be told by itself.
  const rest = "x".repeat(200);
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const tracker = new StateTracker<Any>({ a: 1, keys: "secret", rest }, { limits });
  const view = { exclude: ["/keys"] };
  const next = stateEvents(tracker, { view, limits });
  expect(next()).toEqual({ type: "STATE_SNAPSHOT", snapshot: { a: 1, rest } });
  view.exclude.length = 0;
  tracker.update((draft: Any) => void ((draft.a = nested(700)), (draft.keys = "another secret")));
  expect(next()).toEqual({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: nested(700) }] });
  expect(stateEvents(tracker, { view: { exclude: ["/keys"] }, limits })()).toEqual({ type: "STATE_SNAPSHOT", snapshot: { a: nested(700), rest } });
});
