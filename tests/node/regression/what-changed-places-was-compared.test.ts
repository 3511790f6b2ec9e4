import { expect, test } from "vitest";
import { StateTracker, type JSONPatchOperation } from "patchwire";

// Two values that changed places were each compared with the one that was there before, though their places in memory say that both were
// moved. It took as long as they are, and lists of numbers were told as a hundred moves. What moves are held against was measured to its end.

const numbers = (length: number, from: number): { list: number[] } => ({ list: Array.from({ length }, (_, i) => from + i * 3) });
const lane = (id: string, length: number): object => ({ cards: Array.from({ length }, (_, i) => ({ text: `${id}${i}` })) });

function told<T>(state: T, recipe: (draft: any) => void): { patch: JSONPatchOperation[]; took: number } {
  const tracker = new StateTracker<any>(state, { arrayDeltaMode: "precise" });
  const took: number[] = [];
  let patch: JSONPatchOperation[] = [];
  // An odd number of times, so that the last one is as the first.
  for (let i = 0; i < 31; i++) {
    tracker.update(recipe);
    const start = performance.now();
    patch = tracker.getRFC6902Patches();
    took.push(performance.now() - start);
    tracker.resetTracking();
  }
  return { patch, took: took.sort((a, b) => a - b)[10]! };
}

test("members are replaced", () => {
  const { patch } = told({ p: { a: numbers(100, 0), b: numbers(100, 9) } }, ({ p }) => void ([p.a, p.b] = [p.b, p.a]));
  expect(patch).toEqual([{ op: "replace", path: "/p/a", value: numbers(100, 9) }, { op: "replace", path: "/p/b", value: numbers(100, 0) }]);
});

test("items are moved, however large they are", () => {
  const swap = ({ lanes }: any): void => void ([lanes[0], lanes[2]] = [lanes[2], lanes[0]]);
  const lanes = (length: number): object => ({ lanes: ["a", "b", "c"].map((id) => lane(id, length)) });
  const [small, large] = [told(lanes(40), swap), told(lanes(8_000), swap)];
  expect(large.patch.map(({ op }) => op)).toEqual(["move", "move"]);
  expect(large.took).toBeLessThan(small.took * 10 + 0.5);
});
