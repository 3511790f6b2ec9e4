import "./platform.js";
import { bytes } from "../wasm/merge.inline.js";
import * as glue from "../wasm/merge.js";

export { glue };

/** Inline, as the page's other module. */
export const load = (): object => new WebAssembly.Module(bytes());
