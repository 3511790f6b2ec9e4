import { expect, test } from "vitest";
import { attach } from "patchwire/agents";
import { SyncedState } from "patchwire/durable-objects";
import { nodeStorage } from "patchwire/durable-objects";
import { DatabaseSync } from "node:sqlite";
import { refusal } from "../support/refusal.ts";
import { hello, Socket } from "../support/sockets.ts";

// tests/packaging/ has a real Agent; here is what one can't show: several states, sockets of nobody, and what isn't an agent.

test("each state has its own sockets, and the object all others", async () => {
  const sockets: Record<string, Socket> = { "patchwire:a": new Socket(), "patchwire:b": new Socket(), "theirs": new Socket(), "patchwires": new Socket() };
  const stranger = new Socket();
  const seen: unknown[] = [];
  const getTags = (socket: unknown): string[] => {
    const found = Object.entries(sockets).find(([, one]) => one === socket);
    if (found === undefined) throw new Error("not accepted");
    return [found[0]];
  };
  class Theirs {
    ctx = { storage: nodeStorage(new DatabaseSync(":memory:")), getTags, acceptWebSocket() {}, getWebSockets: (tag?: string) => (tag === undefined ? [] : [sockets[tag]!]), getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
    webSocketMessage = (socket: unknown, message: string): number => seen.push([socket, message]);
  }
  class Agent extends Theirs {
    a = attach(this, new SyncedState<{ n: number }>(this.ctx as never, { name: "a", initial: { n: 0 } }));
    b = attach(this, new SyncedState<{ n: number }>(this.ctx as never, { name: "b", initial: { n: 0 } }));
  }
  const agent = new Agent();
  const speaks = { webSocketMessage: (socket: unknown, message: string) => agent.webSocketMessage(socket, message) };
  for (const state of [agent.a, agent.b]) state.getState();
  await Promise.resolve();
  for (const socket of [...Object.values(sockets), stranger]) hello(speaks as never, socket);
  agent.a.update((draft) => void (draft.n = 1));
  expect(Object.values(sockets).map(({ revisions }) => revisions)).toEqual([[0, 1], [0], [], []]);
  expect(seen.map(([socket]: any) => socket)).toEqual([sockets["theirs"], sockets["patchwires"], stranger]);
  // It had no handler of that kind.
  (agent as any).webSocketClose(sockets["theirs"], 1000, "", true);
  (agent as any).webSocketClose(sockets["patchwire:a"], 1000, "", true);
  expect(Object.values(sockets).map(({ isClosed }) => isClosed)).toEqual([true, false, false, false]);
});

test("what isn't an agent or a state is refused", () => {
  const state = { webSocketMessage() {}, webSocketClose() {}, webSocketError() {} };
  expect(refusal(() => attach({}, state)).message).toContain("the first argument is the agent");
  expect(refusal(() => attach({ ctx: { getTags: () => [] } }, {} as never)).message).toContain("the second argument is a SyncedState");
});

test("a state that is attached twice hears once, and what can't have handlers is refused each time", () => {
  const heard: unknown[] = [];
  const state = { webSocketMessage: (...given: unknown[]) => void heard.push(given), webSocketClose() {}, webSocketError() {} };
  const agent = { ctx: { getTags: () => ["patchwire"] } } as any;
  attach(agent, attach(agent, state));
  agent.webSocketMessage({}, "hello");
  expect(heard.length).toBe(1);
  const frozen = Object.freeze({ ctx: { getTags: () => [] } });
  for (let i = 0; i < 2; i++) expect(refusal(() => attach(frozen, state)).message).toContain("can't be given handlers");
});
