import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// No object of a recipe outlives it. When V8 had collected all garbage a few times between updates it threw away what it had compiled
// for them, all of recording and taking over: the updates that followed took three to five times as long.

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** What updates need, in V8's words, and a control whose objects are lost. */
const code = `
  import { StateTracker } from "patchwire";
  class Short { constructor(n) { this.n = n; this.next = null; } }
  function control(n) {
    const short = new Short(n);
    short.next = new Short(n + 1);
    return Object.keys(short).length + short.next.n;
  }
  const tracker = new StateTracker({ rows: [{ n: 1 }, { n: 2 }] });
  function work(i) {
    tracker.update((draft) => {
      draft.rows.forEach((row) => { row.n = i; });
      draft.rows = draft.rows.filter((row, at) => at !== 1);
      draft.rows.push({ n: i });
    });
    tracker.getRFC6902Patches();
    tracker.resetTracking();
  }
  for (let i = 0; i < 5_000; i++) work(i);
  for (let turn = 0; turn < 20; turn++) {
    for (let i = 0; i < 20_000; i++) control(i);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (let i = 0; i < 4; i++) gc();
`;

test("what V8 compiled for recipes outlives them", () => {
  const args = ["--expose-gc", "--trace-deopt", "--input-type=module", "--eval", code];
  const said = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" }, maxBuffer: 1 << 26 });
  const lost = said.split("\n").filter((line) => line.includes("weak objects cleared")).map((line) => /SharedFunctionInfo ([\w ]+)>/.exec(line)?.[1]);
  expect(lost).toContain("Short");
  for (const name of ["Place", "ObjectPlace", "ArrayPlace", "place", "draft", "slot", "set", "splice", "settle", "list", "value", "scalar", "tell"]) expect(lost).not.toContain(name);
});
