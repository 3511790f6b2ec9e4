import "./platform.js";
import { bytes } from "../wasm/patchwire.inline.js";
import * as glue from "../wasm/patchwire.js";

export { glue };

/** Inline, because bundlers for servers leave behind the files that the code would read. */
export const load = (): object => new WebAssembly.Module(bytes());
