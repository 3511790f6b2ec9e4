import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { PatchwireError } from "patchwire";
import { connect, type SyncedClient } from "patchwire/client";
import { SessionHandle } from "../../pkg/dist/wasm/patchwire.js";
import { failAt, failNow, fillMemory, hasFailed, memory } from "../support/faults.ts";
import { EventReader } from "./event-reader.ts";
import { addNote, hello, newSession, socketTo, stateOf, Wire, within, type Stub } from "./session.ts";
import type { Session, State } from "./worker.ts";

// All objects of an isolate share one core. If it dies in the hands of one, all go on from storage.

const clients: SyncedClient<State>[] = [];
afterEach(() => {
  failAt(Infinity);
  vi.restoreAllMocks();
  clients.splice(0).forEach((client) => client.close());
});

/** What becomes of a call: whether it was made. Anything but `ENGINE_LOST` is a failure. */
function isMade(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof PatchwireError && error.code === "ENGINE_LOST") return false;
    throw error;
  }
}

const losses = (stub: Stub): Promise<number> => within(stub, ({ events }) => events.filter(({ type }) => type === "engine_lost").length);

/** The revisions in the order in which they were heard of, as patches or as snapshots. */
const heard = ({ frames }: Wire): number[] => frames.filter(({ chunk }) => /state_(patch|snapshot)/.test(chunk?.type)).map(({ revision }) => revision);

const upTo = (revision: number): number[] => Array.from({ length: revision }, (_, i) => i + 1);

/** What one object does in one turn, with what it should leave. */
const changes: [make: (session: Session) => unknown, then: (state: State) => void][] = [
  [({ state }) => state.update((draft) => void draft.notes.push({ text: "pushed" })), (state) => void state.notes.push({ text: "pushed" })],
  [({ state }) => state.append("/answer", "appended"), (state) => void (state.answer += "appended")],
  [({ state }) => state.apply([{ op: "remove", path: "/notes/0" }]), (state) => void state.notes.shift()],
  [({ state }) => state.increment("/count", 2), (state) => void (state.count += 2)],
  [({ state }) => state.append("/answer", ", too"), (state) => void (state.answer += ", too")],
  [({ state }) => state.update((draft) => void (draft.answer = "é".repeat(70_000))), (state) => void (state.answer = "é".repeat(70_000))],
];

test("wherever the core dies, what was acknowledged is there, and everybody hears of it once", async () => {
  let runs = 0;
  for (let at = 1, isOver = false; !isOver; at++, runs++) {
    const [one, bystander] = [newSession(), newSession()];
    await addNote(one, "a");
    await addNote(bystander, "b");
    const [wire, standard, other] = [await Wire.live(one), await Wire.open(one, hello(null, null, "rfc6902")), await Wire.live(bystander)];
    await standard.until(({ type }) => type === "status");
    const expected: State = { notes: [{ text: "a" }], count: 0, answer: "" };
    failAt(at);
    const revision = await within(one, (session) => {
      let revision = 1;
      for (const [make, then] of changes) {
        if (isMade(() => make(session))) {
          then(expected);
          revision++;
        }
        expect(session.state.getState()).toEqual(expected);
        expect(session.state.revision).toBe(revision);
      }
      return revision;
    });
    isOver = !hasFailed();
    failAt(Infinity);
    expect(revision).toBeGreaterThanOrEqual(changes.length);
    await Promise.all([wire.revision(revision), standard.revision(revision)]);
    for (const each of [wire, standard]) expect(heard(each)).toEqual(upTo(revision));
    await addNote(bystander, "c");
    await other.revision(2);
    expect(heard(other)).toEqual([1, 2]);
    expect(await stateOf(bystander)).toMatchObject({ revision: 2, state: { notes: [{ text: "b" }, { text: "c" }] } });
    expect([await losses(one), await losses(bystander)]).toEqual(isOver ? [0, 0] : [1, 1]);
    await evictDurableObject(one);
    expect(await stateOf(one)).toEqual({ revision, state: expected });
    [wire, standard, other].forEach((wire) => wire.close());
  }
  // A commit is two calls into the core at least.
  expect(runs).toBeGreaterThan(2 * changes.length);
});

test("an object that finds no memory leaves the others theirs", async () => {
  const [greedy, bystander] = [newSession(), newSession()];
  await addNote(greedy, "a");
  await addNote(bystander, "b");
  const wire = await Wire.live(greedy);
  const full = memory();
  fillMemory();
  const large = "x".repeat(3 << 20);
  const write = (): Promise<boolean> => within(greedy, ({ state }) => isMade(() => state.update((draft) => void (draft.answer = large))));
  expect(await write()).toBe(false);
  expect(memory()).not.toBe(full);
  expect(await stateOf(greedy)).toMatchObject({ revision: 1, state: { answer: "" } });
  await addNote(bystander, "c");
  expect(await write()).toBe(true);
  await wire.revision(2);
  expect([await losses(greedy), await losses(bystander)]).toEqual([1, 1]);
  expect(memory().buffer.byteLength).toBeLessThan(100 << 20);
});

