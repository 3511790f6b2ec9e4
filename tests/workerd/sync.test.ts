import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { EventReader } from "./event-reader.ts";
import { addNote, hello, newSession, stateOf, update, Wire, within, type Frame } from "./session.ts";

const note = (text: string): Frame => ({ op: "add", path: "/notes/-", value: { text } });
const patch = (revision: number, ...patches: Frame[]): Frame => ({ type: "chunk", sequence: revision, revision, chunk: { type: "state_patch", patches } });
const isStatus = (frame: Frame): boolean => frame.type === "status";
const isFail = (frame: Frame): boolean => frame.type === "fail";

test("a hello brings the state, and then every commit", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const wire = await Wire.live(stub);
  const session = wire.frames[0]!.chunk.session as string;
  expect(session).toMatch(/^[0-9a-f-]{36}$/);
  expect(wire.frames).toEqual([
    { type: "chunk", sequence: 1, revision: 1, chunk: { type: "state_snapshot", session, part: 1, parts: 1, state: { notes: [{ text: "a" }], count: 0, answer: "" } } },
    { type: "status", sequence: 1, revision: 1, session, status: "active" },
  ]);
  await addNote(stub, "b");
  await within(stub, ({ state }) => state.append("/answer", "Hel"));
  await within(stub, ({ state }) => state.append("/answer", "lo"));
  await wire.revision(4);
  expect(wire.frames.slice(2)).toEqual([
    patch(2, note("b")),
    patch(3, { op: "str_ins", path: "/answer", pos: 0, str: "Hel" }),
    patch(4, { op: "str_ins", path: "/answer", pos: 3, str: "lo" }),
  ]);
});

test("who comes back gets what it missed, who was too far away everything", async () => {
  const stub = newSession();
  const first = await Wire.live(stub);
  const session = first.frames[0]!.chunk.session;
  first.close();
  for (const text of ["a", "b", "c"]) await addNote(stub, text);
  const back = await Wire.open(stub, hello(session, 1));
  await back.until(isStatus);
  expect(back.frames.slice(0, 2)).toEqual([patch(2, note("b")), patch(3, note("c"))]);

  // The recent patches survive in storage, not in memory alone.
  back.close();
  await evictDurableObject(stub);
  const later = await Wire.open(stub, hello(session, 2));
  await later.until(isStatus);
  expect(later.frames[0]).toEqual(patch(3, note("c")));

  const stranger = await Wire.open(stub, hello("another session", 2));
  await stranger.until(isStatus);
  expect(stranger.frames.map((frame) => frame.chunk?.reason ?? frame.chunk?.type ?? frame.type)).toEqual(["session", "state_snapshot", "status"]);
  expect(await within(stub, ({ events }) => events)).toEqual([{ type: "resync", reason: "session", connections: 1 }]);
});

test("connections survive hibernation and go on where they were", async () => {
  const stub = newSession();
  const [one, two] = [await Wire.live(stub), await Wire.live(stub)];
  const silent = await Wire.open(stub);
  await addNote(stub, "a");
  await Promise.all([one.revision(1), two.revision(1)]);
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await addNote(stub, "b");
  await Promise.all([one.revision(2), two.revision(2)]);
  for (const wire of [one, two]) expect(wire.frames.slice(2)).toEqual([patch(1, note("a")), patch(2, note("b"))]);
  // A message wakes it, too.
  await evictDurableObject(stub);
  silent.say(hello(null, null));
  expect(await silent.until(isStatus)).toMatchObject({ revision: 2 });
  one.say(hello(one.frames[0]!.chunk.session, 1));
  await one.until((frame) => isStatus(frame) && frame.revision === 2);
  expect(one.frames.at(-2)).toEqual(patch(2, note("b")));
});

test("a connection that missed a commit gets it when the object wakes", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await wire.revision(1);
  // As if memory had been lost between the commit and its broadcast: what it writes is what it writes in another object.
  const other = newSession();
  for (const text of ["a", "b"]) await addNote(other, text);
  const [row] = await within(other, (_, { storage }) => [...storage.sql.exec("SELECT last, hash, patch FROM patchwire_log")]);
  await within(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE patchwire_log SET last = ?, hash = ?, patch = ?", row!.last, row!.hash, row!.patch);
  });
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 2 });
  await wire.revision(2);
  expect(wire.chunks("state_patch").at(-1)).toEqual(patch(2, note("b")));
});

