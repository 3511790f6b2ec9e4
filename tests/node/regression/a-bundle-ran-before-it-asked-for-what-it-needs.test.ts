import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// In the bundles for Node, files that need TextEncoder when they are loaded came before the one that says what to do where there is
// none, as in Jest's jsdom.
const root = fileURLToPath(new URL("../../../", import.meta.url));

const entries = ["patchwire", "patchwire/client", "patchwire/durable-objects"];
const cases = entries.flatMap((entry) => ["TextEncoder", "TextDecoder"].map((missing) => [entry, missing]));

test.each(cases)("%s says what to do where there is no %s", (entry, missing) => {
  const code = `delete globalThis.${missing}; import("${entry}").then(() => console.log("imported"), ({ code, message }) => console.log(code, message));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: root, encoding: "utf8" });
  expect(said).toContain(`there is no ${missing} here; for jsdom in Jest see docs/jest.md`);
  expect(said).toMatch(/^ENGINE_BLOCKED/);
});
