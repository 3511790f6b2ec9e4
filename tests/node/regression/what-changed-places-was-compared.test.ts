import { expect, test } from "vitest";
import { StateTracker, type JSONPatchOperation } from "patchwire";

// Two values that changed places were each compared with the one that was there before, though their places in memory say that both were
// moved. It took as long as they are, and lists of numbers were told as a hundred moves. What moves are held against was measured to its end.

const numbers = (length: number, from: number): { list: number[] } => ({ list: Array.from({ length }, (_, i) => from + i * 3) });
const lane = (id: string, length: number): object => ({ cards: Array.from({ length }, (_, i) => ({ text: `${id}${i}` })) });

function told<T>(state: T, recipe: (draft: any) => void): JSONPatchOperation[] {
  const tracker = new StateTracker<any>(state, { arrayDeltaMode: "precise" });
  tracker.update(recipe);
  return tracker.getRFC6902Patches();
}

test("members are replaced", () => {
  const patch = told({ p: { a: numbers(100, 0), b: numbers(100, 9) } }, ({ p }) => void ([p.a, p.b] = [p.b, p.a]));
  expect(patch).toEqual([{ op: "replace", path: "/p/a", value: numbers(100, 9) }, { op: "replace", path: "/p/b", value: numbers(100, 0) }]);
});

test("items are moved, however large they are", () => {
  const swap = ({ lanes }: any): void => void ([lanes[0], lanes[2]] = [lanes[2], lanes[0]]);
  const lanes = (length: number): object => ({ lanes: ["a", "b", "c"].map((id) => lane(id, length)) });
  for (const length of [40, 8_000]) expect(told(lanes(length), swap).map(({ op }) => op)).toEqual(["move", "move"]);
});
