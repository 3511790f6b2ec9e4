import { refusal } from "../bridge/checks.js";
import { isTagOfOurs } from "./audience.js";

const HANDLERS = ["webSocketMessage", "webSocketClose", "webSocketError"] as const;

type Handlers = Record<(typeof HANDLERS)[number], (socket: never, ...given: never[]) => unknown>;
type Handle = (socket: object, ...given: unknown[]) => unknown;

/** The states of each object. */
const attached = new WeakMap<object, Handlers[]>();

/**
 * Gives a live state of an `Agent` of Cloudflare's Agents SDK what comes for its sockets, and the agent everything else. The SDK puts its handlers
 * on the object itself, which don't ignore the sockets of others; this puts one before each. To be called once the agent's own
 * constructor has run, as where a field begins; other objects that have handlers of their own may be given, too.
 *
 * @param agent the object, which has a context (`this`).
 * @param state a {@link SyncedState} or a {@link DurableStateStore} of the same object.
 * @returns the state.
 * @throws PatchwireError `VALIDATION_FAILED` where the one is no such object, or the other takes no sockets.
 * @example
 * ```js
 * import { Agent } from "agents";
 * import { attach } from "patchwire/agents";
 * import { SyncedState } from "patchwire/durable-objects";
 *
 * export class Research extends Agent {
 *   live = attach(this, new SyncedState(this.ctx, { name: "live", initial: { notes: [] } }));
 * }
 * ```
 */
export function attach<S extends Handlers>(agent: object, state: S): S {
  const { ctx } = Object(agent) as { ctx?: { getTags?(socket: object): string[] } };
  if (typeof ctx?.getTags !== "function") throw refusal("the first argument is the agent: this, where its context is");
  if (HANDLERS.some((name) => typeof (state as Partial<Handlers> | undefined)?.[name] !== "function")) throw refusal("the second argument is a SyncedState or a DurableStateStore");
  const known = attached.get(agent);
  if (known !== undefined) {
    if (!known.includes(state)) known.push(state);
    return state;
  }
  // Each leaves the sockets of other states alone.
  const states: Handlers[] = [state];
  if (!Object.isExtensible(agent)) throw refusal("the agent can't be given handlers: it is frozen, sealed, or not extensible");
  const isOurs = (socket: object): boolean => {
    try {
      return ctx.getTags!(socket).some(isTagOfOurs);
    } catch {
      // It was never accepted, so that it could have tags.
      return false;
    }
  };
  for (const name of HANDLERS) {
    const theirs = (agent as Partial<Record<string, Handle>>)[name];
    const handle: Handle = (socket, ...given) => {
      if (!isOurs(socket)) return theirs?.call(agent, socket, ...given);
      for (const each of states) (each[name] as Handle).call(each, socket, ...given);
      return undefined;
    };
    Object.defineProperty(agent, name, { value: handle, configurable: true, writable: true });
  }
  attached.set(agent, states);
  return state;
}
