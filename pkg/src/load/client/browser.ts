import { bytes } from "../../wasm/client.inline.js";

export const load = (): WebAssembly.Module => new WebAssembly.Module(bytes());
