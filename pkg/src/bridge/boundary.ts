// The numbers by which the shim and the core tell things apart that cross between them. src/boundary.rs has the same ones;
// tests/node/core/boundary.test.ts holds them equal.

/** Records of the op log (src/log/). */
export const RECORD = { BEGIN: 0, SET: 1, DELETE: 2, SPLICE: 3, PERMUTE: 4, APPEND: 5, ADD: 6, FORGET: 7, ADVANCE: 8 } as const;

/** Values in the op log (src/log/) and in packed patches (src/patch/pack.rs). */
export const VALUE = {
  NULL: 0, FALSE: 1, TRUE: 2, NUMBER: 3, TEXT: 4, JSON: 5, REFERENCE: 6, GATHERED: 7, OBJECT: 8, ARRAY: 9, LONG: 10, EDITED: 11, LONG_EDITED: 12,
  PRESENT: 13,
} as const;

/** What stands for a path in packed patches (src/patch/pack.rs): the item of an index, beside what the last path leads to. */
export const PATH = { BESIDE: 1 } as const;

/** Operations of packed patches (src/patch/pack.rs). */
export const OPERATION = { ADD: 0, REMOVE: 1, REPLACE: 2, MOVE: 3, COPY: 4, TEST: 5, STR_INS: 6, INC: 7 } as const;

/** The edits that a plain copy follows (src/edit/print.rs). `BROUGHT` is added to one whose value an operation of the patch has. */
export const EDIT = { SET: 0, DELETE: 1, SPLICE: 2, PERMUTE: 3, MOVE: 4, APPEND: 5, ADD: 6, BROUGHT: 7 } as const;

/** A tracker's options, by their places in a list (src/wasm/options.rs). */
export const TRACKER_OPTION = { GRANULARITY: 0, ARRAY_DELTA: 1, COUNTERS: 2, TEXTS: 3, HISTORY: 4 } as const;

/** What is done to a graph's state (src/wasm/reducers.rs). */
export const GRAPH_CHANGE = { MERGE: 0, SCRATCH: 1, ARTIFACTS: 2, VISIT: 3 } as const;

/** What a client's end of the protocol wants done (src/wasm/client.rs). */
export const CLIENT_EFFECT = { CONNECT: 0, SEND: 1, DISCONNECT: 2, SNAPSHOT: 3, EDITS: 4, STATUS: 5, FAIL: 6, WRITTEN: 7, REFUSED: 8 } as const;

/** What a session wants done for its connections (src/wasm/session.rs). */
export const EFFECT = { SEND: 0, CLOSE: 1, ATTACH: 2, RESYNC: 3, REFUSAL: 4, WRITE: 5 } as const;

/** What both ends of the protocol know (src/sync/frame.rs). */
export const PROTOCOL = { PING: '{"type":"ping"}', PONG: '{"type":"pong"}', MOST_FROM_CLIENT: 16 << 10, MOST_WRITTEN: 256 << 10 } as const;
