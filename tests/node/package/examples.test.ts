import { test } from "vitest";
import { run } from "../../examples/run.ts";

// Every TypeScript example of the README and of the public docstrings runs, and prints what its comments say; those
// that need workerd in tests/workerd/.

const examples = import.meta.glob(["../../../.tools/examples/node/*.ts", "!../../../.tools/examples/node/{client.ts,sync-synced-state.ts,docs-synced-state.md}-*.ts"]);
const codes = import.meta.glob(["../../../.tools/examples/node/*.ts", "!../../../.tools/examples/node/{client.ts,sync-synced-state.ts,docs-synced-state.md}-*.ts"], { query: "?raw", import: "default", eager: true }) as Record<string, string>;

test.each(Object.entries(examples))("%s", (file, load) => run(codes[file]!, load));
