import module from "../../wasm/client.wasm";

export const load = (): WebAssembly.Module => module;
