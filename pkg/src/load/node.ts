import { readFileSync } from "node:fs";

export * as glue from "../wasm/patchwire.js";

export const load = (): WebAssembly.Module => new WebAssembly.Module(readFileSync(new URL("../wasm/patchwire.wasm", import.meta.url)));
