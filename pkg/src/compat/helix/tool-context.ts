import { checkOptions, refusal } from "../../bridge/checks.js";
import { PatchwireError } from "../../errors.js";
import type { Draft, Immutable, StepWrites } from "../../types.js";
import type { StreamChunk } from "./chunks.js";
import type { ImmerStateTracker } from "./tracker.js";

/** Where chunks go. */
export interface ChunkWriter {
  write(chunk: StreamChunk): void | Promise<void>;
}

/** What a tool is given. */
export interface ToolContextOptions<T> {
  agentId: string;
  agentType: string;
  stateTracker: ImmerStateTracker<T>;
  /** Where changes are streamed to; nowhere without it. */
  streamWriter?: ChunkWriter;
  /** The step that chunks belong to. */
  step?: number;
}

/** What a tool works with. As in Helix, a tool may name the state's type where it reads or changes it. */
export interface ToolContext<T = any> {
  agentId: string;
  agentType: string;
  getState<S = T>(): Immutable<S>;
  /** Changes the state and streams what changed. */
  updateState<S = T>(recipe: (draft: Draft<S>) => void): void;
  /** Streams an event of the tool's own. */
  emit(eventName: string, data?: unknown): void;
  /** All that the tool has written, streamed or not: what has to be stored. */
  getStepWrites(): StepWrites;
  /** Resolves when all chunks were taken, in their order; rejects with what the first that wasn't failed with. */
  flush(): Promise<void>;
  /** Ends the reading of changes for the stream: nothing can be changed by the context any more. */
  close(): void;
}

const OPTIONS = ["agentId", "agentType", "stateTracker", "streamWriter", "step"] as const satisfies readonly (keyof ToolContextOptions<unknown>)[];

/**
 * What a tool works with: what it changes is streamed at once and still there to be stored, because stream and storage read
 * the changes each with a cursor of its own.
 *
 * @example
 * ```ts
 * import { createImmerStateTracker, createToolContext } from "patchwire/helix";
 * const stateTracker = createImmerStateTracker({ notes: [] as string[] }, { arrayDeltaMode: true });
 * const sent: unknown[] = [];
 * const streamWriter = { write: (chunk: any) => void sent.push(chunk.patches ?? chunk.data) };
 * const context = createToolContext({ agentId: "run-1", agentType: "writer", stateTracker, streamWriter });
 * context.updateState((draft) => void draft.notes.push("a"));
 * context.updateState((draft) => void draft.notes.push("b"));
 * context.emit("saved", context.getState().notes.length);
 * await context.flush();
 * context.close();
 * console.log(JSON.stringify(sent)); // [[{"op":"add","path":"/notes/-","value":"a"}],[{"op":"add","path":"/notes/-","value":"b"}],2]
 * console.log(context.getStepWrites().ops); // [ { kind: 'append', key: 'notes', path: '/notes', items: [ 'a', 'b' ] } ]
 * ```
 */
export function createToolContext<T>(options: ToolContextOptions<T>): ToolContext<T> {
  checkOptions(options, OPTIONS);
  const { agentId, agentType, stateTracker, streamWriter, step } = options;
  if (typeof stateTracker?.update !== "function") throw refusal("the option stateTracker is a tracker, as createImmerStateTracker gives it");
  const wire = streamWriter && stateTracker.cursor();
  let isClosed = false;
  let sent: Promise<void> = Promise.resolve();
  const send = (chunk: StreamChunk): void => {
    sent = sent.then(() => streamWriter?.write(chunk));
    // Who doesn't wait for it isn't to fail by it.
    sent.catch(() => {});
  };
  const base = () => ({ agentId, agentType, timestamp: Date.now(), ...(step !== undefined && { step }) });
  return {
    agentId,
    agentType,
    getState: <S>() => stateTracker.getState() as Immutable<S>,
    updateState(recipe) {
      if (isClosed) throw new PatchwireError("CLOSED", "the context was closed: nobody would be told of the change");
      stateTracker.update(recipe as (draft: Draft<T>) => void);
      if (wire === undefined) return;
      const patches = wire.patches();
      wire.advance();
      if (patches.length > 0) send({ type: "state_patch", patches, ...base() });
    },
    emit: (eventName, data) => send({ type: "custom", eventName, data, ...base() }),
    getStepWrites: () => stateTracker.getStepWrites(),
    flush: () => sent,
    close() {
      isClosed = true;
      wire?.close();
    },
  };
}
