import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// `includes` compared a number with the items of a document's list as they were, of which it hadn't read any, and answered no.

type Item = number | { id: number; text: string };

const list: Item[] = Array.from({ length: 300 }, (_, i) => (i % 2 === 1 ? i : { id: i, text: "long enough for a list that isn't read as a whole" }));
const long: Item[] = Array.from({ length: 3_000 }, (_, i) => list[i % 300]!);

test.each([["a list", list], ["a long list", long]])("%s that nobody has read includes its numbers", (_, items) => {
  const asked: [sought: number, from?: number][] = [[31], [0.5], [31, 31], [31, 32], [299, -1], [297, -2], [NaN]];
  for (const [sought, from] of asked) {
    const tracker = new StateTracker<{ items: Item[] }>(StateDocument.parse(JSON.stringify({ items })));
    tracker.update((draft) => { expect(draft.items.includes(sought, from), `${sought} from ${from}`).toBe(items.includes(sought, from)); });
  }
});
