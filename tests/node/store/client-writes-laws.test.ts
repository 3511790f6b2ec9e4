import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { Network } from "../support/network.ts";
import { asked } from "../support/runs.ts";

// What clients write is made once or not at all, as they are told; and in the end everybody has the same.

interface Item {
  id: string;
  n: number;
  text: string;
}

interface Board {
  lists: Item[][];
  count: number;
  note: string;
}

type Recipe = (draft: Board) => void;
type Kind = [kind: number, list: number, which: number];

/** A recipe, which finds what it means on whatever the state is by then. */
function recipe([kind, list, which]: Kind, id: string): Recipe {
  const some = (draft: Board): Item | undefined => draft.lists[list % 2]![which % (draft.lists[list % 2]!.length || 1)];
  const kinds: Recipe[] = [
    (draft) => void draft.lists[list % 2]!.push({ id, n: 0, text: "" }),
    (draft) => void draft.lists[list % 2]!.splice(which, 0, { id, n: 0, text: "" }),
    (draft) => {
      draft.count += 1;
    },
    (draft) => {
      const item = some(draft);
      if (item !== undefined) item.text += id;
    },
    (draft) => {
      draft.note = id;
    },
    (draft) => {
      draft.lists[list % 2]!.reverse();
    },
    (draft) => {
      const [item] = draft.lists[list % 2]!.splice(which, 1);
      if (item !== undefined) draft.lists[(list + 1) % 2]!.push(item);
    },
    (draft) => {
      draft.lists = draft.lists.map((items) => items.map((item) => ({ ...item, n: item.n + 1 })));
    },
  ];
  return kinds[kind % kinds.length]!;
}

const kind: fc.Arbitrary<Kind> = fc.tuple(fc.nat(7), fc.nat(1), fc.nat(5));
const act = fc.oneof(
  { arbitrary: fc.record({ what: fc.constant("write" as const), who: fc.nat(2), kind }), weight: 4 },
  { arbitrary: fc.record({ what: fc.constant("server" as const), kind }), weight: 2 },
  { arbitrary: fc.record({ what: fc.constant("arrives" as const), which: fc.nat(9) }), weight: 8 },
  { arbitrary: fc.record({ what: fc.constantFrom("breaks" as const, "sleeps" as const), which: fc.nat(9) }), weight: 1 },
);

test("what clients write is made once, in full, or not at all", async () => {
  const happened = new Map<string, number>();
  const count = (what: string): void => void happened.set(what, (happened.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
      const initial: Board = { lists: [[{ id: "a", n: 0, text: "" }, { id: "b", n: 0, text: "" }], [{ id: "c", n: 0, text: "" }]], count: 0, note: "" };
      const network = new Network<Board>({ initial, clientWrites: () => false });
      const clients = [0, 1, 2].map(() => network.client({ StateTracker }, ["*"]));
      const settle = async (): Promise<void> => {
        // Promises and listeners take their turns.
        for (let i = 0; i < 5; i++) await Promise.resolve();
      };
      const deliver = async (): Promise<void> => {
        do await settle();
        while (network.step(() => 0));
      };
      try {
        await deliver();
        const told: { id: string; kind: number; outcome?: number | string }[] = [];
        let counted = 0;
        for (const [at, one] of acts.entries()) {
          const id = `<${at}>`;
          if (one.what === "write") {
            const entry: (typeof told)[number] = { id, kind: one.kind[0] };
            told.push(entry);
            const client = clients[one.who]!;
            const shown = structuredClone(client.getState()) as Board;
            const change = recipe(one.kind, id);
            client.update(change as never).then((revision) => (entry.outcome = revision), (error) => (entry.outcome = error.code));
            // It is shown at once, as it would be on a plain object.
            change(shown);
            expect(client.getState()).toEqual(shown);
          } else if (one.what === "server") {
            if (one.kind[0] === 2) counted++;
            network.state.update(recipe(one.kind, id) as never);
          } else if (one.what === "arrives") network.step((count) => one.which % count);
          else if (one.what === "sleeps") network.state.unload();
          else {
            const open = network.lines.filter((line) => line.isOpen && !line.socket.isClosed);
            if (open.length > 0) network.break(open[one.which % open.length]!);
          }
          await settle();
        }
        for (let round = 0; round < 3; round++) {
          await deliver();
          clients.forEach((client) => client.status !== "live" && client.reconnect());
        }
        await deliver();

        const state = network.state.getState() as Board;
        for (const client of clients) expect([client.status, client.revision, client.getState()]).toEqual(["live", network.state.revision, state]);
        for (const { socket } of network.lines) for (const frame of socket.frames as { type: string; error?: { code: string } }[]) count(frame.error?.code ?? frame.type);
        for (const { outcome, id } of told) count(String(typeof outcome === "number" ? "made" : outcome)), expect([id, typeof outcome === "number" ? "made" : outcome]).toEqual([id, expect.stringMatching(/made|CLOSED/)]);
        const items = state.lists.flat();
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
        for (const { id, outcome } of told.filter(({ kind }) => kind < 2)) {
          const there = items.some((item) => item.id === id);
          if (outcome !== "CLOSED") expect([id, there]).toEqual([id, true]);
        }
        const counts = told.filter(({ kind }) => kind === 2);
        const made = counted + counts.filter(({ outcome }) => typeof outcome === "number").length;
        expect(state.count).toBeGreaterThanOrEqual(made);
        expect(state.count).toBeLessThanOrEqual(made + counts.filter(({ outcome }) => outcome === "CLOSED").length);
        const texts = items.map(({ text }) => text).join("");
        for (const { id, kind, outcome } of told) if (kind === 3) expect(texts.split(id).length - 1).toBeLessThanOrEqual(typeof outcome === "number" || outcome === "CLOSED" ? 1 : 0);
      } finally {
        clients.forEach((client) => client.close());
      }
    }),
    asked(150),
  );
  for (const what of ["written", "STALE_STATE", "made", "CLOSED"]) expect([what, happened.get(what)]).toEqual([what, expect.any(Number)]);
}, 120_000);

