// Calls of tools that run at once, in a storage that fails at one statement, at each in turn: what each call did is there as a
// whole or not at all, its result says which, and what was committed before stays.
import { expect } from "vitest";
import { DurableStateStore } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { begun, initial, stateOf, type Notes } from "./contract.ts";
import { Fault } from "./faults.ts";
import { snapshot, type Tabled } from "./tables.ts";

const CALLS = [0, 1, 2];

/** The first two write to a place that only one of them may write to. */
const options = { strategies: { "/title": "exclusive" } } as const;

/** Longer than a row of staging. */
const text = (call: number): string => `of ${call}`.padEnd(call === 2 ? 300_001 : 0, "-");

/** Whether what a call did is in a state, which has to have all of it or nothing. */
function has({ notes, count, title }: Notes, call: number): boolean {
  const isNoted = notes.includes(text(call));
  expect(Math.floor((count - initial().count) / 10 ** call) % 10, `what call ${call} counted`).toBe(isNoted ? 1 : 0);
  if (call < 2) expect(title === `by ${call}`, `the title of call ${call}`).toBe(isNoted);
  return isNoted;
}

const refusal = { message: "the storage failed" };

/** Runs calls with a fault at each statement in turn; says how many there are. */
export async function tryParallel(tabled: Tabled, promote: boolean): Promise<number> {
  const fault = new Fault();
  const { place, reopened } = backend(tabled.storage, (storage) => fault.around(storage));
  await begun(place, options);
  const { restore } = snapshot(tabled);
  for (let at = 1; ; at++) {
    const store = new DurableStateStore(reopened(), options);
    await stateOf(store);
    let ran: number[] = [];
    const run = () =>
      store.parallel<Notes>("s", "step", CALLS.map((call) => ({
        toolCallId: String(call),
        async run(tool) {
          ran.push(call);
          tool.update((draft) => void draft.notes.push(text(call)));
          await undefined;
          tool.increment("/count", 10 ** call);
          if (call < 2) tool.update((draft) => void (draft.title = `by ${call}`));
          return call;
        },
      })), { promote });
    const present = async (one: DurableStateStore): Promise<Notes> => (await stateOf(one)).customState;
    const staged = async (): Promise<number[]> => ((await store.getStaged("s", "step")) ?? []).map(({ toolCallId }) => Number(toolCallId));

    fault.arm(at);
    const ended = await run().catch((error: unknown) => ({ error }));
    const wasHit = fault.disarm();
    const known = new DurableStateStore(reopened(), options);
    const there = await present(known);
    expect(await present(store)).toEqual(there);
    expect(await known.getStaged("s", "step")).toEqual(await store.getStaged("s", "step"));
    if ("error" in ended) {
      expect(ended.error).toMatchObject(refusal);
      expect(there).toEqual(initial());
      // Who resumes the step runs what isn't staged, and nothing twice.
      const before = await staged();
      ran = [];
      await run();
      expect(ran).toEqual(CALLS.filter((call) => !before.includes(call)));
    } else {
      const done = promote ? CALLS.filter((call) => has(there, call)) : await staged();
      if (promote) expect(await staged()).toEqual([]);
      else expect(there).toEqual(initial());
      // The fault was one call's, or came after the commit, when what is stored is looked at once more. Of two that would write the
      // title one is refused.
      const failed = ended.results.findIndex((result) => result.status === "rejected" && result.reason.code !== "CONFLICT");
      if (!promote) expect(failed !== -1).toBe(wasHit);
      const expected = CALLS.map((call) => {
        if (call === failed) return { status: "rejected", reason: expect.objectContaining(refusal) };
        const isRefused = call === 1 && failed !== 0;
        return isRefused ? { status: "rejected", reason: expect.objectContaining({ code: "CONFLICT", path: "/title" }) } : { status: "fulfilled", value: call };
      });
      expect(ended.results).toEqual(expected);
      expect(done).toEqual(CALLS.filter((call) => expected[call]!.status === "fulfilled"));
    }
    if (!promote) await store.promoteStaging("s", "step");
    const after = await present(new DurableStateStore(reopened(), options));
    expect(await present(store)).toEqual(after);
    CALLS.forEach((call) => void has(after, call));
    if (!wasHit) return at - 1;
    restore();
  }
}
