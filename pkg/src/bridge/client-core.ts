import { load } from "#load-client";
import { createEngine } from "./engine.js";
import { __wbg_reset_state, Arena, ClientHandle, initSync } from "../wasm/client.js";

/** The module that has only what the client needs: it is what pages download. */
export const { core, passTexts, call, isAlive, release } = /* @__PURE__ */ createEngine(
  { __wbg_reset_state, Arena, ClientHandle, initSync },
  load,
);

/**
 * Resolves when the core can be used; awaiting it is optional, and chooses when the module is compiled.
 *
 * @example
 * ```ts
 * import { connect, ready } from "patchwire/client";
 * await ready();
 * const client = connect({ url: "wss://example.com/session/demo" });
 * ```
 */
export async function ready(): Promise<void> {
  core();
}
