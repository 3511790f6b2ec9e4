import { createImmerStateTracker, createToolContext, ImmerStateTracker, type ToolContext } from "patchwire/helix";
import { PayloadManager, type AgentPayloadChangeRequest } from "patchwire/memberjunction";

// Compiled, never run (tests/node/tsconfig.json): what the pages of other systems write in TypeScript.

interface State { notes: string[]; count: number }

// Helix's tools name the state's type where they read and change it, and their context has none.
export function execute(input: { note: string }, context: ToolContext): number {
  context.updateState<State>((draft) => {
    draft.notes.push(input.note);
    // @ts-expect-error there is no such member
    draft.note = 1;
  });
  return context.getState<State>().notes.length;
}

const stateTracker = createImmerStateTracker<State>({ notes: [], count: 0 });
const context = createToolContext({ agentId: "run-1", agentType: "research", stateTracker });
context.updateState((draft) => { draft.count++; });
// @ts-expect-error the context of a tracker knows its state
context.updateState((draft) => { draft.counter++; });
export const executed = execute({ note: "a" }, context);
export const count: number = context.getState().count;
export const trackerOf = <T>(state: T): ImmerStateTracker<T> => new ImmerStateTracker(state);

// MemberJunction's guide names the payload's type.
interface Payload { user: { name: string; age: number }; settings: { theme: string } }
const request: AgentPayloadChangeRequest<Payload> = { updateElements: { user: { age: 31 } }, removeElements: { settings: "__DELETE__" } };
export const { result } = new PayloadManager().applyAgentChangeRequest<Payload>({ user: { name: "a", age: 30 }, settings: { theme: "dark" } }, request);
export const age: number = result.user.age;