test("a client goes on with nothing lost and nothing doubled, wherever its core and the server's dies", async () => {
  let runs = 0;
  // Not every time: a client waits before it connects again.
  for (let at = 1, isOver = false; !isOver; at += 3, runs++) {
    const stub = newSession();
    await addNote(stub, "a");
    const errors: string[] = [];
    failAt(at);
    const client = connect<State>({ url: "ws://session/", WebSocket: socketTo(stub), onError: ({ code }) => errors.push(code) });
    clients.push(client);
    const seen: unknown[] = [];
    const statuses = new Set<string>();
    client.subscribe("/notes", (notes) => seen.push(notes));
    client.subscribe(() => statuses.add(client.status));
    const notes = ["a"];
    for (const text of ["b", "c", "d"]) {
      await vi.waitUntil(() => client.status === "live" && client.revision === notes.length, { timeout: 15_000, interval: 1 });
      while (!(await within(stub, ({ state }) => isMade(() => state.update((draft) => void draft.notes.push({ text })))))) continue;
      notes.push(text);
    }
    await vi.waitUntil(() => client.status === "live" && client.revision === 4, { timeout: 15_000, interval: 1 });
    isOver = !hasFailed();
    failAt(Infinity);
    expect(client.getState()!.notes.map(({ text }) => text)).toEqual(notes);
    // Nobody ever saw a note vanish.
    const counts = seen.map((value) => (value as State["notes"]).length);
    expect(counts).toEqual(counts.toSorted());
    expect(errors).toEqual(errors.slice(0, isOver ? 0 : 1).map(() => "ENGINE_LOST"));
    expect(client.stats.snapshots).toBeLessThanOrEqual(2);
    expect(statuses.has("closed")).toBe(false);
    client.close();
    expect(client.status).toBe("closed");
  }
  expect(runs).toBeGreaterThan(10);
});

test("a client whose core died shows what it had until it has everything", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const client = connect<State>({ url: "ws://session/", WebSocket: socketTo(stub) });
  clients.push(client);
  await vi.waitUntil(() => client.status === "live");
  const before = client.getState();
  const statuses: string[] = [];
  client.subscribe(() => {
    expect(client.getState()).toBeDefined();
    statuses.push(client.status);
  });
  failNow();
  await addNote(stub, "b");
  await vi.waitUntil(() => client.status === "reconnecting");
  expect([client.getState(), client.revision]).toEqual([before, 1]);
  await vi.waitUntil(() => client.status === "live");
  expect(client.getState()!.notes).toHaveLength(2);
  expect(client.stats).toMatchObject({ snapshots: 2, resyncs: 0 });
  expect(new Set(statuses)).toEqual(new Set(["reconnecting", "live"]));
});

test("event streams go on where they were", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const open = (): Promise<EventReader> => EventReader.open(stub.fetch("http://session/?dialect=extended", { headers: { Accept: "text/event-stream" } }));
  const [reader, ended] = [await open(), await open()];
  for (const each of [reader, ended]) await each.until(({ data }) => data?.type === "status");
  failNow();
  await ended.cancel();
  for (const text of ["b", "c"]) await addNote(stub, text);
  await reader.until(({ data }) => data?.revision === 3 && data.type === "chunk");
  const patches = reader.events.filter(({ data }) => data?.chunk?.type === "state_patch");
  expect(patches.map(({ data }) => data!.revision)).toEqual([2, 3]);
  await reader.cancel();
});

test("a question in which the core dies is answered by the next one", async () => {
  for (let at = 1, isOver = false; !isOver; at++) {
    const stub = newSession();
    await addNote(stub, "a");
    const wire = await Wire.open(stub);
    failAt(at);
    wire.say(hello(null, null));
    const { session } = await wire.until(({ type }) => type === "status");
    const [snapshot, missed] = [await stub.fetch("http://session/"), await stub.fetch(`http://session/?since=0&session=${session}`)];
    isOver = !hasFailed();
    failAt(Infinity);
    expect(await snapshot.json()).toMatchObject({ revision: 1, state: { notes: [{ text: "a" }] } });
    expect(await missed.json()).toMatchObject({ revision: 1, frames: [{ revision: 1 }, { type: "status" }] });
    wire.close();
  }
});

test("a message that is the end of every core is the end of its connection", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const [bad, other] = [await Wire.live(stub), await Wire.live(stub)];
  vi.spyOn(SessionHandle.prototype, "receive").mockImplementation(function (this: SessionHandle) {
    Object.assign(this, { __wbg_ptr: 0xffff_fff0 });
    return this.open() as never;
  });
  bad.say(hello(null, null));
  await expect.poll(() => bad.closed?.code).toBe(1011);
  await addNote(stub, "b");
  await other.revision(2);
  expect(heard(other)).toEqual([1, 2]);
  expect(await losses(stub)).toBe(2);
});
