import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, type JSONPatchOperation } from "patchwire";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";
import { hello, Socket, stateOf } from "../support/sockets.ts";
import { json, perform, step, type Json } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";
import { marked, marksIn, shown, view, type View } from "../support/views.ts";

// Whoever has a view has what it shows of the state, at each revision, and is sent nothing of what it hides.

type Any = any;
const changes = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), then: fc.constantFrom("goes on", "goes on", "sleeps", "comes back", "rolls back", "restores") }), { maxLength: 8 });

/** A client that does what its frames say. */
class Reader {
  readonly socket = new Socket((frame) => this.read(frame));
  readonly known: { session?: string; revision?: number } = {};
  readonly marks: string[] = [];
  private readonly slices: string[] = [];
  state: Any = undefined;

  constructor(readonly view: View, readonly dialect: "extended" | "rfc6902") {
    // As an upgrade leaves it.
    this.socket.serializeAttachment(["", JSON.stringify(view)]);
  }

  private read(frame: string): void {
    this.marks.push(...marksIn(frame));
    const { revision, session, chunk } = JSON.parse(frame);
    if (session !== undefined) this.known.session = session;
    if (chunk?.type === "state_snapshot") {
      this.known.session = chunk.session;
      if (chunk.part === 1) this.slices.length = 0;
      this.slices.push(chunk.text);
      if (chunk.part === chunk.parts) this.state = chunk.parts === 1 ? chunk.state : JSON.parse(this.slices.join(""));
    }
    if (chunk?.type === "state_patch") {
      if (this.dialect === "rfc6902") expect((chunk.patches as JSONPatchOperation[]).filter(({ op }) => op === "str_ins" || op === "inc")).toEqual([]);
      this.state = applyPatch(this.state, chunk.patches);
    }
    this.known.revision = revision;
  }
}

test("each client has what its view shows, whoever sleeps, and nothing that it hides", async () => {
  await fc.assert(
    fc.asyncProperty(json.filter((value) => typeof value === "object" && value !== null), fc.array(fc.tuple(view, fc.constantFrom("extended" as const, "rfc6902" as const)), { minLength: 1, maxLength: 3 }), changes, fc.constantFrom(1_024, 8 << 20), async (initial, given, changes, frame) => {
      let count = 0;
      const mark = (): string => `mark ${count++}!`;
      const readers = given.map(([view, dialect]) => new Reader(view, dialect));
      const requests: View[] = [];
      const storage = nodeStorage(new DatabaseSync(":memory:"));
      const options = { initial: marked(initial, mark), view: () => requests.pop() ?? {}, limits: { frame }, retention: { revisions: 100 } };
      const state = stateOf<Any>(options, readers.map(({ socket }) => socket), storage);
      const seen = readers.map(() => new Set<string>());
      const look = async (): Promise<void> => {
        for (const [i, reader] of readers.entries()) {
          const expected = shown(state.getState(), reader.view);
          marksIn(JSON.stringify(expected)).forEach((each) => seen[i]!.add(each));
          expect(reader.state).toEqual(expected);
          for (const each of reader.marks) expect(seen[i], "a hidden value was sent").toContain(each);
          requests.push(reader.view);
          const snapshot = await (state.fetch(new Request("https://state/")) as Any).json();
          expect(snapshot).toEqual({ session: reader.known.session, revision: state.revision, state: expected });
          requests.push(reader.view);
          const { frames } = await (state.fetch(new Request(`https://state/?since=${reader.known.revision}&session=${reader.known.session}`)) as Any).json();
          expect(frames).toEqual([expect.objectContaining({ type: "status" })]);
        }
      };
      state.getState();
      await Promise.resolve();
      for (const { socket, dialect } of readers) hello(state, socket, dialect);
      await look();
      for (const { steps, then } of changes) {
        const fresh = steps.map((one) => ({ ...one, value: marked(one.value, mark) }));
        const change = (): void => state.update((draft: Any) => fresh.forEach((one) => perform(draft as Json, one)));
        if (then === "rolls back") {
          // Nobody is told of it.
          expect(() => storage.transactionSync(() => { change(); throw new Error("taken back"); })).toThrow("taken back");
        } else change();
        await look();
        if (then === "sleeps") expect(state.unload()).toBe(true);
        if (then === "restores") state.restore(Math.floor(state.revision / 2));
        if (then === "comes back") for (const { socket, dialect, known } of readers) hello(state, socket, dialect, known);
        await look();
      }
    }),
    asked(200),
  );
}, 90_000);

