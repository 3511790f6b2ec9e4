import { expect, test } from "vitest";
import { applyPatch, diffTexts, StateDocument, StateTracker } from "patchwire";

// JSON text in a string may have half of a surrogate pair as it is, which `JSON.parse` keeps. Where the core was asked it became U+FFFD.

const patch = '[{"op":"add","path":"/b","value":"\ud800"},{"op":"add","path":"/\udc00","value":1}]';
const expected = { a: 1, b: "\ud800", "\udc00": 1 };

test("in patches, with the core and without it", () => {
  expect(applyPatch({ a: 1 }, patch)).toEqual(expected);
  expect(applyPatch({ a: 1 }, patch, { limits: {} })).toEqual(expected);
  expect(StateDocument.parse('{"a":1}').apply(patch as never).toJSON()).toEqual(expected);
  const tracker = new StateTracker<object>({ a: 1 });
  tracker.apply(patch);
  expect(tracker.getState()).toEqual(expected);
});

test("in documents, short and long", () => {
  for (const text of ["\ud800", `\ud83d${"é".repeat(100_000)}\ude00\ud83d\ude00`]) {
    expect(StateDocument.parse(`{"a":"${text}"}`).toJSON()).toEqual({ a: text });
    expect(diffTexts('{"a":""}', `{"a":"${text}"}`)).toEqual([{ op: "replace", path: "/a", value: text }]);
  }
});

test("in two texts that are compared, long ones and one of which is given as bytes", () => {
  for (const length of [10, 10_000]) {
    const text = (half: string): string => `{"a":"${"x".repeat(length)}","b":"${half}","c":"${"y".repeat(length)}"}`;
    const [before, after] = [text("\ud800"), text("\ud801")];
    expect(diffTexts(before, after)).toEqual([{ op: "replace", path: "/b", value: "\ud801" }]);
    expect(diffTexts(new TextEncoder().encode(text("")), after)).toEqual([{ op: "replace", path: "/b", value: "\ud801" }]);
    expect(diffTexts(before, before)).toEqual([]);
  }
});

test("what is no escape doesn't become one", () => {
  const of = (text: string) => () => applyPatch({}, `[{"op":"add","path":"/a","value":"${text}"}]`, { limits: {} });
  expect(of("\\\\\ud800")()).toEqual({ a: "\\\ud800" });
  expect(of("\\\ud800")).toThrow(expect.objectContaining({ code: "INVALID_JSON" }));
});

test("however many backslashes there are", () => {
  const text = `${"\\\\".repeat(100_000)}\ud800`;
  expect(StateDocument.parse(`{"a":"${text}"}`).toJSON()).toEqual({ a: `${"\\".repeat(100_000)}\ud800` });
});
