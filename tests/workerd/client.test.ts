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

test("what a client lacked is one change to who listens, with the status", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const snapshot = await snapshotOf(stub);
  for (let i = 0; i < 20; i++) await addNote(stub, `${i}`);
  const client = join(stub, { snapshot });
  const heard: [string, number | undefined][] = [];
  client.subscribe(() => heard.push([client.status, client.getState()?.notes.length]));
  await reaches(client, 21);
  expect(heard).toEqual([["live", 21]]);
  await addNote(stub, "b");
  await reaches(client, 22);
  expect(heard).toEqual([["live", 21], ["live", 22]]);
});

test("what came of that before the connection broke is told, too", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const snapshot = await snapshotOf(stub);
  for (let i = 0; i < 5; i++) await addNote(stub, `${i}`);
  const real = socketTo(stub);
  let open = true;
  // The first connection ends behind the third frame.
  const Breaking = function (url: string) {
    const socket = new real(url);
    if (!open) return socket;
    open = false;
    let frames = 0;
    const close: ((event: { code: number }) => void)[] = [];
    return {
      send: (text: string) => socket.send(text),
      close: () => socket.close(),
      addEventListener(type: string, listener: (event: never) => void) {
        if (type === "close") close.push(listener as never);
        else if (type !== "message") socket.addEventListener(type as "open", listener as never);
        else socket.addEventListener("message", (event) => (frames++ < 3 ? listener(event as never) : frames === 4 && close.forEach((tell) => tell({ code: 1006 }))));
      },
    };
  } as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const client = join(stub, { snapshot, WebSocket: Breaking });
  const heard: number[] = [];
  client.subscribe(() => heard.push(client.getState()!.notes.length));
  await reaches(client, 6);
  expect([heard[0]! < 6, heard.at(-1)]).toEqual([true, 6]);
});

test("once a frame listeners are told of all that changed since", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const client = join(stub, { notify: "frame" });
  await reaches(client, 1);
  await new Promise((later) => setTimeout(later, 150));
  const heard: number[] = [];
  client.subscribe<unknown[]>("/notes", (notes) => heard.push(notes!.length));
  for (let i = 0; i < 10; i++) await addNote(stub, `${i}`);
  await vi.waitUntil(() => heard.at(-1) === 11, { timeout: 5_000 });
  expect(heard.length).toBeLessThan(10);
});

test("the url is asked for before each attempt to connect", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const urls: string[] = [];
  const Socket = socketTo(stub);
  const Noting = function (url: string) {
    urls.push(url);
    return new Socket(url);
  } as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const errors: unknown[] = [];
  let token = 0;
  const url = async (): Promise<string> => {
    if (++token === 1) throw new Error("no token yet");
    return `ws://session/?token=${token}`;
  };
  const client = join(stub, { url, WebSocket: Noting, onError: ({ code, cause }) => errors.push([code, cause]) });
  await reaches(client, 1);
  client.reconnect();
  expect(client.status).toBe("reconnecting");
  await reaches(client, 1);
  expect(urls).toEqual(["ws://session/?token=2", "ws://session/?token=3"]);
  expect(errors).toEqual([["CLOSED", new Error("no token yet")]]);
  client.close();
  client.reconnect();
  expect(client.status).toBe("closed");
});

test("whether to come back is for `shouldReconnect` to say", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const asked = vi.fn((code: number) => code !== 4401);
  const onError = vi.fn();
  const client = join(stub, { shouldReconnect: asked, onError });
  await reaches(client, 1);
  const drop = (code: number, why: string): Promise<void> => within(stub, (_, ctx) => ctx.getWebSockets().forEach((socket) => socket.close(code, why)));
  await drop(4000, "a new version");
  await vi.waitUntil(() => client.status === "reconnecting");
  await reaches(client, 1);
  await drop(4401, "the token has expired");
  await vi.waitUntil(() => client.status === "closed");
  expect(asked.mock.calls).toEqual([[4000, "a new version"], [4401, "the token has expired"]]);
  expect(onError.mock.calls.map(([error]) => `${error}`)).toEqual(["PatchwireError: CLOSED: the token has expired"]);

  // About what is final it isn't asked.
  const other = newSession();
  await addNote(other, "a");
  const refused = join(other, { shouldReconnect: asked, onError() {} });
  await reaches(refused, 1);
  await within(other, (_, ctx) => ctx.getWebSockets().forEach((socket) => socket.close(1008, "not you")));
  await vi.waitUntil(() => refused.status === "closed");
  expect(asked).toHaveBeenCalledTimes(2);
});

