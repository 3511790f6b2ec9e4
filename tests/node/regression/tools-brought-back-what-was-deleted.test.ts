import { expect, test } from "vitest";
import { parallel } from "patchwire";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";

// Tools that were at work while the state was deleted were merged into the state that began anew: what somebody had asked to delete was
// there again. So it was with what a transaction wrote that was taken back.

const ways = [["destroy"], ["deleteAll"], ["a transaction that is taken back"]] as const;

test.each(ways)("%s", async (way) => {
  for (const run of [(state: SyncedState<any>, tool: any) => state.parallel([tool]), (state: SyncedState<any>, tool: any) => parallel(state, [tool])]) {
    const storage = memoryStorage();
    const state = new SyncedState<any>({ storage }, { initial: { messages: [] } });
    expect(state.revision).toBe(0);
    let go = (): void => {};
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const tool = async (context: any): Promise<void> => {
      await waiting;
      context.update((draft: any) => void (draft.messages = [...draft.messages, "from the tool"]));
    };
    let running: Promise<unknown> | undefined;
    const begin = (): void => {
      state.update((draft) => void draft.messages.push("a secret"));
      running = run(state, tool);
      running.catch(() => {});
      if (way === "a transaction that is taken back") throw new Error("taken back");
    };
    if (way === "a transaction that is taken back") expect(() => storage.transactionSync(begin)).toThrow("taken back");
    else {
      begin();
      if (way === "destroy") state.destroy();
      else await storage.deleteAll!();
    }
    state.update((draft) => void draft.messages.push("another life"));
    go();
    await expect(running).rejects.toThrow("CLOSED");
    expect(state.getState()).toEqual({ messages: ["another life"] });
  }
});
