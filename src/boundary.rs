//! The numbers by which the shim and the core tell things apart that cross between them. `pkg/src/bridge/boundary.ts` has
//! the same ones; `tests/node/core/boundary.test.ts` holds them equal.

/// Records of the op log (`src/log/`).
pub(crate) mod record {
    pub(crate) const BEGIN: u8 = 0;
    pub(crate) const SET: u8 = 1;
    pub(crate) const DELETE: u8 = 2;
    pub(crate) const SPLICE: u8 = 3;
    pub(crate) const PERMUTE: u8 = 4;
    pub(crate) const APPEND: u8 = 5;
    pub(crate) const ADD: u8 = 6;
    pub(crate) const FORGET: u8 = 7;
    pub(crate) const ADVANCE: u8 = 8;
}

/// Values in the op log (`src/log/`) and in packed patches (`src/patch/pack.rs`).
pub(crate) mod value {
    pub(crate) const NULL: u8 = 0;
    pub(crate) const FALSE: u8 = 1;
    pub(crate) const TRUE: u8 = 2;
    pub(crate) const NUMBER: u8 = 3;
    pub(crate) const TEXT: u8 = 4;
    pub(crate) const JSON: u8 = 5;
    pub(crate) const REFERENCE: u8 = 6;
    pub(crate) const GATHERED: u8 = 7;
    pub(crate) const OBJECT: u8 = 8;
    pub(crate) const ARRAY: u8 = 9;
    pub(crate) const LONG: u8 = 10;
    pub(crate) const EDITED: u8 = 11;
    pub(crate) const LONG_EDITED: u8 = 12;
    #[cfg_attr(not(feature = "wasm-page"), allow(dead_code))]
    pub(crate) const PRESENT: u8 = 13;
}

/// What stands for a path in packed patches (`src/patch/pack.rs`): the item of an index, beside what the last path leads to. No text
/// begins with it.
#[cfg(any(feature = "wasm-page", test))]
#[cfg_attr(not(feature = "wasm-page"), allow(dead_code))]
pub(crate) mod path {
    pub(crate) const BESIDE: u8 = 1;
}

/// Operations of packed patches (`src/patch/pack.rs`).
#[cfg(any(feature = "wasm-page", test))]
#[cfg_attr(not(feature = "wasm-page"), allow(dead_code))]
pub(crate) mod operation {
    pub(crate) const ADD: u8 = 0;
    pub(crate) const REMOVE: u8 = 1;
    pub(crate) const REPLACE: u8 = 2;
    pub(crate) const MOVE: u8 = 3;
    pub(crate) const COPY: u8 = 4;
    pub(crate) const TEST: u8 = 5;
    pub(crate) const STR_INS: u8 = 6;
    pub(crate) const INC: u8 = 7;
}

/// The edits that a plain copy follows (`src/edit/print.rs`), one digit each.
pub(crate) mod edit {
    pub(crate) const SET: u8 = 0;
    pub(crate) const DELETE: u8 = 1;
    pub(crate) const SPLICE: u8 = 2;
    pub(crate) const PERMUTE: u8 = 3;
    pub(crate) const MOVE: u8 = 4;
    pub(crate) const APPEND: u8 = 5;
    pub(crate) const ADD: u8 = 6;
    /// Added to one whose value an operation of the patch has.
    pub(crate) const BROUGHT: u8 = 7;
}

/// A tracker's options, by their places in a list (`src/wasm/options.rs`).
#[cfg(feature = "wasm-page")]
pub(crate) mod tracker_option {
    pub(crate) const GRANULARITY: u8 = 0;
    pub(crate) const ARRAY_DELTA: u8 = 1;
    pub(crate) const COUNTERS: u8 = 2;
    pub(crate) const TEXTS: u8 = 3;
    pub(crate) const HISTORY: u8 = 4;
}

/// What is done to a graph's state (`src/wasm/reducers.rs`).
#[cfg(feature = "wasm-merge")]
pub(crate) mod graph_change {
    pub(crate) const MERGE: u8 = 0;
    pub(crate) const SCRATCH: u8 = 1;
    pub(crate) const ARTIFACTS: u8 = 2;
    pub(crate) const VISIT: u8 = 3;
}

/// What a session wants done for its connections (`src/wasm/session.rs`).
#[cfg(feature = "wasm-objects")]
pub(crate) mod effect {
    pub(crate) const SEND: u8 = 0;
    pub(crate) const CLOSE: u8 = 1;
    pub(crate) const ATTACH: u8 = 2;
    pub(crate) const RESYNC: u8 = 3;
    pub(crate) const REFUSAL: u8 = 4;
    pub(crate) const WRITE: u8 = 5;
}

/// What a client's end of the protocol wants done (`src/wasm/client.rs`), one digit each.
#[cfg(feature = "wasm-client")]
pub(crate) mod client_effect {
    pub(crate) const CONNECT: u8 = 0;
    pub(crate) const SEND: u8 = 1;
    pub(crate) const DISCONNECT: u8 = 2;
    pub(crate) const SNAPSHOT: u8 = 3;
    pub(crate) const EDITS: u8 = 4;
    pub(crate) const STATUS: u8 = 5;
    pub(crate) const FAIL: u8 = 6;
    pub(crate) const WRITTEN: u8 = 7;
    pub(crate) const REFUSED: u8 = 8;
}