test("a lazy client connects when somebody subscribes", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const Socket = vi.fn(socketTo(stub) as never) as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const client = join(stub, { lazy: true, WebSocket: Socket });
  await new Promise((later) => setTimeout(later, 20));
  expect([client.status, vi.mocked(Socket).mock.calls.length]).toEqual(["connecting", 0]);
  client.subscribe(() => {});
  await reaches(client, 1);
  const never = join(stub, { lazy: true, WebSocket: Socket });
  never.close();
  never.subscribe(() => {});
  expect([never.status, vi.mocked(Socket).mock.calls.length]).toEqual(["closed", 1]);
});

test("a lazy client is connected while somebody subscribes and a second longer, and goes on from what it has", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const Socket = vi.fn(socketTo(stub) as never) as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const client = join(stub, { lazy: true, WebSocket: Socket });
  const end = client.subscribe(() => {});
  await reaches(client, 1);
  // A component that is made anew.
  end();
  client.subscribe(() => {})();
  await new Promise((later) => setTimeout(later, 500));
  expect(client.status).toBe("live");
  await vi.waitFor(() => expect(client.status).toBe("reconnecting"), 5_000);
  await addNote(stub, "b");
  expect(client.revision).toBe(1);
  // Nothing that happens to the network connects it.
  (globalThis as unknown as EventTarget).dispatchEvent(new Event("online"));
  expect(vi.mocked(Socket).mock.calls.length).toBe(1);
  const again = client.subscribe(() => {});
  await reaches(client, 2);
  expect([client.status, client.stats.snapshots, vi.mocked(Socket).mock.calls.length]).toEqual(["live", 1, 2]);
  again();
  await client.whenRevision(2);
  await vi.waitFor(() => expect(client.status).toBe("reconnecting"), 5_000);
  client.reconnect();
  await vi.waitFor(() => expect(client.status).toBe("live"), 5_000);
  client.subscribe(() => {});
  await new Promise((later) => setTimeout(later, 50));
  expect([client.status, vi.mocked(Socket).mock.calls.length]).toEqual(["live", 3]);
  client.close();
});

test("a client waits for the commit of an action", async () => {
  const stub = newSession();
  const client = join(stub);
  const commit = (): Promise<{ session: string; revision: number }> =>
    within(stub, ({ state }) => {
      state.update((draft) => void draft.notes.push({ text: "a" }));
      return { session: state.session, revision: state.revision };
    });
  const { session, revision } = await commit();
  await client.whenRevision(revision, { session });
  expect([client.session, client.revision >= revision]).toEqual([session, true]);
  await client.whenRevision(0);
  const later = client.whenRevision(revision + 1);
  await commit();
  await later;
  expect(client.revision).toBe(revision + 1);

  const abort = new AbortController();
  const given = client.whenRevision(1_000, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  await expect(client.whenRevision(1_000, { signal: abort.signal })).rejects.toThrow("enough");
  for (const none of [NaN, -1, 0.5, "7", undefined]) await expect(client.whenRevision(none as number)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });

  // The state goes on as another one: one who waits for a commit of that has it, and who waits for one of the old has nothing to wait for.
  const old = client.whenRevision(1_000);
  await within(stub, ({ state }) => state.destroy());
  const next = await commit();
  expect(next.session).not.toBe(session);
  await Promise.all([old, client.whenRevision(next.revision, next)]);
  expect([client.session, client.revision]).toEqual([next.session, next.revision]);
  const waiting = client.whenRevision(1_000);
  client.close();
  await expect(waiting).rejects.toMatchObject({ code: "CLOSED" });
  await expect(client.whenRevision(1_000)).rejects.toMatchObject({ code: "CLOSED" });
});