test("a wiped object closes the connections that knew it", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await within(stub, (_, { storage }) => storage.deleteAll());
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 0 });
  await expect.poll(() => wire.closed?.code).toBe(1012);
});

test.each([
  ["no JSON", "nonsense", "INVALID_JSON"],
  ["an unknown type", { type: "launch" }, "VALIDATION_FAILED"],
  ["no type", {}, "VALIDATION_FAILED"],
  ["a malformed write", { type: "write", id: 1, revision: 0 }, "VALIDATION_FAILED"],
  ["a write", { type: "write", id: 1, revision: 0, patches: [{ op: "replace", path: "/count", value: 9 }] }, "FORBIDDEN_PATH"],
  ["a malformed hello", { ...hello(null, null), revision: "1" }, "VALIDATION_FAILED"],
])("%s is refused with a code, and disturbs nobody", async (_, frame, code) => {
  const stub = newSession();
  const [bad, bystander] = [await Wire.live(stub), await Wire.live(stub)];
  await update(stub, (draft) => void (draft.answer = "the secret"));
  bad.say(frame);
  const fail = await bad.until((frame) => frame.error !== undefined);
  expect([fail.error.code, fail.type, fail.id]).toEqual([code, ...(code === "FORBIDDEN_PATH" ? ["refused", 1] : ["fail", undefined])]);
  expect(JSON.stringify(fail)).not.toContain("secret");
  await addNote(stub, "b");
  await Promise.all([bad.revision(2), bystander.revision(2)]);
  expect(bystander.frames.length).toBe(4);
  expect(bystander.frames.some(isFail)).toBe(false);
  expect(await within(stub, ({ events }) => events.filter(({ type }) => type === "refusal"))).toMatchObject([{ code, connections: 1 }]);
});

test("a client that claims a revision that doesn't exist is told so and given the state", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  wire.say(hello(wire.frames[0]!.chunk.session, 1_000));
  expect((await wire.until(isFail)).error.code).toBe("STALE_STATE");
  await wire.until((frame) => frame.chunk?.reason === "ahead");
  await expect.poll(() => wire.chunks("state_snapshot").length).toBe(2);
});

test("oversized frames close the connection that sent them", async () => {
  const stub = newSession();
  const [bad, bystander] = [await Wire.live(stub), await Wire.live(stub)];
  bad.say("x".repeat((4 << 20) + 1));
  expect((await bad.until(isFail)).error.code).toBe("LIMIT_EXCEEDED");
  await expect.poll(() => bad.closed?.code).toBe(1009);
  await addNote(stub, "a");
  await bystander.revision(1);
  expect(await stateOf(stub)).toMatchObject({ revision: 1 });
});

test("another version of the protocol is refused for good; bytes are read as text", async () => {
  const stub = newSession();
  const wire = await Wire.open(stub, { ...hello(null, null), version: 2 });
  expect((await wire.until(isFail)).error.code).toBe("VALIDATION_FAILED");
  await expect.poll(() => wire.closed?.code).toBe(1002);
  const bytes = await Wire.open(stub);
  bytes.bytes(new TextEncoder().encode(JSON.stringify(hello(null, null))));
  await bytes.until(isStatus);
});

test("a snapshot over the frame limit comes in parts, and a patch over it as a snapshot", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  const large = '"\\'.repeat(1_200_000);
  await addNote(stub, large);
  await wire.until((frame) => frame.chunk?.type === "state_snapshot" && frame.chunk.part === frame.chunk.parts && frame.chunk.parts > 1);
  const parts = wire.chunks("state_snapshot").slice(1);
  expect(wire.chunks("stream_resync").map(({ chunk }) => chunk.reason)).toEqual(["size"]);
  expect(JSON.parse(parts.map(({ chunk }) => chunk.text).join("")).notes[0].text === large).toBe(true);
});

