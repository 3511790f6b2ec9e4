//! What a server asks of whoever owns the sockets.

use std::sync::Arc;

use crate::error::Code;

/// Names a connection to a [`Server`](super::Server); never used twice.
pub type ConnectionId = u32;

/// What the owner of the sockets has to do, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEffect {
    /// Send the frame to each of these. An owner that can't treats the connection as closed.
    Send {
        /// The connections that it is for. For as long as the same ones listen, it is the same list for each commit.
        to: Arc<[ConnectionId]>,
        /// The frame's text: clients that come at the same time share that of a snapshot.
        text: Arc<String>,
    },
    /// Close the connection, which the server has forgotten already.
    Close {
        /// The connection that ends.
        connection: ConnectionId,
        /// A WebSocket close code.
        code: u16,
        /// What to say with the code.
        reason: &'static str,
    },
    /// Keep the text with each of these connections, for [`Server::restore`](super::Server::restore).
    Attach {
        /// The connections that keep it.
        to: Arc<[ConnectionId]>,
        /// The text: under 200 bytes beside the session's id.
        text: String,
    },
    /// A connection that [may](super::Server::permit) wants this changed: apply it to the state before anything else changes, commit, and
    /// have the connection told what came of it ([`Session::writing`](crate::session::Session::writing)).
    Write {
        /// Whose it is.
        connection: ConnectionId,
        /// By which the connection knows it.
        id: u64,
        /// The text of the patch.
        patch: String,
    },
    /// Nothing to do: something happened that logs and metrics should know.
    Note {
        /// The connections to which it happened.
        to: Arc<[ConnectionId]>,
        /// What happened.
        note: Note,
    },
}

/// What a server did that isn't the usual course of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// Snapshots replaced what clients had, for this reason (see the [module](crate::sync)).
    Resync(&'static str),
    /// Something was refused, with this code and phrase.
    Refusal(Code, &'static str),
}
