//! The sync protocol: one state machine for each end, without input or output of their own.
//!
//! Frames, time and commits go in; frames, timers and edits of the plain copy come out. Whoever owns the sockets and the
//! clock (the npm package's TypeScript, a native server, the simulation in `tests/`) only moves them.
//!
//! ```text
//! client                                        server
//!   │  hello {session, revision: 7, dialect}       │   "I have this much"
//!   │ ────────────────────────────────────────────▶│
//!   │        chunk state_patch 8, 9, …             │   what it lacks, or
//!   │        [stream_resync] state_snapshot        │   everything
//!   │ ◀────────────────────────────────────────────│
//!   │        status active {revision: 9}           │   "that was the answer; you are live"
//!   │ ◀────────────────────────────────────────────│
//!   │        chunk state_patch 10 …                │   each commit from now on
//! ```
//!
//! Frames are JSON texts. A client sends
//! - `{"type":"hello","version":1,"session":string|null,"revision":number|null,"dialect":"extended"|"rfc6902"}`,
//!   first of all and again whenever it doubts what it has;
//! - `{"type":"write","id":number,"revision":number,"insist"?:true,"patches":[…]}`, if it may: a change of the state at that
//!   revision. Ids grow, and one isn't sent before the one before it is answered. Who insists replaces texts and containers of which others
//!   have changed a part since;
//! - `{"type":"ping"}`.
//!
//! A server sends, each but `pong` with the `sequence` and `revision` at which it holds,
//! - `{"type":"chunk",…,"chunk":{"type":"state_patch","patches":[…]}}`: the commit that made this revision;
//! - `{"type":"chunk",…,"chunk":{"type":"state_snapshot","session":…,"part":1,"parts":1,"state":…}}`; one that
//!   would be larger than a frame comes in parts that carry slices of its text as `text` in place of `state`;
//! - `{"type":"chunk",…,"chunk":{"type":"stream_resync","reason":…}}` before a snapshot that replaces what the
//!   client had: `behind`, `ahead`, `session`, `requested` or `size`;
//! - `{"type":"written",…,"id":…}`: what the client wrote is in the commit of this revision, and this comes before that;
//!   `{"type":"refused",…,"id":…,"error":{"code":…,"message":…,"path"?:…}}`: it isn't made. `STALE_STATE` asks to make it again;
//! - `{"type":"status",…,"session":…,"status":"active"}`, `{"type":"fail",…,"error":{"code":…,"message":…}}`,
//!   `{"type":"end",…}`, `{"type":"pong"}`.
//!
//! Revision and sequence of a patch are the number of the commit, from 1 on. The session is a random id that
//! is made with the storage, so that nobody patches what a wiped object once held; over one connection it never
//! changes. A connection delivers in order or not at all, as WebSockets do; if one didn't, most of what it lost or
//! doubled would be noticed too.

mod client;
mod frame;
mod server;
mod timing;

pub use client::{Client, ClientEffect, ClientOptions, Stats, Status};
pub use frame::{MOST_FROM_CLIENT, MOST_WRITTEN, PING, PONG, VERSION};
pub(crate) use server::resume;
pub use server::{ConnectionId, Note, Server, ServerEffect};

#[cfg(test)]
mod tests;
