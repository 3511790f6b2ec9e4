import fc from "fast-check";
import { expect, test } from "vitest";
import { connect, type ClientSocket } from "patchwire/client";
import { SyncedState, type DurableContext, type HibernatableSocket } from "patchwire/durable-objects";
import { json, perform, step, type Json } from "../node/support/program.ts";
import { asked } from "../node/support/runs.ts";
import { newSession, within } from "./session.ts";

// The law of sync: whatever recipes do, what is read from storage and what clients hold is what the server holds.

/** An object's context with one socket, both ends of which are here. */
class Pair implements HibernatableSocket {
  state!: SyncedState<object>;
  readonly #events = new EventTarget();
  attachment: unknown = null;

  /** As the next life of the object has it. */
  readonly context = (storage: DurableObjectStorage): DurableContext => ({
    storage: { sql: storage.sql, transactionSync: (run) => storage.transactionSync(run) },
    getWebSockets: () => [this],
    acceptWebSocket: () => {},
    getWebSocketAutoResponse: () => "",
    setWebSocketAutoResponse: () => {},
  });

  readonly WebSocket = ((pair: Pair) =>
    class implements ClientSocket {
      addEventListener(type: string, listener: (event: never) => void): void {
        pair.#events.addEventListener(type, listener as (event: Event) => void);
      }
      send(text: string): void {
        pair.state.webSocketMessage(pair, text);
      }
      close(): void {}
    })(this);

  open(): void {
    this.#events.dispatchEvent(new Event("open"));
  }

  send(text: string): void {
    this.#events.dispatchEvent(Object.assign(new Event("message"), { data: text }));
  }

  close(): void {
    throw new Error("the server closed the connection");
  }

  serializeAttachment(value: unknown): void {
    this.attachment = value;
  }

  deserializeAttachment(): unknown {
    return this.attachment;
  }
}

const programs = fc.tuple(
  json.filter((value) => typeof value === "object" && value !== null),
  fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), forget: fc.nat(5).map((n) => n === 0) }), { minLength: 1, maxLength: 6 }),
);

test("storage and clients hold what the server holds, whatever recipes do", async () => {
  await within(newSession(), async (_, { storage }) => {
    await fc.assert(
      fc.asyncProperty(programs, async ([initial, recipes]) => {
        for (const table of ["meta", "roots", "chunks", "log"]) storage.sql.exec(`DROP TABLE IF EXISTS patchwire_${table}`);
        const pair = new Pair();
        const open = (): SyncedState<object> => (pair.state = new SyncedState<object>(pair.context(storage), { initial: initial as object }));
        // What is done in the turn in which an object's first state is made is told when that has ended.
        const awake = async (): Promise<void> => void (open(), await Promise.resolve());
        await awake();
        const client = connect<object>({ url: "ws://here/", WebSocket: pair.WebSocket });
        pair.open();
        let revision = 0;
        for (const { steps, forget } of recipes) {
          const before = JSON.stringify(pair.state.getState());
          pair.state.update((draft) => steps.forEach((one) => perform(draft as Json, one)));
          if (JSON.stringify(pair.state.getState()) !== before) expect(pair.state.revision).toBeGreaterThan(revision);
          expect(pair.state.revision).toBeLessThanOrEqual(revision + 1);
          revision = pair.state.revision;
          const state = pair.state.getState();
          // As a crash leaves it: memory is gone, storage and the connection are there.
          if (forget) await awake();
          expect(pair.state.getState()).toEqual(state);
          expect(client.getState()).toEqual(state);
          expect(client.revision).toBe(revision);
        }
        expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
        expect(open().getState()).toEqual(client.getState());
        client.close();
      }),
      asked(400),
    );
  });
});
