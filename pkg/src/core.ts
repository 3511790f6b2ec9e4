import { load } from "#load";
import { createEngine } from "./engine.js";
import * as glue from "./wasm/patchwire.js";

export { isLoss, plain, pointerText } from "./engine.js";

/** The module with everything but the client. */
export const { core, arena, reserve, passBytes, passText, passTexts, call, isAlive, release } = /* @__PURE__ */ createEngine(glue, load);

/**
 * Resolves when the core can be used. Every supported platform can load it synchronously, so awaiting this is
 * optional; do it to choose when the module is compiled.
 *
 * @example
 * ```ts
 * import { ready } from "patchwire";
 * await ready();
 * ```
 */
export async function ready(): Promise<void> {
  core();
}
