import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { connect, type ClientSocket, type ConnectOptions, type ReceivedPatch, type StateSnapshot, type SyncedClient } from "patchwire/client";
import { addNote, newSession, socketTo, stateOf, update, within, type Stub } from "./session.ts";
import type { State } from "./worker.ts";

const clients: SyncedClient<State>[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

function join(stub: Stub, options: Partial<ConnectOptions> = {}): SyncedClient<State> {
  const client = connect<State>({ url: "ws://session/", WebSocket: socketTo(stub), ...options });
  clients.push(client);
  return client;
}

const reaches = (client: SyncedClient<State>, revision: number): Promise<unknown> =>
  vi.waitUntil(() => client.status === "live" && client.revision === revision, { timeout: 15_000, interval: 5 });

test("two clients hold what the server holds", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const [one, two] = [join(stub), join(stub)];
  expect([one.status, one.getState(), one.revision]).toEqual(["connecting", undefined, 0]);
  await Promise.all([reaches(one, 1), reaches(two, 1)]);
  await update(stub, (draft) => {
    draft.notes.unshift({ text: "first" });
    draft.answer = "x".repeat(50);
  });
  await update(stub, (draft) => void (draft.answer += "😀 and more"));
  await within(stub, ({ state }) => {
    state.append("/answer", "\ud83d");
    state.append("/answer", "\ude00");
    state.increment("/count", 2.5);
    state.apply([{ op: "move", from: "/notes/0", path: "/notes/1" }]);
  });
  await Promise.all([reaches(one, 7), reaches(two, 7)]);
  const { state } = await stateOf(stub);
  expect(one.getState()).toEqual(state);
  expect(two.getState()).toEqual(state);
  expect(state.notes.map(({ text }) => text)).toEqual(["a", "first"]);
  expect(one.stats).toMatchObject({ frames: 8, snapshots: 1, resyncs: 0 });
});

/** What a `GET` of the state answers. */
const snapshotOf = (stub: Stub): Promise<StateSnapshot> => stub.fetch("http://session/").then((response) => response.json());

test("a client that was given a snapshot has it at once, and is sent what has changed since", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const snapshot = await snapshotOf(stub);
  await addNote(stub, "b");
  const patches: ReceivedPatch[] = [];
  const client = join(stub, { snapshot, onPatch: (patch) => patches.push(patch) });
  const first = client.getState()!;
  expect([client.status, client.revision, first.notes, client.getInitialState() === first]).toEqual(["connecting", 1, [{ text: "a" }], true]);
  expect([Object.isFrozen(first), Object.isFrozen(snapshot.state)]).toEqual([true, false]);
  const listener = vi.fn();
  client.subscribe("/notes/0", listener);
  await reaches(client, 2);
  expect(client.getState()).toEqual((await stateOf(stub)).state);
  expect([client.getState()!.notes[0] === first.notes[0], client.getInitialState() === first]).toEqual([true, true]);
  expect(client.stats).toMatchObject({ snapshots: 0, resyncs: 0 });
  expect([patches.length, listener.mock.calls]).toEqual([1, []]);
});

test("a snapshot of another life, or of a later one than there is, is replaced", async () => {
  const [stub, other] = [newSession(), newSession()];
  await addNote(stub, "a");
  await addNote(other, "b");
  const mine = await snapshotOf(stub);
  for (const snapshot of [await snapshotOf(other), { ...mine, session: "" }, { ...mine, revision: 1_000 }]) {
    const client = join(stub, { snapshot });
    await reaches(client, 1);
    expect(client.getState()!.notes).toEqual([{ text: "a" }]);
  }
  // What isn't the state of its revision is found out where a patch doesn't fit.
  const client = join(stub, { snapshot: { ...mine, state: { other: true } } });
  await reaches(client, 1);
  await addNote(stub, "c");
  await reaches(client, 2);
  expect(client.getState()!.notes).toEqual([{ text: "a" }, { text: "c" }]);
});

test("a snapshot over a limit is refused where it is given", async () => {
  const stub = newSession();
  await addNote(stub, "a".repeat(200));
  const snapshot = await snapshotOf(stub);
  expect(() => join(stub, { snapshot, limits: { document: 100 } })).toThrow("LIMIT_EXCEEDED: the option snapshot is over one of the option limits");
});

