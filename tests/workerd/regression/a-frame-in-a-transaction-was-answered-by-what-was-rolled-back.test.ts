import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { EventReader } from "../event-reader.ts";
import { addNote, hello, newSession, stateOf, update, Wire, within, type Frame, type Stub } from "../session.ts";
import type { Session } from "../worker.ts";

// What a connection said while a transaction was open was answered at once, with a state that was rolled back; where the object
// had just woken, it was never answered.

const note = ({ state }: Session, text: string): void => state.update((draft) => void draft.notes.push({ text }));

function fail(): never {
  throw new Error("rolled back");
}

/** Says it for each socket of the object, from inside of it. */
const say = (session: Session, ctx: DurableObjectState, frame: object): void =>
  ctx.getWebSockets().forEach((socket) => session.state.webSocketMessage(socket, JSON.stringify(frame)));

const rolledBack = (stub: Stub, run: (session: Session, ctx: DurableObjectState) => void): Promise<void> =>
  within(stub, (session, ctx) => void expect(() => ctx.storage.transactionSync(() => (run(session, ctx), fail()))).toThrow("rolled back"));

const texts = (frames: Frame[]): unknown[] => frames.map(({ chunk }) => chunk.patches[0].value?.text);

test("a frame is answered when the transaction has ended, by what there is then", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await wire.revision(1);
  await rolledBack(stub, (session, ctx) => {
    note(session, "lost");
    say(session, ctx, hello(null, null));
  });
  await within(stub, (session, { storage }) => storage.transactionSync(() => note(session, "b")));
  await addNote(stub, "c");
  await wire.revision(3);
  expect(JSON.stringify(wire.frames)).not.toContain("lost");
  expect(texts(wire.chunks("state_patch"))).toEqual(["a", "b", "c"]);
  expect(wire.chunks("state_snapshot").at(-1)!.chunk.state.notes).toEqual([{ text: "a" }]);
});

test("a frame that wakes the object in a transaction is answered", async () => {
  const stub = newSession();
  const wire = await Wire.open(stub);
  await addNote(stub, "a");
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await within(stub, (session, ctx) => ctx.storage.transactionSync(() => say(session, ctx, hello(null, null))));
  await wire.until(({ type }) => type === "status");
  await addNote(stub, "b");
  await wire.revision(2);
});

test("an event stream that is opened in a transaction which is rolled back begins with what there is", async () => {
  const stub = newSession();
  let response: Response | undefined;
  await rolledBack(stub, (session) => {
    response = session.state.fetch(new Request("http://session/", { headers: { Accept: "text/event-stream" } }));
    note(session, "lost");
  });
  const stream = await EventReader.open(Promise.resolve(response!));
  await stream.until(({ data }) => data?.type === "status");
  await addNote(stub, "a");
  await stream.until(({ data }) => data?.revision === 1);
  await stream.cancel();
});

test("a request for the state is put off while a transaction is open", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const answer = await within(stub, ({ state }, { storage }) => storage.transactionSync(() => state.fetch(new Request("http://session/?since=0"))));
  expect([answer.status, await answer.json()]).toEqual([503, { error: { code: "TRACKER_BUSY", message: expect.stringContaining("ask again") } }]);
  expect((await stub.fetch("http://session/")).status).toBe(200);
});

test("a deletion that is rolled back closes nobody, and takes no commit's telling with it", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await rolledBack(stub, ({ state }) => state.destroy());
  await within(stub, (session, { storage }) =>
    storage.transactionSync(() => {
      note(session, "a");
      expect(() => storage.transactionSync(() => (session.state.destroy(), fail()))).toThrow("rolled back");
      note(session, "b");
    }),
  );
  await wire.revision(2);
  expect(texts(wire.chunks("state_patch"))).toEqual(["a", "b"]);
  expect(wire.closed).toBeUndefined();
  expect(await within(stub, ({ events }) => events.filter(({ type }) => type === "commit").length)).toBe(2);
  expect(await stateOf(stub)).toMatchObject({ revision: 2, state: { notes: [{ text: "a" }, { text: "b" }] } });
  await within(stub, (session, { storage }) => storage.transactionSync(() => (note(session, "c"), session.state.destroy())));
  await expect.poll(() => wire.closed?.code).toBe(1012);
  expect(wire.chunks("state_patch").length).toBe(2);
  await update(stub, (draft) => void (draft.answer = "anew"));
  expect(await stateOf(stub)).toMatchObject({ revision: 1 });
});
