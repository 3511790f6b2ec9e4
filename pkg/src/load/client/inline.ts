import "../platform.js";
import { bytes } from "../../wasm/client.inline.js";

export const load = (): object => new WebAssembly.Module(bytes());
