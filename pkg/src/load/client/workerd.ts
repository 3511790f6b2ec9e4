import module from "../../wasm/client.wasm";

export const load = (): object => module;
