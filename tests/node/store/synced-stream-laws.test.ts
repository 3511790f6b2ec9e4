import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, PatchwireError, type JSONPatchOperation, type StreamedValue } from "patchwire";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";
import { json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// JSON that arrives in pieces is in the state, in storage and on its way to clients after each piece, whatever else happens
// meanwhile: changes, transactions that are rolled back, commits that fail, and an object that loses its memory.

type Any = any;
interface Frames { session: string; revision: number; frames: { type: string; chunk?: { type: string; patches?: JSONPatchOperation[]; state?: Any } }[] }

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant("write" as const), length: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("change", "shift", "end", "abort", "unload", "roll back", "fail", "wait") }) },
);

class Failing extends Error {}

test("what has arrived is committed, stored and told, piece by piece", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json, { minLength: 1, maxLength: 3 }), fc.array(step, { maxLength: 40 }), fc.constantFrom("/value", "/list/-", "/list/1"), async (values, steps, pointer) => {
      const storage = nodeStorage(new DatabaseSync(":memory:"));
      let fails = false;
      const sql = storage.sql as Any;
      const exec = sql.exec.bind(sql);
      Object.assign(sql, { exec: (text: string, ...rest: Any[]) => {
        if (fails && /^\s*(INSERT|UPDATE)/.test(text)) throw new Failing("the disk is full");
        return exec(text, ...rest);
      } });
      const context = { storage, acceptWebSocket: () => {}, getWebSockets: () => [], getWebSocketAutoResponse: () => ({}), setWebSocketAutoResponse: () => {} };
      const state = new SyncedState<Any>(context, { initial: { list: [0, 1, 2], n: 0 } });
      await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
      const ask = async (query: string): Promise<Frames> => (await state.fetch(new Request(`https://state/${query}`))).json() as Promise<Frames>;
      const { session } = await ask("");
      /** What a client has that has read all frames. */
      let [shown, known]: [Any, number] = [state.getState(), 0];

      const texts = values.map((value) => JSON.stringify(value));
      let [stream, text, at, isClosed]: [StreamedValue | undefined, string, number, boolean] = [undefined, "", 0, true];
      /** Runs a step of the stream, which is closed where the state was read again. */
      const write = (run: (stream: StreamedValue) => void): void => {
        try {
          if (isClosed) {
            const next = texts.shift();
            if (next === undefined) return;
            [stream, text, at, isClosed] = [state.stream(pointer), next, 0, false];
          }
          run(stream!);
        } catch (error) {
          if (!(error instanceof Failing) && !(error instanceof PatchwireError && ["CLOSED", "INVALID_JSON", "PATH_NOT_FOUND", "INDEX_OUT_OF_RANGE"].includes(error.code))) throw error;
          // After INVALID_JSON, because more must come, it goes on.
          isClosed = !(error instanceof PatchwireError && error.code === "INVALID_JSON");
        }
      };
      for (const one of steps) {
        switch (one.does) {
          case "write":
            write((stream) => {
              const { length } = one as { length: number };
              stream.write(text.slice(at, (at += length)));
              if (at < text.length) return;
              stream.end();
              isClosed = true;
              const { list, value } = state.getState();
              if (pointer === "/value") expect(value).toEqual(JSON.parse(text));
              else expect(list).toContainEqual(JSON.parse(text));
            });
            break;
          case "end":
            write((stream) => { stream.end(); isClosed = true; });
            break;
          case "abort":
            write((stream) => { stream.abort(); isClosed = true; });
            break;
          case "change":
            state.update((draft) => { draft.n++; draft.list.unshift(draft.n); });
            break;
          case "shift":
            state.update((draft) => void draft.list.pop());
            break;
          case "unload":
            state.unload();
            break;
          case "wait":
            await Promise.resolve();
            break;
          case "roll back":
            expect(() => storage.transactionSync(() => {
              write((stream) => stream.write(text.slice(at, (at += 3))));
              throw new Failing();
            })).toThrow(Failing);
            // Whatever became of the piece, nobody knows how far the stream is.
            if (!isClosed) expect(() => stream!.write(" ")).toThrow("CLOSED");
            isClosed = true;
            break;
          case "fail":
            fails = true;
            write((stream) => stream.write(text.slice(at, (at += 3))));
            fails = false;
        }
        const { revision, frames } = await ask(`?since=${known}&session=${session}`);
        for (const { chunk } of frames) {
          if (chunk?.type === "state_patch") shown = applyPatch(shown, chunk.patches!);
          else if (chunk !== undefined) shown = chunk.state;
        }
        known = revision;
        expect(shown).toEqual(state.getState());
      }
      const last = state.getState();
      state.unload();
      expect(state.getState()).toEqual(last);
    }),
    asked(300),
  );
}, 60_000);
