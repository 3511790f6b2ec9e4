import { bytes } from "../wasm/page.inline.js";

export * as glue from "../wasm/page.js";

/** Inline, because no two bundlers agree on how a package names an asset; small enough to compile at once. */
export const load = (): WebAssembly.Module => new WebAssembly.Module(bytes());
