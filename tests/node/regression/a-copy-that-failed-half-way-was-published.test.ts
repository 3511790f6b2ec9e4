import { afterEach, expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { failAt, failNow } from "../../support/faults.ts";
import { refusal } from "../support/refusal.ts";

// A container of which much was touched is published from a copy of its own. When reading what is unread failed while that
// was made, the copy was kept as it was, and the next who asked was given a state with places in it instead of an error.

afterEach(() => failAt(Infinity));

test("a state that can't be read is refused each time", () => {
  const items = Array.from({ length: 40 }, () => ({ n: 0, log: ["x".repeat(9000)] }));
  const tracker = new StateTracker<{ items: typeof items }>(StateDocument.parse(JSON.stringify({ items })));
  tracker.update((draft) => { for (const item of draft.items) item.n = 1; });
  failNow();
  for (let i = 0; i < 3; i++) expect(refusal(() => tracker.getState()).code).toBe("ENGINE_LOST");
});
