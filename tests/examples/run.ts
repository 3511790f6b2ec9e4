// Runs an example, and holds what it prints to what its comments say.
import { formatWithOptions } from "node:util";
import { expect, vi } from "vitest";

/** What comes after `//` on a line that prints, or on the lines below it. */
function expectedOf(code: string): string[] {
  const found: string[] = [];
  let printing = false;
  for (const line of code.split("\n")) {
    const comment = /(?:^\s*|;\s*|\}\s*)\/\/ (.*)$/.exec(line)?.[1];
    if (line.includes("console.log(")) printing = true;
    if (printing && comment !== undefined) found.push(comment);
    else if (!line.includes("console.log(")) printing = false;
  }
  return found;
}

export async function run(code: string, load: () => Promise<unknown>): Promise<void> {
  const expected = expectedOf(code);
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => void printed.push(formatWithOptions({ breakLength: Infinity }, ...values)));
  try {
    await load();
    // A client's listeners are called later.
    await vi.waitUntil(() => printed.length >= expected.length, { timeout: 5_000, interval: 5 }).catch(() => {});
  } finally {
    log.mockRestore();
  }
  expect(printed).toEqual(expected);
}
