// examples/native-sqlite: a Rust server whose state is in SQLite. Killed outright at random moments while it commits, it goes
// on from what it had acknowledged, and whoever watches is sent patches; what a full database refuses has not happened; one
// file has one process; and a state that can't be read is not sent as something else. PATCHWIRE_KILLS=200 for a long run.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect, type SyncedClient } from "patchwire/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

interface State {
  notes: { text: string; at: number }[];
}

const KILLS = Number(process.env["PATCHWIRE_KILLS"] ?? 8);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const target = join(root, "target/examples");
const folder = mkdtempSync(join(tmpdir(), "patchwire-native-sqlite-"));
const started = new Set<ChildProcess>();
const clients = new Set<SyncedClient<State>>();

beforeAll(async () => {
  await promisify(execFile)("cargo", ["build", "--locked", "--target-dir", target], { cwd: join(root, "examples/native-sqlite") });
}, 900_000);

afterEach(() => {
  for (const client of clients) client.close();
  for (const child of started) child.kill("SIGKILL");
  clients.clear();
  started.clear();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(name: string, ...options: string[]): ChildProcess & { said: () => string } {
  const child = spawn(join(target, "debug/native-sqlite"), ["--state", join(folder, name), ...options], { stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return Object.assign(child, { said: () => output });
}

async function serve(name: string, port = 0, ...options: string[]) {
  const child = run(name, "--port", String(port), ...options);
  let url: string | undefined;
  await until(() => (url = /http:\/\/127\.0\.0\.1:\d+/.exec(child.said())?.[0]) !== undefined || child.exitCode !== null);
  if (url === undefined) throw new Error(`the server ended: ${child.said()}`);
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const post = (text: string) => fetch(`${url}/notes`, { method: "POST", body: text });
  const state = () => fetch(`${url}/state`).then((response) => response.json() as Promise<State>);
  return { child, url, port: Number(new URL(url).port), kill, post, state };
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !condition(); await sleep(5)) if (Date.now() > end) throw new Error("waited for too long");
}

function watch(url: string): SyncedClient<State> {
  const client = connect<State>({ url: `${url}/live` });
  clients.add(client);
  return client;
}

/** Waits until a client has what the server has. */
async function agrees(client: SyncedClient<State>, state: State): Promise<void> {
  await until(() => client.status === "live" && client.getState()?.notes.length === state.notes.length);
  expect(client.getState()).toEqual(state);
}

/** What a process that was killed left behind. */
function stored<T>(name: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, name));
  try {
    return read(database);
  } finally {
    database.close();
  }
}

const sessionOf = (name: string) => stored(name, (database) => database.prepare("SELECT session FROM meta").get()!["session"]);

test(`killed ${KILLS} times while it commits, it goes on, and a client is sent patches alone`, { timeout: 60_000 + KILLS * 10_000 }, async () => {
  const acknowledged = new Set<string>();
  const tried = new Set<string>();
  const sessions = new Set<unknown>();
  let server = await serve("killed.db");
  const { port } = server;
  for (let kill = 0; kill < KILLS; kill++) {
    const current = server;
    // One that has lived through many kills would wait ever longer.
    const client = watch(server.url);
    await agrees(client, await server.state());
    const work = [1, 2, 3].map(async () => {
      for (;;) {
        // Long enough that the state goes over to chunks meanwhile, and is written anew.
        const text = `${tried.size} ${"x".repeat(tried.size % 3 === 0 ? 4_000 : 10)}`;
        tried.add(text);
        const answer = await current.post(text).catch(() => undefined);
        // Only the kill may end it.
        if (answer === undefined) return;
        expect(answer.status).toBe(200);
        acknowledged.add(text);
      }
    });
    await sleep(20 + Math.random() * 300);
    await server.kill();
    await Promise.all(work);
    sessions.add(sessionOf("killed.db"));
    server = await serve("killed.db", port);
    const state = await server.state();
    const texts = state.notes.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => !tried.has(text))).toEqual([]);
    expect([...acknowledged].filter((text) => !texts.includes(text))).toEqual([]);
    // A commit may have been stored and neither answered nor told.
    expect(client.getState()!.notes.length).toBeLessThanOrEqual(texts.length);
    await agrees(client, state);
    expect(client.revision).toBe(texts.length);
    expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
    client.close();
  }
  console.log(`${KILLS} kills: ${acknowledged.size} acknowledged of ${tried.size}`);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
  expect(sessions.size).toBe(1);
  await server.kill();
  // It was long enough.
  expect(stored("killed.db", (database) => database.prepare("SELECT max(id) AS id FROM chunks").get()!["id"])).toBeGreaterThan(0);
});

test("what a full database refuses has not happened, and the state goes on when there is room", async () => {
  let server = await serve("full.db", 0, "--pages", "300");
  const client = watch(server.url);
  const full = async (answer: Response) => expect([answer.status, await answer.text()]).toEqual([503, "database or disk is full"]);
  expect(await (await server.post("first")).text()).toBe("1");
  // As JSON it takes two rows of the log, of which there is room for the first.
  await full(await server.post('"'.repeat(700_000)));
  const accepted = ["first"];
  let refused: Response | undefined;
  while (refused === undefined) {
    const text = `${accepted.length} ${"x".repeat(3_000)}`;
    const answer = await server.post(text);
    if (answer.ok) accepted.push(text);
    else refused = answer;
  }
  await full(refused);
  expect(accepted.length).toBeGreaterThan(100);
  const state = await server.state();
  expect(state.notes.map(({ text }) => text)).toEqual(accepted);
  await agrees(client, state);
  // Who comes now sees no more.
  await agrees(watch(server.url), state);

  await server.kill();
  server = await serve("full.db", server.port);
  expect(await server.state()).toEqual(state);
  expect(await (await server.post("later")).text()).toBe(String(accepted.length + 1));
  const later = await server.state();
  expect(later.notes.map(({ text }) => text)).toEqual([...accepted, "later"]);
  await agrees(client, later);
  expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
});

test("a second process is kept out, until the first has ended", async () => {
  const first = await serve("shared.db");
  expect((await first.post("first")).status).toBe(200);
  const second = run("shared.db");
  const [code] = await once(second, "exit");
  expect(code).toBe(1);
  expect(second.said()).toContain("database is locked");
  expect(await (await first.post("second")).text()).toBe("2");
  // One that waits takes over at once.
  const third = serve("shared.db");
  await sleep(100);
  await first.kill();
  expect((await (await third).state()).notes.map(({ text }) => text)).toEqual(["first", "second"]);
});

test("a state that can't be read to its end is sent to nobody", async () => {
  let server = await serve("damaged.db");
  for (let n = 0; n < 100; n++) expect((await server.post(`${n} ${"x".repeat(3_000)}`)).status).toBe(200);
  const known = watch(server.url);
  const state = await server.state();
  await agrees(known, state);
  await server.kill();
  stored("damaged.db", (database) => database.exec("DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks)"));
  server = await serve("damaged.db", server.port);
  const fresh = watch(server.url);
  await once(server.child, "exit");
  expect(server.child.said()).toMatch(/^the state can't be read: STREAM_TRUNCATED: the storage lacks a row: row \d+ of chunks$/m);
  expect(fresh.getState()).toBeUndefined();
  expect(known.getState()).toEqual(state);
});
