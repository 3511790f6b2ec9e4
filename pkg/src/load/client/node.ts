import { readFileSync } from "node:fs";

export const load = (): WebAssembly.Module => new WebAssembly.Module(readFileSync(new URL("../../wasm/client.wasm", import.meta.url)));
