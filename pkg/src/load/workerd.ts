import module from "../wasm/patchwire.wasm";

/** Workers may only run modules that were imported. */
export const load = (): WebAssembly.Module => module;
