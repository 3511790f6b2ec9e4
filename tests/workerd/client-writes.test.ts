import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { connect, type SyncedClient } from "patchwire/client";
import { SyncedState } from "patchwire/durable-objects";
import { inBare, newSession, socketTo, within, type Stub } from "./session.ts";
import type { Plan } from "./worker.ts";

// Pages change the state over real sockets, where the object lets them, awake or asleep.

const clients: SyncedClient<Plan>[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

function join(stub: Stub, path: string, onError?: (error: { code: string; path?: string | undefined }) => void): SyncedClient<Plan> {
  const client = connect<Plan>({ url: "ws://session/", WebSocket: socketTo(stub, undefined, path), StateTracker, onError });
  clients.push(client);
  return client;
}

const stored = (stub: Stub): Promise<Plan> => within(stub, ({ plan }) => structuredClone(plan.getState()) as Plan);
const isLive = (client: SyncedClient<Plan>): Promise<unknown> => vi.waitUntil(() => client.status === "live", { timeout: 15_000, interval: 5 });

test("a page's change is shown at once, stored, and seen by others, also after the object has slept", async () => {
  const stub = newSession();
  const [owner, reader] = [join(stub, "plan?owner"), join(stub, "plan")];
  await Promise.all([isLive(owner), isLive(reader)]);
  const made = owner.update((draft) => {
    draft.todos.push({ text: "from the page", done: false });
  });
  expect([owner.getState()?.todos.length, owner.revision]).toEqual([1, 0]);
  expect(await made).toBe(1);
  await evictDurableObject(stub);
  expect(await owner.update((draft) => void (draft.todos[0]!.done = true))).toBe(2);
  await reader.whenRevision(2);
  const expected = { draft: "", todos: [{ text: "from the page", done: true }], answer: "", secret: "hidden" };
  expect(await stored(stub)).toEqual(expected);
  const { secret: _, ...seen } = expected;
  expect([owner.getState(), reader.getState()]).toEqual([seen, seen]);
});

test("what rules, views and the state's validator don't allow is taken back, and said", async () => {
  const stub = newSession();
  const errors: unknown[] = [];
  const [owner, reader] = [join(stub, "plan?owner", (error) => errors.push(["owner", error.code, error.path])), join(stub, "plan", (error) => errors.push(["reader", error.code, error.path]))];
  await Promise.all([isLive(owner), isLive(reader)]);
  const refused = (client: SyncedClient<Plan>, recipe: (draft: Plan) => void): Promise<[string, string | undefined]> =>
    client.update(recipe as never).then(() => ["made", undefined], (error) => [error.code, error.path]);
  const outcomes = [
    await refused(owner, (draft) => void (draft.answer = "mine")),
    await refused(owner, (draft) => void ((draft as { secret?: string }).secret = "mine")),
    await refused(owner, (draft) => void (draft.draft = "no ".repeat(50))),
    await refused(owner, (draft) => void (draft.draft = "x".repeat(300_000))),
    await refused(reader, (draft) => void (draft.draft = "mine")),
  ];
  expect(outcomes).toEqual([["FORBIDDEN_PATH", "/answer"], ["FORBIDDEN_PATH", "/secret"], ["VALIDATION_FAILED", undefined], ["LIMIT_EXCEEDED", undefined], ["FORBIDDEN_PATH", undefined]]);
  expect(errors).toEqual(outcomes.map(([code, path], i) => [i < 4 ? "owner" : "reader", code, path]));
  const untouched = { draft: "", todos: [], answer: "" };
  expect([owner.getState(), reader.getState(), await stored(stub)]).toEqual([untouched, untouched, { ...untouched, secret: "hidden" }]);
  expect([owner.status, owner.revision]).toEqual(["live", 0]);
});

test("two pages and the object at once lose nothing", async () => {
  const stub = newSession();
  const [one, two] = [join(stub, "plan?owner"), join(stub, "plan?owner")];
  await Promise.all([isLive(one), isLive(two)]);
  const changes: Promise<unknown>[] = [];
  for (let i = 0; i < 40; i++) {
    changes.push(one.update((draft) => void draft.todos.push({ text: `one ${i}`, done: false })));
    changes.push(two.update((draft) => void draft.todos.unshift({ text: `two ${i}`, done: false })));
    if (i % 3 === 0) changes.push(within(stub, ({ plan }) => plan.append("/answer", `${i} `)));
    if (i % 5 === 0) await Promise.resolve();
  }
  await Promise.all(changes);
  const { todos, answer } = await stored(stub);
  expect(todos.map(({ text }) => text).sort()).toEqual(["one", "two"].flatMap((who) => Array.from({ length: 40 }, (_, i) => `${who} ${i}`)).sort());
  const revision = await within(stub, ({ plan }) => plan.revision);
  await Promise.all([one.whenRevision(revision), two.whenRevision(revision)]);
  for (const client of [one, two]) expect(client.getState()).toEqual({ draft: "", todos, answer });
});

test("rules that are none are refused before a socket is opened", async () => {
  await inBare((ctx) => {
    const answers: unknown[] = [];
    const returns = [["/draft"], { allow: "/draft" }, { allow: ["/draft:write"] }, { allow: ["/~2"] }, { rules: [] }, { allow: ["*"], validate() {} }, Promise.resolve({ allow: ["*"] }), true, { allow: ["x".repeat(5_000)] }];
    let next: unknown;
    const state = new SyncedState(ctx, { initial: { draft: "" }, clientWrites: () => next as never });
    for (next of returns) {
      try {
        state.fetch(new Request("http://session/", { headers: { Upgrade: "websocket" } }));
        answers.push("opened");
      } catch (error) {
        answers.push((error as { code: string }).code);
      }
    }
    expect(answers).toEqual([...Array(3).fill("VALIDATION_FAILED"), "INVALID_POINTER", ...Array(4).fill("VALIDATION_FAILED"), "LIMIT_EXCEEDED"]);
    expect(ctx.getWebSockets()).toEqual([]);
    for (next of [false, undefined, { allow: [] }, { allow: ["*"] }]) expect(state.fetch(new Request("http://session/", { headers: { Upgrade: "websocket" } })).status).toBe(101);
  });
});
