import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Where the core was told of two recipes at once, the item that a stream is in was looked for in the state that the last one left, and
// moved along once more by it: the stream went on in another item, without a word.

const start = () => ({ items: ["a", "b", "c"].map((id) => ({ id, text: "" })) });
type State = ReturnType<typeof start>;
type Recipe = (draft: State) => void;

const moves: Record<string, Recipe> = {
  "the last one put first": (d) => void d.items.unshift(d.items.pop()!),
  "two swapped": (d) => void ([d.items[0], d.items[1]] = [d.items[1]!, d.items[0]!]),
  "one put elsewhere by splice": (d) => void d.items.splice(0, 0, ...d.items.splice(2, 1)),
  reversed: (d) => void d.items.reverse(),
};

test.each(Object.entries(moves))("after items were moved several times it goes on in its own: %s", (_, move) => {
  for (let times = 1; times <= 5; times++) {
    for (const looks of [false, true]) {
      const tracker = new StateTracker(start());
      const stream = tracker.stream("/items/1/text");
      stream.write('"hello');
      const plain = start();
      for (let i = 0; i < times; i++) {
        tracker.update(move);
        move(plain);
        if (looks) tracker.getPatchText();
      }
      stream.write(' world"');
      stream.end();
      plain.items.find(({ id }) => id === "b")!.text = "hello world";
      expect(tracker.getState()).toEqual(plain);
    }
  }
});
