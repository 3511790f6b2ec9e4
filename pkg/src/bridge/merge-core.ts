import { glue, load } from "../load/merge.js";
import { createEngine } from "./engine.js";

/**
 * The module that brings several writers together, in pages: merging, change requests, a graph's state. Most pages do none
 * of it, and so don't download it. Elsewhere `#merge` is `core.ts`, whose module has it all.
 */
export const { core, arena, passTexts, call, release } = /* @__PURE__ */ createEngine(glue, load);
