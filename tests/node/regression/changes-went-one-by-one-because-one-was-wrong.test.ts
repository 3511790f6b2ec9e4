import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { Network } from "../support/network.ts";

// A message of many changes that was refused for one of them was followed by a message for each, and each was carried out anew with all
// that waited behind it: 4,000 changes, of which one was wrong, ran recipes eight million times.

interface State {
  items: number[];
  secret: number;
}

test("thousands of changes, of which few are wrong, are found by halves", async () => {
  const network = new Network<State>({ initial: { items: [], secret: 0 }, clientWrites: () => false });
  const client = network.client({ StateTracker }, ["/items"]);
  const settle = async (): Promise<void> => {
    do for (let i = 0; i < 5; i++) await Promise.resolve();
    while (network.step(() => 0));
  };
  await settle();
  const many = 4_000;
  let runs = 0;
  const outcomes: Promise<string>[] = [];
  for (let i = 0; i < many; i++) {
    const isWrong = i === 1_234 || i === 2_345;
    const made = client.update((draft) => {
      runs++;
      if (isWrong) draft.secret = 1;
      else draft.items.push(i);
    });
    outcomes.push(made.then(() => "made", (error) => error.code));
  }
  await settle();
  const found = await Promise.all(outcomes);
  expect(found.flatMap((outcome, i) => (outcome === "made" ? [] : [[i, outcome]]))).toEqual([[1_234, "FORBIDDEN_PATH"], [2_345, "FORBIDDEN_PATH"]]);
  const expected = Array.from({ length: many }, (_, i) => i).filter((i) => i !== 1_234 && i !== 2_345);
  expect([network.state.getState().items, client.getState()!.items]).toEqual([expected, expected]);
  const messages = network.lines[0]!.socket.frames.filter(({ type }) => type === "written" || type === "refused").length;
  expect(messages).toBeLessThan(100);
  expect(runs).toBeLessThan(30 * many);
});
