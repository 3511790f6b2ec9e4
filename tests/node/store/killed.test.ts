// workerd itself, killed outright at random moments while it works, and started again on the same disk: what it had
// acknowledged is there, nothing is there by half, and nothing goes back. PATCHWIRE_KILLS=200 for a long run.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const KILLS = Number(process.env["PATCHWIRE_KILLS"] ?? 5);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "patchwire-killed-"));
const require = createRequire(join(root, "package.json"));
let port = 0;

beforeAll(async () => {
  await build({
    entryPoints: [join(root, "tests/support/store/killed-worker.js")], outfile: join(folder, "worker.js"), bundle: true, format: "esm", conditions: ["workerd"],
    external: ["cloudflare:workers", "*.wasm"], nodePaths: [join(root, "node_modules")], logLevel: "error",
  });
  copyFileSync(join(root, "pkg/dist/wasm/patchwire.wasm"), join(folder, "patchwire.wasm"));
  mkdirSync(join(folder, "disk"));
  port = await freePort();
  writeFileSync(join(folder, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "disk", disk = (path = "${folder}/disk", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "code/worker.js", esModule = embed "worker.js"), (name = "wasm/patchwire.wasm", wasm = embed "patchwire.wasm")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "AGENT", durableObjectNamespace = "Agent")],
  durableObjectNamespaces = [(className = "Agent", uniqueKey = "agent", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const ask = async (path: string): Promise<any> => {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`);
  if (response.status !== 200) throw new Error(`the worker failed: ${await response.text()}`);
  return response.json();
};

async function start(): Promise<ChildProcess> {
  const workerd = require.resolve(`@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}/bin/workerd`);
  const child = spawn(workerd, ["serve", join(folder, "config.capnp")], { stdio: ["ignore", "ignore", "inherit"] });
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 1_500) throw new Error("workerd didn't start");
    const isUp = await fetch(`http://127.0.0.1:${port}/read/0`).then(() => true, () => false);
    if (isUp) return child;
    await sleep(20);
  }
}

interface Read {
  revision: number;
  version: number;
  output: number;
  stepCount: number;
  pushed: number[];
  /** Which change wrote each page; -1 if its text is another one's. */
  pages: number[];
  staged: string[];
  messages: [text: string, length: number][];
  checkpoint: { stepCount: number; staged: number } | null;
  checkpoints: number;
}

test(`workerd killed ${KILLS} times under load loses nothing that it acknowledged`, { timeout: 60_000 + KILLS * 10_000 }, async () => {
  const acknowledged = { push: new Set<number>(), page: new Set<number>(), message: new Set<number>(), step: new Set<number>() };
  const tried = { push: 0, page: 0, message: 0, step: 0 };
  let answered = 0;
  let [version, revision, last, cut] = [0, 0, 0, 0];
  for (let kill = 0; kill <= KILLS; kill++) {
    const child = await start();
    const read = (await ask("read/0")) as Read;
    check(read);
    if (kill === KILLS) {
      child.kill("SIGKILL");
      break;
    }
    const work = [1, 2, 3].map(async () => {
      for (;;) {
        const n = ++last;
        const name = (["push", "page", "message", "page", "step", "page", "page"] as const)[n % 7]!;
        tried[name]++;
        const answer = await ask(`${name}/${n}`).catch((error: Error) => error);
        if (answer instanceof Error) {
          // Only the kill may end it.
          expect(answer.message).toBe("fetch failed");
          cut++;
          return;
        }
        acknowledged[name].add(n);
        answered++;
        version = Math.max(version, answer.version);
        revision = Math.max(revision, answer.revision);
      }
    });
    // Two rounds of the seven kinds are answered, however slow the machine is; what is under way after it is anybody's guess.
    const enough = answered + 14 + Math.random() * 100;
    while (answered < enough && child.exitCode === null) await sleep(1);
    await sleep(Math.random() * 20);
    child.kill("SIGKILL");
    await once(child, "exit");
    await Promise.all(work);
  }
  const counts = Object.fromEntries(Object.entries(acknowledged).map(([name, set]) => [name, set.size]));
  console.log(`${KILLS} kills: acknowledged ${JSON.stringify(counts)} of ${JSON.stringify(tried)}, ${cut} cut off; version ${version}, revision ${revision}`);
  for (const set of Object.values(acknowledged)) expect(set.size).toBeGreaterThan(0);

  function check(read: Read): void {
    expect(read.version).toBeGreaterThanOrEqual(version);
    expect(read.revision).toBeGreaterThanOrEqual(revision);
    const once = <V>(values: readonly V[]): Set<V> => {
      expect(new Set(values).size).toBe(values.length);
      return new Set(values);
    };
    const pushed = once(read.pushed);
    expect([...acknowledged.push].filter((n) => !pushed.has(n))).toEqual([]);
    // Of the changes of one page that were acknowledged the last one is there, or a later one that was cut off.
    for (const n of acknowledged.page) expect(read.pages[n % read.pages.length]).toBeGreaterThanOrEqual(n);
    read.pages.forEach((n, at) => expect(n === 0 || n % read.pages.length === at).toBe(true));
    const messages = once(read.messages.map(([text]) => text));
    expect([...acknowledged.message].filter((n) => !messages.has(`${n}`))).toEqual([]);
    for (const [text, length] of read.messages) if (/^\d+$/.test(text)) expect(length).toBe(text.length + 1 + (Number(text) % 28 === 1 ? 400_000 : 0));
    // A step is there with all that belongs to it, or not at all.
    const steps = read.messages.flatMap(([text]) => (text.startsWith("step ") ? [Number(text.slice(5))] : []));
    expect([...acknowledged.step].filter((n) => !steps.includes(n))).toEqual([]);
    expect(read.staged).toEqual(steps.flatMap((n) => [`${n}a`, `${n}b`]));
    expect(read.checkpoints).toBe(steps.length);
    if (steps.length > 0) {
      expect([read.output, read.stepCount, read.checkpoint]).toEqual([steps.at(-1), steps.at(-1), { stepCount: steps.at(-1), staged: read.staged.length }]);
    }
    [version, revision] = [read.version, read.revision];
  }
});
