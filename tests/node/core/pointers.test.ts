import fc from "fast-check";
import { expect, test } from "vitest";
import { StateDocument } from "patchwire";
import { namesIn } from "../../../pkg/dist/json/pointer.js";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// Pointers into what lies in JavaScript are read there: as the core reads those into documents.

const parts = fc.constantFrom("/", "~", "~0", "~1", "0", "1", "a", "é", "\ud83d\ude00", "\ud800", "__proto__", "");
const pointers = fc.array(parts, { maxLength: 12 }).map((all) => all.join(""));

test("what one refuses the other refuses, and both lead to the same place", () => {
  const check = (pointer: string): void => {
    let names: string[];
    try {
      names = namesIn(pointer);
    } catch {
      const [ours, core] = [refusal(() => namesIn(pointer)), refusal(() => StateDocument.parse("{}").get(pointer))];
      // In the core's texts half a pair of surrogates is three bytes that aren't UTF-8.
      const shown = ({ message }: { message: string }): string => message.replace(/\ufffd{3}|\p{Surrogate}/gu, "?");
      expect([ours.code, shown(ours)]).toEqual([core.code, shown(core)]);
      return;
    }
    const value = names.reduceRight<unknown>((inside, name) => Object.fromEntries([[name, inside]]), 1);
    expect(StateDocument.parse(JSON.stringify(value)).get(pointer)).toBe(1);
  };
  for (const pointer of ["", "/", "//", "a", "/~", "/~2", "/~01", `${"/a".repeat(300)}~`]) check(pointer);
  // How many names there may be is a limit of documents: whoever only reads plain values has none.
  expect(namesIn("/a".repeat(1_025))).toHaveLength(1_025);
  fc.assert(fc.property(pointers, check), asked(2_000));
});