test("who understands RFC 6902 only gets nothing else", async () => {
  const stub = newSession();
  const wire = await Wire.open(stub, hello(null, null, "rfc6902"));
  await wire.until(isStatus);
  await within(stub, ({ state }) => {
    state.append("/answer", "Hel");
    state.append("/answer", "lo");
    state.increment("/count", 2);
  });
  await wire.revision(3);
  expect(wire.chunks("state_patch").flatMap(({ chunk }) => chunk.patches)).toEqual([
    { op: "replace", path: "/answer", value: "Hel" },
    { op: "replace", path: "/answer", value: "Hello" },
    { op: "replace", path: "/count", value: 2 },
  ]);
});

test("a ping is answered", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await evictDurableObject(stub);
  wire.say('{"type":"ping"}');
  await wire.until(({ type }) => type === "pong");
});

test("plain requests read the state, and what came after a revision", async () => {
  const stub = newSession();
  for (const text of ["a", "b"]) await addNote(stub, text);
  const get = async (query: string, init?: RequestInit): Promise<[number, any]> => {
    const answer = await stub.fetch(`http://session/${query}`, init);
    return [answer.status, await answer.json().catch(() => undefined)];
  };
  const [, { session, ...snapshot }] = await get("");
  expect(snapshot).toEqual({ revision: 2, state: { notes: [{ text: "a" }, { text: "b" }], count: 0, answer: "" } });
  const status = { type: "status", sequence: 2, revision: 2, session, status: "active" };
  expect(await get(`?since=1&session=${session}`)).toEqual([200, { session, revision: 2, frames: [patch(2, note("b")), status] }]);
  expect(await get(`?since=2&session=${session}`)).toEqual([200, { session, revision: 2, frames: [status] }]);
  const [, stranger] = await get("?since=1&session=other");
  expect(stranger.frames.map((frame: Frame) => frame.chunk?.type ?? frame.type)).toEqual(["stream_resync", "state_snapshot", "status"]);
  for (const other of ["-1", "0x1", "1.5", "%203"]) expect((await get(`?since=${other}`))[0]).toBe(400);
  // A mistyped dialect would be the other one without a word, also of a stream.
  for (const query of ["?dialect=extnded", "?since=1&dialect=", "?dialect=Extended"]) expect((await get(query))[0]).toBe(400);
  const mistyped = await stub.fetch("http://session/?dialect=extnded", { headers: { Accept: "text/event-stream" } });
  expect([mistyped.status, ((await mistyped.json()) as any).error.code]).toEqual([400, "VALIDATION_FAILED"]);
  expect((await get("?since=x"))[1].error).toEqual({ code: "VALIDATION_FAILED", message: expect.not.stringContaining("VALIDATION_FAILED") });
  const refused = await stub.fetch("http://session/", { method: "POST" });
  expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
});

test("a HEAD request is answered as a GET request, without the body", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const ask = async (query: string, init: RequestInit): Promise<[status: number, headers: (string | null)[], body: string]> => {
    const { status, headers, body } = await stub.fetch(`http://session/${query}`, init);
    const [first] = body === null ? [] : [await body.getReader().read()];
    return [status, ["Content-Type", "Cache-Control"].map((name) => headers.get(name)), new TextDecoder().decode(first?.value)];
  };
  for (const [query, headers] of [["", {}], ["?since=x", {}], ["", { Accept: "text/event-stream" }]] as const) {
    const [status, told, body] = await ask(query, { headers });
    expect(body).not.toBe("");
    expect(await ask(query, { headers, method: "HEAD" })).toEqual([status, told, ""]);
  }
});

test("an event stream carries the same frames and goes on from its last event", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const headers = { Accept: "text/event-stream" };
  const first = await EventReader.open(stub.fetch("http://session/?dialect=extended", { headers }));
  await first.until(({ data }) => data?.type === "status");
  await addNote(stub, "b");
  const event = await first.until(({ data }) => data?.revision === 2 && data.type === "chunk");
  expect(event.data).toEqual(patch(2, note("b")));
  await first.until(({ id }) => id !== undefined && JSON.parse(id).revision === 2);
  await first.cancel();

  await addNote(stub, "c");
  const again = await EventReader.open(stub.fetch("http://session/", { headers: { ...headers, "Last-Event-ID": first.lastId! } }));
  await again.until(({ data }) => data?.type === "status");
  expect(again.events[0]!.data).toEqual(patch(3, note("c")));
  await again.cancel();
  await addNote(stub, "d");
});
