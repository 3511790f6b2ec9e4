import module from "../wasm/patchwire.wasm";
import * as glue from "../wasm/patchwire.js";

export { glue };

/** Workers may only run modules that were imported. */
export const load = (): object => module;
