// Real failures of the core, on demand: method calls that trap, and memory that is full.
import * as clientEngine from "../../pkg/dist/bridge/client-core.js";
import * as engine from "../../pkg/dist/bridge/core.js";
import * as client from "../../pkg/dist/wasm/client.js";
import * as glue from "../../pkg/dist/wasm/patchwire.js";

/** An address beyond any memory: what looks there traps. */
const NOWHERE = 0xffff_fff0;

let calls = 0;
let failing = Infinity;

type Method = (this: { __wbg_ptr: number }, ...args: unknown[]) => unknown;

const failingInTurn = (method: Method): Method =>
  function (...args) {
    if (++calls === failing) this.__wbg_ptr = NOWHERE;
    return method.apply(this, args);
  };

for (const { prototype } of [...Object.values(glue), ...Object.values(client)] as { prototype?: object }[]) {
  if (prototype === undefined || !("__wbg_ptr" in prototype || "free" in prototype)) continue;
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === "constructor" || name.startsWith("__")) continue;
    if (get !== undefined) Object.defineProperty(prototype, name, { get: failingInTurn(get as Method), configurable: true });
    else Object.defineProperty(prototype, name, { value: failingInTurn(value as Method), writable: true, configurable: true });
  }
}

/** Lets the `n`th method call into the core trap, counted from now and from 1. */
export function failAt(n: number): void {
  calls = 0;
  failing = n;
}

/** Whether that call has come. */
export const hasFailed = (): boolean => calls >= failing;

/** The running instance's memory. */
export const memory = (): WebAssembly.Memory => glue.initSync(undefined as never).memory;

/** Leaves the running instance one page to grow by. The others are reserved, not used. */
export function fillMemory(): void {
  memory().grow(65_535 - memory().buffer.byteLength / 65_536);
}

/** Lets the core and the client's fail in nobody's hands, so that everybody is a bystander. */
export function failNow(): void {
  for (const { call, core } of [engine, clientEngine]) {
    const arena = new (core().Arena)();
    failAt(1);
    try {
      call(() => arena.reserve(0));
    } catch {
      failAt(Infinity);
      continue;
    }
    throw new Error("the core did not fail");
  }
}