test("what didn't change stays the same object, and listeners hear of their part alone", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const client = join(stub);
  await reaches(client, 1);
  const before = client.getState()!;
  const [all, notes, count, first] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  client.subscribe(all);
  client.subscribe("/notes", notes);
  client.subscribe("/notes/0", first);
  const stop = client.subscribe("/count", count);
  await within(stub, ({ state }) => state.increment("/count"));
  await reaches(client, 2);
  expect(client.getState()!.notes).toBe(before.notes);
  expect(Object.isFrozen(client.getState())).toBe(true);
  expect([all.mock.calls.length, notes.mock.calls.length, count.mock.calls]).toEqual([1, 0, [[1]]]);
  stop();
  await update(stub, (draft) => void (draft.count = draft.notes.push({ text: "b" })));
  await reaches(client, 3);
  expect([all.mock.calls.length, notes.mock.calls.length, count.mock.calls.length, first.mock.calls.length]).toEqual([2, 1, 1, 0]);
  expect(notes.mock.calls[0]![0]).toBe(client.getState()!.notes);
  expect(() => client.subscribe("notes", () => {})).toThrow("INVALID_POINTER");
});

test("`subscribe` and `getState` may be passed on by themselves, and each status is told", async () => {
  const stub = newSession();
  const whole = join(stub);
  const { subscribe, getState } = whole;
  const seen: [string, boolean][] = [];
  const end = subscribe(() => void seen.push([whole.status, getState() !== undefined]));
  await reaches(whole, 0);
  await null;
  expect(seen.at(-1)).toEqual(["live", true]);
  whole.close();
  await null;
  expect(seen.at(-1)).toEqual(["closed", true]);
  const told = seen.length;
  expect(new Set(seen.map(([status]) => status)).size).toBeGreaterThan(1);
  end();
  expect(seen.length).toBe(told);
  expect([whole.get("/count"), whole.get(""), whole.get("/no")]).toEqual([0, getState(), undefined]);
  expect(() => whole.get("no")).toThrow("INVALID_POINTER");
});

test("patches are shown to who wants to see them", async () => {
  const stub = newSession();
  const seen: ReceivedPatch[] = [];
  const client = join(stub, { onPatch: (patch) => seen.push(patch) });
  await reaches(client, 0);
  await addNote(stub, "a");
  await reaches(client, 1);
  expect(seen).toEqual([{ revision: 1, patches: [{ op: "add", path: "/notes/-", value: { text: "a" } }], bytes: expect.any(Number) }]);
  expect(client.stats.bytes).toBeGreaterThan(seen[0]!.bytes);
});

test("a lost frame is noticed, asked for and counted", async () => {
  const stub = newSession();
  let lose = false;
  const client = join(stub, { WebSocket: socketTo(stub, (frame) => (lose && frame.includes('"revision":2,') ? void (lose = false) : frame)) });
  await reaches(client, 0);
  lose = true;
  for (const text of ["a", "b", "c"]) await addNote(stub, text);
  await reaches(client, 3);
  expect(client.getState()).toEqual((await stateOf(stub)).state);
  expect(client.stats).toMatchObject({ resyncs: 1, snapshots: 1 });
});

test("a patch that doesn't fit is not half applied: a snapshot follows", async () => {
  const stub = newSession();
  const broken = (frame: string): string => frame.replace('"value":{"text":"bad"}', '"value":{"text":"bad"}},{"op":"remove","path":"/nowhere"');
  const client = join(stub, { WebSocket: socketTo(stub, broken) });
  await reaches(client, 0);
  const states: unknown[] = [];
  client.subscribe(() => states.push(client.getState()));
  await addNote(stub, "bad");
  await reaches(client, 1);
  expect(client.stats).toMatchObject({ resyncs: 1, snapshots: 2 });
  expect(states.at(-1)).toEqual((await stateOf(stub)).state);
  expect(await within(stub, ({ events }) => events.filter(({ type }) => type === "resync"))).toEqual([{ type: "resync", reason: "requested", connections: 1 }]);
});

