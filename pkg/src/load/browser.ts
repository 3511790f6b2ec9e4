import "./platform.js";
import { bytes } from "../wasm/page.inline.js";
import * as glue from "../wasm/page.js";

export { glue };

/** Inline, because no two bundlers agree on how a package names an asset; small enough to compile at once. */
export const load = (): object => new WebAssembly.Module(bytes());
