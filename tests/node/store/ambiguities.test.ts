// What Helix's pages leave open, each by the name that it has in docs/storage.md; the first is in the contract.
import { expect, test } from "vitest";
import { applyPatch, type JSONPatchOperation } from "patchwire";
import { memoryStorage } from "patchwire/durable-objects";
import { createImmerStateTracker, createToolContext, isStatePatchChunk, type StreamChunk } from "patchwire/helix";
import { append, begun, initial, stateOf, user, type Notes } from "../../support/store/contract.ts";

test("streaming loses nothing that has to be stored: emit and persist share no accumulator", async () => {
  const store = await begun(memoryStorage());
  const { customState } = await stateOf(store);
  const chunks: StreamChunk[] = [];
  const tool = async (toolCallId: string, text: string): Promise<void> => {
    const stateTracker = createImmerStateTracker(customState as Notes, { arrayDeltaMode: true });
    const context = createToolContext({ agentId: "run", agentType: "writer", stateTracker, streamWriter: { write: (chunk) => void chunks.push(chunk) } });
    for (const part of ["1", "2"]) context.updateState((draft) => void draft.notes.push(text + part));
    await context.flush();
    await store.stageChanges("s", "step", { toolCallId, writes: context.getStepWrites() });
  };
  await tool("x", "x");
  await tool("y", "y");
  await store.promoteStaging("s", "step");
  const expected = { ...initial(), notes: ["a", "x1", "x2", "y1", "y2"] };
  expect((await stateOf(store)).customState).toEqual(expected);
  // And who followed the stream holds what was stored.
  expect(chunks.filter(isStatePatchChunk).reduce((state: unknown, { patches }) => applyPatch(state, patches), initial())).toEqual(expected);
});

test("a snapshot and its sequence are of one moment: what comes between is in neither twice nor lost", async () => {
  const store = await begun(memoryStorage());
  const get = async (query = ""): Promise<any> => (await store.fetch("s", new Request(`http://agent/${query}`))).json();
  const snapshots = [await get()];
  for (let i = 0; i < 5; i++) {
    // A change that is committed between the request and its answer is in the answer, or after it.
    const asked = get();
    await store.mergeCustomState("s", append(`${i}`));
    snapshots.push(await asked, await get());
  }
  const { customState } = await stateOf(store);
  for (const { session, revision, state } of snapshots) {
    const { frames } = await get(`?since=${revision}&session=${session}`);
    const patches = frames.flatMap(({ chunk }: { chunk?: { patches: JSONPatchOperation[] } }) => (chunk === undefined ? [] : [chunk.patches]));
    expect(patches.reduce((state: unknown, patch: JSONPatchOperation[]) => applyPatch(state, patch), state)).toEqual(customState);
  }
});

test("a checkpoint of a step has what the step has, whatever is committed while it is read", async () => {
  const store = await begun(memoryStorage());
  const [ended, later] = await Promise.all([
    store.saveStateAndPromoteStaging("s", {}, [user("m")], { stepId: "step", stepCount: 1, streamSequence: 1 }),
    store.mergeCustomState("s", append("later")),
  ]);
  expect(later.warnings).toEqual([]);
  expect((await store.getCheckpoint(ended.checkpointId))!.state).toMatchObject({ customState: initial(), messages: [user("m")] });
});