test("listeners are told before update returns, and once more when a change is taken back", async () => {
  const network = new Network<{ n: number; text: string }>({ initial: { n: 0, text: "" }, clientWrites: () => false, validate: ({ n }) => n < 2 });
  const errors: string[] = [];
  const client = network.client({ StateTracker, onError: ({ code }) => errors.push(code) }, ["/n"]);
  const deliver = async (): Promise<void> => {
    do for (let i = 0; i < 5; i++) await Promise.resolve();
    while (network.step(() => 0));
  };
  await deliver();
  const told: unknown[] = [];
  client.subscribe<number>("/n", (n) => told.push(n));
  const first = client.update((draft) => void (draft.n = 1));
  expect([told, client.revision]).toEqual([[1], 0]);
  await deliver();
  expect(await first).toBe(1);
  const outcomes = [client.update((draft) => void (draft.n = 5)), client.update((draft) => void (draft.text = "not allowed")), client.update((draft) => void (draft.n -= 1))];
  expect([told, client.getState()]).toEqual([[1, 5, 4], { n: 4, text: "not allowed" }]);
  await deliver();
  // They went as one message, or two, and what was refused doesn't keep the rest from being made.
  expect(await Promise.allSettled(outcomes)).toMatchObject([{ reason: { code: "VALIDATION_FAILED" } }, { reason: { code: "FORBIDDEN_PATH", path: "/text" } }, { value: 2 }]);
  expect([network.state.getState(), client.getState(), told.at(-1), errors]).toEqual([{ n: 0, text: "" }, { n: 0, text: "" }, 0, ["VALIDATION_FAILED", "FORBIDDEN_PATH"]]);
  let runs = 0;
  const counted = client.update((draft) => void (draft.n += 1 + 0 * runs++));
  await deliver();
  expect([await counted, runs]).toEqual([3, 1]);
  // What fails on a later state is given up, and what fails at once changes nothing.
  expect(() => client.update(() => { throw new Error("mine"); })).toThrow("mine");
  client.close();
  expect(() => client.update((draft) => void (draft.n = 1))).toThrow("CLOSED");
});

test("what is changed without a connection waits, and is told at the latest when the client is closed", async () => {
  const network = new Network<{ items: string[] }>({ initial: { items: [] }, clientWrites: () => false });
  const client = network.client({ StateTracker }, ["*"]);
  const deliver = async (): Promise<void> => {
    do for (let i = 0; i < 5; i++) await Promise.resolve();
    while (network.step(() => 0));
  };
  await deliver();
  network.break(network.lines[0]!);
  network.step(() => 0);
  expect(client.status).toBe("reconnecting");
  const changes = ["a", "b"].map((item) => client.update((draft) => void draft.items.push(item)));
  network.state.update((draft) => void draft.items.push("of the server"));
  expect(client.getState()).toEqual({ items: ["a", "b"] });
  client.reconnect();
  await deliver();
  // Both went together.
  expect(await Promise.all(changes)).toEqual([2, 2]);
  expect(client.getState()).toEqual({ items: ["of the server", "a", "b"] });
  network.break(network.lines[1]!);
  network.step(() => 0);
  const last = client.update((draft) => void draft.items.push("c"));
  client.close();
  await expect(last).rejects.toMatchObject({ code: "CLOSED" });
  expect([client.getState(), network.state.revision]).toEqual([{ items: ["of the server", "a", "b"] }, 2]);
});
