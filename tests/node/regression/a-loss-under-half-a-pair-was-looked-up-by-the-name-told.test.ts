import { expect, test } from "vitest";
import { mergeBranches } from "patchwire";
import { PayloadManager } from "patchwire/memberjunction";

// The core tells places as UTF-8, in which half a pair of surrogates is U+FFFD. Members were looked up by the name told, and
// what an analysis says of their values threw a TypeError: there were none.
test.each(["\ud800", "a\udc00b", "\udc00/\ud800", "\ufffd"])("a list under %j that was emptied is told", (name) => {
  const payload = { other: 1, [name]: { list: [1, 2] } };
  const { analysis, result } = new PayloadManager().applyAgentChangeRequest(payload, { replaceElements: { [name]: { list: [] } } } as object, { analyzeChanges: true });
  expect(result).toEqual({ other: 1, [name]: { list: [] } });
  expect(analysis!.warnings).toEqual([expect.objectContaining({ details: expect.objectContaining({ originalLength: 2, resultLength: 0 }) })]);
});

// A conflict of such a member said neither what was kept nor what was lost.
test.each(["\ud800", "a\udc00b", "\udc00/\ud800", "\ufffd", "constructor", "length"])("a conflict of a member named %j has both values", (name) => {
  const { conflicts } = mergeBranches({ [name]: 1 }, [{ [name]: 2 }, { [name]: 3 }]);
  expect(conflicts).toEqual([expect.objectContaining({ kept: 3, lost: 2, keptBy: 1, lostBy: 0 })]);
});
