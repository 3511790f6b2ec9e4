import { expect, test } from "vitest";
import fc from "fast-check";
import { StateTracker } from "patchwire";

// A backslash at the end of a chunk and half of a surrogate pair at the beginning of the next were read as an escaped backslash and text,
// though `JSON.parse` refuses them.

const HALF = "\udc00";

function streamed(chunks: readonly string[]): unknown {
  const tracker = new StateTracker<{ text: unknown }>({ text: null });
  const stream = tracker.stream("/text");
  try {
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    return tracker.getState().text;
  } catch {
    return "refused";
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return "refused";
  }
}

test("a backslash before half a pair is no escape, wherever the text is cut", () => {
  expect(streamed(['"a\\', `${HALF}"`])).toBe("refused");
  expect(streamed(['"a\\', '\\', `${HALF}"`])).toBe(`a\\${HALF}`);
  expect(streamed(['"a\\', "\ud83d", 'x"'])).toBe("refused");
  expect(streamed(['"a\\', "\ud83d", '\ude00"'])).toBe("refused");
  expect(streamed(['"a\\', 'n"'])).toBe("a\n");
});

test("any cuts of any text", () => {
  const text = fc.array(fc.constantFrom("\\", "\\", "a", "n", "u", "0041", HALF, "\ud83d", "😀", "é"), { maxLength: 10 }).map((parts) => `"${parts.join("")}"`);
  fc.assert(
    fc.property(text, fc.array(fc.nat(30), { maxLength: 6 }), (text, cuts) => {
      const seams = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
      expect(streamed(seams.slice(1).map((seam, i) => text.slice(seams[i], seam)))).toEqual(parsed(text));
    }),
    { numRuns: Number(process.env["PATCHWIRE_RUNS"] ?? 500) },
  );
});
