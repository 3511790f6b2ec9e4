import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { addNote, hello, newSession, stateOf, Wire, within, type Frame, type Stub } from "../session.ts";
import type { Session } from "../worker.ts";

// An update inside the object's own transaction was told and kept in memory, though the transaction was rolled back.

type Run = (session: Session, storage: DurableObjectStorage) => unknown;

const note = ({ state }: Session, text: string): void => state.update((draft) => void draft.notes.push({ text }));

/** A commit in a transaction that throws, and what else may happen then. */
const rolledBack: [name: string, run: Run][] = [
  ["a transaction that throws", (session, storage) => void storage.transactionSync(() => (note(session, "lost"), fail()))],
  ["a transaction whose caller goes on", (session, storage) => {
    expect(() => storage.transactionSync(() => (note(session, "lost"), fail()))).toThrow("rolled back");
    expect(session.state.getState().notes).toEqual([{ text: "a" }]);
    expect(session.state.revision).toBe(1);
  }],
  ["two commits with reads between", (session, storage) => void storage.transactionSync(() => {
    note(session, "lost");
    expect(session.state.getState().notes).toEqual([{ text: "a" }, { text: "lost" }]);
    note(session, "lost, too");
    expect(session.state.revision).toBe(3);
    fail();
  })],
  ["a commit that folds the log", (session, storage) => void storage.transactionSync(() => (note(session, "x".repeat(200_000)), note(session, "lost"), fail()))],
  ["a transaction that awaits", async (session, storage) => {
    await storage.transaction(async () => {
      note(session, "lost");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(session.state.revision).toBe(2);
      fail();
    });
  }],
  ["a transaction that rolls back and goes on", async (session, storage) => {
    await storage.transaction(async (transaction) => {
      note(session, "lost");
      transaction.rollback();
      expect(session.state.revision).toBe(1);
    });
  }],
];

function fail(): never {
  throw new Error("rolled back");
}

/** Runs it, and lets the error pass that it is about. */
const attempt = (stub: Stub, run: Run): Promise<void> =>
  within(stub, async (session, { storage }) => {
    try {
      await run(session, storage);
    } catch (error) {
      if ((error as Error).message !== "rolled back") throw error;
    }
  });

const texts = (wire: Wire): unknown[] => wire.chunks("state_patch").map(({ revision, chunk }: Frame) => [revision, chunk.patches[0].value?.text]);

test.each(rolledBack)("%s: nobody was shown it, and everybody goes on alike", async (_, run) => {
  const stub = newSession();
  const [wire, standard] = [await Wire.live(stub), await Wire.open(stub, hello(null, null, "rfc6902"))];
  await standard.until(({ type }) => type === "status");
  await addNote(stub, "a");
  await attempt(stub, run);
  await addNote(stub, "b");
  await Promise.all([wire.revision(2), standard.revision(2)]);
  for (const each of [wire, standard]) expect(texts(each)).toEqual([[1, "a"], [2, "b"]]);
  const expected = { revision: 2, state: { notes: [{ text: "a" }, { text: "b" }], count: 0, answer: "" } };
  expect(await stateOf(stub)).toEqual(expected);
  expect(await within(stub, ({ events }) => events.filter(({ type }) => type === "commit").length)).toBe(2);
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toEqual(expected);
  await addNote(stub, "c");
  await wire.revision(3);
});

test("an inner transaction that is rolled back and caught takes its own commits with it alone", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await within(stub, (session, { storage }) => {
    storage.transactionSync(() => {
      note(session, "b");
      expect(() => storage.transactionSync(() => (note(session, "lost"), fail()))).toThrow("rolled back");
      expect(session.state.getState().notes).toEqual([{ text: "a" }, { text: "b" }]);
      note(session, "c");
      storage.transactionSync(() => note(session, "d"));
    });
    expect(session.events.filter(({ type }) => type === "commit").map((event) => (event as { revision: number }).revision)).toEqual([1, 2, 3, 4]);
  });
  await wire.revision(4);
  expect(texts(wire)).toEqual([[1, "a"], [2, "b"], [3, "c"], [4, "d"]]);
  await evictDurableObject(stub);
  expect((await stateOf(stub)).state.notes.map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
});

test("a transaction that commits is told of when it has, in order", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await within(stub, async (session, { storage }) => {
    storage.transactionSync(() => {
      note(session, "a");
      expect(session.events).toEqual([]);
    });
    expect(session.events).toMatchObject([{ type: "commit", revision: 1 }]);
    await storage.transaction(async () => {
      note(session, "b");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(session.events).toHaveLength(1);
    });
    expect(session.events).toHaveLength(2);
  });
  await wire.revision(2);
  expect(texts(wire)).toEqual([[1, "a"], [2, "b"]]);
});

test.each([
  ["read", ({ state }: Session): unknown => state.getState()],
  ["changed", (session: Session): unknown => note(session, "lost")],
])("a state that is first %s inside a transaction that is rolled back begins afterwards", async (_, use) => {
  const stub = newSession();
  await attempt(stub, (session, storage) => storage.transactionSync(() => (use(session), fail())));
  expect(await stateOf(stub)).toMatchObject({ revision: 0, state: { notes: [] } });
  await addNote(stub, "a");
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 1, state: { notes: [{ text: "a" }] } });
});

test("an object that wakes inside a transaction that is rolled back goes on with its connections", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await wire.revision(1);
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await attempt(stub, (session, storage) => storage.transactionSync(() => (note(session, "lost"), fail())));
  await addNote(stub, "b");
  await wire.revision(2);
  expect(texts(wire)).toEqual([[1, "a"], [2, "b"]]);
});

test("an event stream that begins inside a transaction hears what was committed, and nothing else", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const first = await within(stub, async (session, { storage }) => {
    let response!: Response;
    expect(() => storage.transactionSync(() => {
      note(session, "lost");
      response = session.fetch(new Request("http://session/", { headers: { Accept: "text/event-stream" } }));
      fail();
    })).toThrow("rolled back");
    const { value } = await response.body!.getReader().read();
    return new TextDecoder().decode(value);
  });
  expect(first).toContain('"revision":1');
  expect(first).not.toContain("lost");
});