describe("by example", () => {
  const initial = { answer: "", log: [{ text: "a", cost: 1 }], keys: { api: "s3cret" } };
  const views: Record<string, View> = { admin: {}, guest: { exclude: ["/keys", "/log/*/cost"] }, nobody: { include: [] } };
  const begin = (view: Any = (request: Request) => views[request.headers.get("x-role") ?? "nobody"]!): SyncedState<typeof initial> =>
    new SyncedState({ storage: memoryStorage() }, { initial, view });
  const ask = async (state: SyncedState<Any>, role: string, query = ""): Promise<Any> => (state.fetch(new Request(`https://state/${query}`, { headers: { "x-role": role } })) as Any).json();

  test("an event stream, a snapshot and frames show what the request may see", async () => {
    const state = begin();
    const stream = state.fetch(new Request("https://state/", { headers: { "x-role": "guest", Accept: "text/event-stream" } })) as Response;
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let events = (await reader.read()).value!;
    state.update((draft) => {
      draft.log.push({ text: "b", cost: 22 });
      draft.keys.api = "0ther";
    });
    state.update((draft) => void (draft.keys.api = "an0ther"));
    while (!events.includes('"revision":2')) events += (await reader.read()).value!;
    expect(events).toContain('"patches":[{"op":"add","path":"/log/-","value":{"text":"b"}}]');
    expect(events).toContain('"patches":[]');
    expect(events).not.toMatch(/s3cret|0ther|cost|keys/);
    expect((await ask(state, "guest")).state).toEqual({ answer: "", log: [{ text: "a" }, { text: "b" }] });
    expect((await ask(state, "admin")).state).toEqual(state.getState());
    expect((await ask(state, "nobody")).state).toBe(null);
    const { session } = await ask(state, "guest");
    const { frames } = await ask(state, "guest", `?since=1&session=${session}`);
    expect(frames.map(({ chunk }: Any) => chunk?.patches)).toEqual([[], undefined]);
  });

  test("who comes back with another view is sent a snapshot", async () => {
    const state = begin();
    const { session, revision } = await ask(state, "guest");
    state.append("/answer", "Hi");
    expect(session).toMatch(/^[\w-]+~[\da-f]{16}$/);
    expect(session.startsWith(state.session)).toBe(true);
    const { frames } = await ask(state, "admin", `?since=${revision}&session=${session}`);
    expect(frames.map(({ chunk, type }: Any) => chunk?.type ?? type)).toEqual(["stream_resync", "state_snapshot", "status"]);
  });

  test("what isn't a view is refused before anything is told", async () => {
    const wrong: [unknown, string][] = [
      [undefined, "VALIDATION_FAILED"],
      [Promise.resolve({}), "VALIDATION_FAILED"],
      [["/keys"], "VALIDATION_FAILED"],
      [{ excludes: ["/keys"] }, "VALIDATION_FAILED"],
      [{ exclude: ["keys"] }, "INVALID_POINTER"],
      [{ exclude: ["/log/**"] }, "INVALID_POINTER"],
      [{ exclude: [`/${"k".repeat(4_100)}`] }, "LIMIT_EXCEEDED"],
    ];
    for (const [view, code] of wrong) {
      const state = begin(() => view);
      for (const headers of [{}, { Accept: "text/event-stream" }]) expect(refusal(() => state.fetch(new Request("https://state/", { headers }))).code).toBe(code);
      state.append("/answer", "Hi");
      expect(state.revision).toBe(1);
    }
    const failing = begin(() => { throw new Error("who is it?"); });
    expect(() => failing.fetch(new Request("https://state/"))).toThrow("who is it?");
    expect(refusal(() => begin({ exclude: ["/keys"] })).message).toContain("the option view");
  });

  test("a socket of a time without views is closed, and one of a time with views goes on seeing its own", async () => {
    const views: [attachment: unknown, view: Any, isClosed: boolean][] = [["", () => ({}), true], [["", '{"exclude":["/keys"]}'], undefined, false]];
    for (const [attachment, view, isClosed] of views) {
      const socket = new Socket();
      socket.serializeAttachment(attachment);
      const state = stateOf<Any>({ initial: { n: 0, keys: 1 }, view }, [socket]);
      state.getState();
      await Promise.resolve();
      hello(state, socket);
      expect([socket.isClosed, socket.frames[0]?.chunk]).toEqual([isClosed, isClosed ? undefined : expect.objectContaining({ state: { n: 0 } })]);
    }
  });

  test("a store says what its own requests may see, whichever store opened the state", async () => {
    const storage = memoryStorage();
    const [open, shut] = [new DurableStateStore(storage), new DurableStateStore(storage, { view: () => ({ exclude: ["/keys"] }) })];
    await open.createSession("s", { customState: initial });
    const ask = async (store: DurableStateStore): Promise<Any> => ((await (store.fetch("s", new Request("https://store/")) as Any).json()) as Any).state;
    expect(await ask(shut)).toEqual({ answer: "", log: initial.log });
    expect(await ask(open)).toEqual(initial);
    expect(refusal(() => new DurableStateStore(storage, { view: {} as Any })).message).toContain("the option view");
  });
});

test("a view that a table lacks, or that isn't plain, is refused, and where may be written is checked as well", async () => {
  const returns = async (options: object): Promise<string> => {
    const state = new SyncedState({ storage: memoryStorage() }, { initial: {}, ...options });
    return refusal(() => state.fetch(new Request("https://session/"))).message;
  };
  expect(await returns({ view: () => ({ exclude: undefined }) })).toContain("the option view returned exclude: undefined");
  expect(await returns({ view: () => ({ exclude: new Map() }) })).toContain("the option view returned what isn't plain JSON");
});