test("a lost connection comes back by itself with what it missed", async () => {
  const stub = newSession();
  const client = join(stub);
  await reaches(client, 0);
  const statuses: string[] = [];
  client.subscribe(() => statuses.push(client.status));
  await addNote(stub, "a");
  await reaches(client, 1);
  await evictDurableObject(stub, { webSockets: "close" });
  await vi.waitUntil(() => client.status === "reconnecting");
  await addNote(stub, "b");
  await reaches(client, 2);
  expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
  expect(new Set(statuses)).toEqual(new Set(["live", "reconnecting"]));
});

test("memory that is lost before sockets have attached what they were sent sends it again, and clients know it", async () => {
  const stub = newSession();
  const client = join(stub);
  await reaches(client, 0);
  for (const text of ["a", "b"]) await addNote(stub, text);
  await reaches(client, 2);
  await evictDurableObject(stub);
  await addNote(stub, "c");
  await reaches(client, 3);
  expect(client.getState()).toEqual((await stateOf(stub)).state);
  expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
});

test("many commits attach to a socket once", async () => {
  const stub = newSession();
  const client = join(stub);
  await reaches(client, 0);
  const attached = await within(stub, async ({ state }, ctx) => {
    const [socket] = ctx.getWebSockets();
    const before = socket!.deserializeAttachment();
    for (let i = 0; i < 50; i++) state.update((draft) => void draft.notes.push({ text: `${i}` }));
    const during = socket!.deserializeAttachment();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return [before, during, socket!.deserializeAttachment()];
  });
  expect(attached[1]).toBe(attached[0]);
  expect(attached[2]).toContain("50");
});

test("a wiped object's clients get the new state", async () => {
  const stub = newSession();
  const client = join(stub);
  for (const text of ["a", "b"]) await addNote(stub, text);
  await reaches(client, 2);
  await within(stub, (_, { storage }) => storage.deleteAll());
  await evictDurableObject(stub);
  await addNote(stub, "new");
  await reaches(client, 1);
  expect(client.getState()!.notes).toEqual([{ text: "new" }]);
});

test("a state of several megabytes arrives in parts", async () => {
  const stub = newSession();
  const large = '"é😀\\'.repeat(700_000);
  await addNote(stub, large);
  const client = join(stub);
  await reaches(client, 1);
  expect(client.getState()!.notes[0]!.text === large).toBe(true);
  expect(client.stats.frames).toBeGreaterThan(3);
});

test("closing is final, and the state stays readable", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const client = join(stub);
  await reaches(client, 1);
  client.close();
  expect(client.status).toBe("closed");
  await addNote(stub, "b");
  expect([client.revision, client.getState()!.notes.length]).toEqual([1, 1]);
  client.close();
});

test("more than the limits allow is an error with a code, and the end", async () => {
  const stub = newSession();
  await addNote(stub, "x".repeat(1_000));
  const onError = vi.fn();
  const client = join(stub, { limits: { document: 500 }, onError });
  await vi.waitUntil(() => client.status === "closed");
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
});

test("a listener that throws harms nobody else", async () => {
  const stub = newSession();
  const client = join(stub);
  await reaches(client, 0);
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const heard = vi.fn();
  const stop = client.subscribe(() => {
    throw new Error("a listener's own");
  });
  client.subscribe(heard);
  await addNote(stub, "a");
  await reaches(client, 1);
  expect([heard.mock.calls.length, String(reported.mock.calls[0]![0])]).toEqual([1, "Error: a listener's own"]);
  stop();
  vi.unstubAllGlobals();
});

test("where to connect to, and with what", () => {
  const urls: string[] = [];
  const silent = function (this: ClientSocket, url: string) {
    urls.push(url);
    Object.assign(this, { addEventListener() {}, close() {} });
  } as unknown as new (url: string) => ClientSocket;
  vi.stubGlobal("location", { href: "https://host:8443/page?x#y" });
  for (const url of ["/session/demo?a=b#c", "ws://other/", new URL("http://other/x"), "wss://other/y"]) connect({ url, WebSocket: silent }).close();
  expect(urls).toEqual(["wss://host:8443/session/demo?a=b", "ws://other/", "ws://other/x", "wss://other/y"]);
  expect(() => connect({ url: "http://[", WebSocket: silent })).toThrow(TypeError);
  vi.stubGlobal("WebSocket", undefined);
  expect(() => connect({ url: "/" })).toThrow("pass one as `WebSocket`");
  vi.unstubAllGlobals();
});
