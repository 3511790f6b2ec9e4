import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

// In Node's build a class that named itself was called `_StateTracker` in stacks, and where it was printed.

const built = new URL("../../../pkg/dist/node/", import.meta.url);
const entries = readdirSync(built).filter((file) => file.endsWith(".js") && !file.startsWith("chunk"));

test.each(entries)("%s", async (entry) => {
  const exported = (await import(new URL(entry, built).href)) as Record<string, unknown>;
  const classes = Object.entries(exported).filter(([, value]) => typeof value === "function" && String(value).startsWith("class"));
  for (const [name, value] of classes) expect((value as { name: string }).name).toBe(name);
});

test("there are entries", () => expect(entries.length).toBeGreaterThan(4));
