import { glue, load } from "#load";
import { createEngine } from "./engine.js";

/** The module with everything but the client; in pages also without what only Durable Objects need. */
export const { core, arena, reserve, passBytes, passTexts, passPointer, call, isAlive, release } = /* @__PURE__ */ createEngine(glue, load);

/** Whether it has what Durable Objects need. */
export const hasObjects = "SessionHandle" in glue;

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
