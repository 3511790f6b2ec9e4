import module from "../wasm/patchwire.wasm";

export * as glue from "../wasm/patchwire.js";

/** Workers may only run modules that were imported. */
export const load = (): WebAssembly.Module => module;
