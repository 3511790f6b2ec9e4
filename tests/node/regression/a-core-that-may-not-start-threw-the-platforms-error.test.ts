import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// Where WebAssembly is forbidden, trackers and `connect` threw the platform's own error, which says nothing about what to
// do, and `connect` broke the page that called it. V8 without its compilers has no WebAssembly; what a page's policy
// forbids is in tests/packaging/csp.

const root = fileURLToPath(new URL("../../../", import.meta.url));

function withoutWebAssembly(code: string): string[] {
  const args = ["--jitless", "--input-type=module", "--eval", code];
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } }).trim().split("\n");
}

const blocked = "PatchwireError: ENGINE_BLOCKED: there is no WebAssembly here";

test("whoever asks for the core is told", () => {
  const said = withoutWebAssembly(`
    import { ready, StateTracker, applyPatch } from "patchwire";
    const tell = (error) => console.log(String(error));
    for (const use of [() => new StateTracker({ n: 0 }).document(), () => applyPatch({}, [])]) try { use(); } catch (error) { tell(error); }
    await ready().catch(tell);
  `);
  expect(said).toEqual([blocked, blocked, blocked]);
});

test("a client tells onError, is closed and goes on being what it is", () => {
  const said = withoutWebAssembly(`
    import { connect, ready } from "patchwire/client";
    const client = connect({ url: "ws://localhost/", onError: (error) => console.log(String(error), client.status) });
    client.subscribe(() => console.log("told"));
    client.subscribe("/notes", () => {});
    console.log(client.status, client.getState(), client.get("/notes"));
    await null;
    client.close();
    await ready().catch((error) => console.log(String(error)));
  `);
  expect(said).toEqual(["closed undefined undefined", "told", `${blocked} closed`, blocked]);
});

test("where nobody wants to be told it is an uncaught error, which `connect` doesn't throw", () => {
  const said = withoutWebAssembly(`
    import { connect } from "patchwire/client";
    process.on("uncaughtException", (error) => console.log("uncaught", String(error)));
    console.log(connect({ url: "ws://localhost/" }).status);
  `);
  expect(said).toEqual(["closed", `uncaught ${blocked}`]);
});
