import { test, vi } from "vitest";
import { run } from "../examples/run.ts";
import { addNote, inBare, newSession, socketTo } from "./session.ts";

// The examples of docstrings and of docs/ that need a Durable Object, `ctx`, or a server that can be connected to.

const examples = import.meta.glob("../../.tools/examples/workerd/{client.ts,sync-synced-state.ts,docs-synced-state.md}-*.ts");
const codes = import.meta.glob("../../.tools/examples/workerd/{client.ts,sync-synced-state.ts,docs-synced-state.md}-*.ts", { query: "?raw", import: "default", eager: true }) as Record<string, string>;

test.each(Object.entries(examples))("%s", async (file, load) => {
  if (file.includes("/client.ts")) {
    const stub = newSession();
    await addNote(stub, "plan");
    vi.stubGlobal("WebSocket", socketTo(stub, undefined, "?writes"));
    await run(codes[file]!, load);
  } else {
    await inBare((ctx) => {
      vi.stubGlobal("ctx", ctx);
      return run(codes[file]!, load);
    });
  }
});
