//! What goes into a client and what comes out of it.

use crate::limits::Limits;
use crate::patch::Dialect;

/// How a client is set up.
#[derive(Debug, Clone, Copy)]
pub struct ClientOptions {
    /// What may come in.
    pub limits: Limits,
    /// What patches are made of. `Extended` is smaller on the wire.
    pub dialect: Dialect,
    /// Whether [`ClientEffect::Edits`] carries the patch's text too.
    pub observe: bool,
    /// Any number that differs between clients: it spreads their reconnects.
    pub seed: u64,
}

impl Default for ClientOptions {
    fn default() -> Self {
        ClientOptions { limits: Limits::default(), dialect: Dialect::Extended, observe: false, seed: 0 }
    }
}

/// How close to the server's state the client's is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing is known yet.
    Connecting,
    /// The state is the server's, but for what is on its way.
    Live,
    /// The connection was lost. The state is the last one that came, and the client connects again.
    Reconnecting,
    /// Nothing will come any more.
    Closed,
}

impl Status {
    /// The word that users see.
    ///
    /// ```
    /// use patchwire::sync::Status;
    ///
    /// assert_eq!(Status::Reconnecting.as_str(), "reconnecting");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Connecting => "connecting",
            Status::Live => "live",
            Status::Reconnecting => "reconnecting",
            Status::Closed => "closed",
        }
    }
}

/// What happened so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Frames received.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whole states received.
    pub snapshots: u64,
    /// How often the client found that it lacks something and asked for it.
    pub resyncs: u64,
}

/// What the owner of the socket, the clock and the plain copy has to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientEffect {
    /// Open a connection under this number, and report what happens to it with the number.
    Connect(u32),
    /// Send the frame over the current connection.
    Send(String),
    /// Close the connection with this number; nothing more is heard of it.
    Disconnect(u32),
    /// The state is another one now; the document has it.
    Snapshot,
    /// The state changed: what a plain copy has to do to follow, as JSON text, and where it was asked for the patch.
    Edits {
        /// The edits.
        edits: Vec<u8>,
        /// The patch's text, if [`ClientOptions::observe`].
        patch: Option<String>,
    },
    /// What was written is in the state, of which this is the revision that has it.
    Written(u64),
    /// What was written isn't made; or, with `CLOSED`, the connection ended and nobody knows whether it is.
    Refused {
        /// The code, as in [`Code::as_str`](crate::Code::as_str).
        code: String,
        /// What was expected.
        message: String,
        /// Where, if it is one place of the patch.
        path: Option<String>,
    },
    /// The status changed.
    Status(Status),
    /// The server refused something, or sent more than the limits allow.
    Fail {
        /// The code, as in [`Code::as_str`](crate::Code::as_str).
        code: String,
        /// What was expected.
        message: String,
    },
}
