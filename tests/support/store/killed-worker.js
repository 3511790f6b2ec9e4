// The worker that killed.test.ts kills: an object with one session, whose operations are acknowledged when they are done.
import { DurableObject } from "cloudflare:workers";
import { DurableStateStore } from "patchwire/durable-objects";

/** So many pages of so many characters: their state is in chunks, and nearly always a fold is under way. */
const PAGES = 120;
const textOf = (n) => `${n} `.repeat(30_000 / `${n} `.length);
const initial = () => ({ pushed: [], staged: [], pages: Array.from({ length: PAGES }, () => ({ n: 0, text: textOf(0) })) });

export class Agent extends DurableObject {
  store = new DurableStateStore(this.ctx, { retention: { revisions: 100 } });

  operations = {
    /** A change of the custom state: one row. */
    push: async (n) => this.store.synced("s").update((draft) => void draft.pushed.push(n)),
    page: async (n) => this.store.synced("s").update((draft) => void (draft.pages[n % PAGES] = { n, text: textOf(n) })),
    message: (n) => this.store.appendMessages("s", [{ role: "user", content: `${n} ${"x".repeat(n % 28 === 1 ? 400_000 : 0)}` }]),
    /** A whole step, in many tables. */
    step: async (n) => {
      await this.store.parallel("s", `step ${n}`, ["a", "b"].map((id) => ({ toolCallId: id, run: (tool) => tool.update((draft) => void draft.staged.push(`${n}${id}`)) })), { promote: false });
      await this.store.saveStateAndPromoteStaging("s", { output: n }, [{ role: "assistant", content: `step ${n}` }], { stepId: `step ${n}`, stepCount: n, streamSequence: n });
    },
    /** What was committed, as it is read after a kill. */
    read: async () => {
      const state = await this.store.loadState("s");
      if (state === null) return null;
      const { total } = await this.store.getMessages("s", { limit: 1 });
      const messages = [];
      for (let offset = 0; offset < total; offset += 50) messages.push(...(await this.store.getMessages("s", { offset, limit: 50 })).messages);
      const checkpoint = await this.store.getLatestCheckpoint("s");
      return {
        revision: this.store.synced("s").revision, version: state.version, output: state.output ?? 0, stepCount: state.stepCount, ...state.customState,
        pages: state.customState.pages.map(({ n, text }) => (text === textOf(n) ? n : -1)),
        messages: messages.map(({ content }) => [content.split(" x")[0].trim(), content.length]),
        checkpoint: checkpoint && { stepCount: checkpoint.stepCount, staged: checkpoint.state.customState.staged.length },
        checkpoints: (await this.store.listCheckpoints("s")).total,
      };
    },
  };

  async fetch(request) {
    const [, name, n] = new URL(request.url).pathname.split("/");
    try {
      if (!(await this.store.sessionExists("s"))) await this.store.createSession("s", { customState: initial() });
      const answer = await this.operations[name](Number(n));
      if (name === "read") return Response.json(answer);
      return Response.json({ version: (await this.store.loadState("s")).version, revision: this.store.synced("s").revision });
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  }
}

export default { fetch: (request, env) => env.AGENT.get(env.AGENT.idFromName("agent")).fetch(request) };
