//! The frames themselves: reading and writing them, and nothing about when.

use crate::document::Document;
use crate::edit;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Node, Object};
use crate::patch::{self, Dialect, Patch};
use crate::text::{self, number};
use crate::{parse, print};

/// The version of the frame format. A test holds it to the format.
pub const VERSION: u64 = 1;

/// What a client sends to learn whether the connection is alive. A host that answers it with [`PONG`] on its
/// own (as Cloudflare's auto-response does) need not wake up for it.
pub const PING: &str = r#"{"type":"ping"}"#;

/// The answer to [`PING`].
pub const PONG: &str = r#"{"type":"pong"}"#;

/// What a client says is short: a longer frame isn't looked into, because reading it may take thirty times its length.
pub const MOST_FROM_CLIENT: usize = 16 << 10;

/// What may be as long as a change of the state: a longer frame of a client that may write isn't looked into.
pub const MOST_WRITTEN: usize = 256 << 10;

/// The levels of nesting and the bytes that a frame adds around what it carries.
const ENVELOPE_DEPTH: usize = 5;
const ENVELOPE_BYTES: usize = 256;

/// What a client says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ClientFrame {
    Hello { version: u64, hello: Hello },
    Ping,
    Write(Write),
}

/// A change that a client wants made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Write {
    /// By which its answer names it.
    pub id: u64,
    /// The revision that the patch was made of.
    pub revision: u64,
    /// Whether it may write over what others wrote since.
    pub insists: bool,
    pub patch: Patch,
}

/// What a client has, and what it understands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hello {
    pub session: Option<String>,
    pub revision: Option<u64>,
    pub dialect: Dialect,
}

/// What a server says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ServerFrame {
    Patch {
        revision: u64,
        patch: Patch,
    },
    Snapshot {
        revision: u64,
        session: String,
        part: u64,
        parts: u64,
        body: Body,
    },
    /// `ahead` says that what follows may be older than what the client has.
    Resync {
        ahead: bool,
    },
    Status {
        revision: u64,
        session: String,
    },
    Fail {
        code: String,
        message: String,
    },
    /// What the client wrote is in the commit of this revision.
    Written {
        revision: u64,
        id: u64,
    },
    /// What the client wrote isn't made.
    Refused {
        id: u64,
        code: String,
        message: String,
        path: Option<String>,
    },
    End,
    Pong,
    /// Chunks that other layers send over the same stream.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    State(Node),
    Slice(Vec<u8>),
}

/// Why a client gets a snapshot instead of what it asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It is further behind than the log goes.
    Behind,
    /// It claims a revision that doesn't exist yet.
    Ahead,
    /// It has the state of another session.
    Session,
    /// It asked for it.
    Requested,
    /// The patch would be larger than a frame.
    Size,
}

impl Reason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Reason::Behind => "behind",
            Reason::Ahead => "ahead",
            Reason::Session => "session",
            Reason::Requested => "requested",
            Reason::Size => "size",
        }
    }
}

pub(crate) fn read_client(source: &str, limits: &Limits) -> Result<ClientFrame> {
    let root = read(source, limits)?;
    let frame = root.as_object().ok_or_else(|| invalid("a frame is an object"))?;
    match text_of(&frame, b"type").ok_or_else(|| invalid("a frame needs a type"))? {
        b"hello" => {
            let version = whole(&frame, b"version").ok_or_else(|| invalid("a hello needs a version"))?;
            Ok(ClientFrame::Hello { version, hello: read_hello(&frame)? })
        }
        b"ping" => Ok(ClientFrame::Ping),
        b"write" => Ok(ClientFrame::Write(read_write(&frame, limits)?)),
        _ => Err(invalid("the frame has an unknown type")),
    }
}

fn read_write(frame: &Object, limits: &Limits) -> Result<Write> {
    let number = |name: &[u8]| whole(frame, name).ok_or_else(|| invalid("a write needs an id and a revision, whole numbers"));
    let patches = frame.get(&b"patches".into()).ok_or_else(|| invalid("a write needs patches"))?;
    let insists = frame.get(&b"insist".into()) == Some(&Node::Bool(true));
    Ok(Write { id: number(b"id")?, revision: number(b"revision")?, insists, patch: patch::read(patches, limits)? })
}

/// Also reads what a server kept about a connection: the same members.
fn read_hello(frame: &Object) -> Result<Hello> {
    let session = match frame.get(&b"session".into()) {
        None | Some(Node::Null) => None,
        Some(node) => Some(lossy(node.as_text().ok_or_else(|| invalid("the session is a string or null"))?)),
    };
    let revision = match frame.get(&b"revision".into()) {
        None | Some(Node::Null) => None,
        Some(_) => Some(whole(frame, b"revision").ok_or_else(|| invalid("the revision is a whole number or null"))?),
    };
    let dialect = frame.get(&b"dialect".into()).map(|node| lossy(node.as_text().unwrap_or_default()).parse());
    let dialect = dialect.transpose()?.unwrap_or_default();
    Ok(Hello { session, revision, dialect })
}

pub(crate) fn read_server(source: &str, limits: &Limits) -> Result<ServerFrame> {
    let root = read(source, limits)?;
    let frame = root.as_object().ok_or_else(|| invalid("a frame is an object"))?;
    let revision = || whole(&frame, b"revision").ok_or_else(|| invalid("the frame needs a revision"));
    let id = || whole(&frame, b"id").ok_or_else(|| invalid("the frame needs an id"));
    Ok(match text_of(&frame, b"type").ok_or_else(|| invalid("a frame needs a type"))? {
        b"chunk" => {
            let chunk = frame.get(&b"chunk".into()).and_then(Node::as_object).ok_or_else(|| invalid("the frame needs a chunk"))?;
            match text_of(&chunk, b"type").ok_or_else(|| invalid("a chunk needs a type"))? {
                b"state_patch" => {
                    let patches = chunk.get(&b"patches".into()).ok_or_else(|| invalid("a state_patch needs patches"))?;
                    ServerFrame::Patch { revision: revision()?, patch: patch::read(patches, limits)? }
                }
                b"state_snapshot" => read_snapshot(&chunk, revision()?, limits)?,
                b"stream_resync" => ServerFrame::Resync { ahead: text_of(&chunk, b"reason") == Some(b"ahead") },
                _ => ServerFrame::Other,
            }
        }
        b"status" => {
            let session = text_of(&frame, b"session").ok_or_else(|| invalid("a status needs a session"))?;
            ServerFrame::Status { revision: revision()?, session: lossy(session) }
        }
        kind @ (b"fail" | b"refused") => {
            let error = frame.get(&b"error".into()).and_then(Node::as_object).ok_or_else(|| invalid("the frame needs an error"))?;
            let part = |name: &[u8]| text_of(&error, name).map(lossy).ok_or_else(|| invalid("an error needs a code and a message"));
            let (code, message) = (part(b"code")?, part(b"message")?);
            match kind {
                b"fail" => ServerFrame::Fail { code, message },
                _ => ServerFrame::Refused { id: id()?, code, message, path: text_of(&error, b"path").map(lossy) },
            }
        }
        b"written" => ServerFrame::Written { revision: revision()?, id: id()? },
        b"end" => ServerFrame::End,
        b"pong" => ServerFrame::Pong,
        _ => ServerFrame::Other,
    })
}

fn read_snapshot(chunk: &Object, revision: u64, limits: &Limits) -> Result<ServerFrame> {
    let session = lossy(text_of(chunk, b"session").ok_or_else(|| invalid("a snapshot needs a session"))?);
    let (part, parts) = (whole(chunk, b"part"), whole(chunk, b"parts"));
    let (Some(part), Some(parts)) = (part, parts) else { return Err(invalid("a snapshot needs part and parts")) };
    let body = match (chunk.get(&b"state".into()), text_of(chunk, b"text")) {
        (Some(state), None) if (part, parts) == (1, 1) => {
            // The frame was read with room for the levels around a patch's values, which are more.
            edit::check_value(state, 0, limits)?;
            Body::State(state.clone())
        }
        (None, Some(slice)) => Body::Slice(slice.to_vec()),
        _ => return Err(invalid("a snapshot carries its state, or a part of it a text")),
    };
    Ok(ServerFrame::Snapshot { revision, session, part, parts, body })
}

fn read(source: &str, limits: &Limits) -> Result<Node> {
    limits.check_frame(source.len())?;
    // What the frame carries is held to the document's own limits when it gets there.
    let within = Limits { document: limits.frame, string: limits.frame, ..*limits };
    parse::parse_around(source.as_bytes().into(), &within, ENVELOPE_DEPTH)
}

fn text_of<'a>(object: &'a Object, member: &[u8]) -> Option<&'a [u8]> {
    object.get(&member.into()).and_then(Node::as_text)
}

fn whole(object: &Object, member: &[u8]) -> Option<u64> {
    object.get(&member.into()).and_then(Node::as_count)
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn invalid(reason: &'static str) -> Error {
    Error::new(Code::ValidationFailed, reason)
}

pub(crate) fn hello(session: Option<&str>, revision: Option<u64>, dialect: Dialect) -> String {
    let mut out = br#"{"type":"hello","version":"#.to_vec();
    number::print(&mut out, VERSION as f64);
    print_hello(&mut out, session, revision, dialect);
    finish(out, b"}")
}

/// What a server keeps with a connection while it is out of memory.
pub(crate) fn attachment(session: &str, revision: u64, dialect: Dialect) -> String {
    let mut out = br#"{"version":"#.to_vec();
    number::print(&mut out, VERSION as f64);
    print_hello(&mut out, Some(session), Some(revision), dialect);
    finish(out, b"}")
}

pub(crate) fn read_attachment(source: &str) -> Option<Hello> {
    let root = parse::parse(source.as_bytes().into(), &Limits::default()).ok()?;
    let members = root.as_object()?;
    read_hello(&members).ok().filter(|_| whole(&members, b"version") == Some(VERSION))
}

fn print_hello(out: &mut Vec<u8>, session: Option<&str>, revision: Option<u64>, dialect: Dialect) {
    out.extend_from_slice(br#","session":"#);
    match session {
        Some(session) => print::print_text(out, session.as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(br#","revision":"#);
    match revision {
        Some(revision) => number::print(out, revision as f64),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(br#","dialect":""#);
    out.extend_from_slice(dialect.as_str().as_bytes());
    out.push(b'"');
}

/// `patches` is the text of a patch.
pub(crate) fn patch(revision: u64, patches: &str) -> String {
    let mut out = chunk(revision, "state_patch", patches.len());
    out.extend_from_slice(br#","patches":"#);
    out.extend_from_slice(patches.as_bytes());
    finish(out, b"}}")
}

/// How many bytes that frame has.
pub(crate) fn patch_length(revision: u64, patches: &str) -> usize {
    const AROUND: usize = r#"{"type":"chunk","sequence":,"revision":,"chunk":{"type":"state_patch","patches":}}"#.len();
    AROUND + 2 * number::digits(revision, &mut [0; 20]).len() + patches.len()
}

/// A longer state comes in parts whatever a frame may have: a client takes silence for a fault, and one frame of 8 MB is long in coming.
const PART: usize = 1 << 20;

/// The whole state, in one frame if it fits into `most` bytes, otherwise in parts.
pub(crate) fn snapshot(revision: u64, session: &str, document: &Document, most: usize) -> Vec<String> {
    let state = finish(document.to_bytes(), b"");
    let most = most.min(PART);
    if state.len() + session.len() * 6 + ENVELOPE_BYTES <= most {
        let mut out = part(revision, session, 1, 1);
        out.extend_from_slice(br#","state":"#);
        out.extend_from_slice(state.as_bytes());
        return vec![finish(out, b"}}")];
    }
    // Quoting JSON text at most doubles it: it has quotes and backslashes, but no bare control characters.
    let room = most.saturating_sub(session.len() * 6 + ENVELOPE_BYTES) / 2;
    let slices: Vec<&str> = text::slices(&state, room).collect();
    let framed = slices.iter().enumerate().map(|(index, slice)| {
        let mut out = part(revision, session, index + 1, slices.len());
        out.extend_from_slice(br#","text":"#);
        print::print_text(&mut out, slice.as_bytes());
        finish(out, b"}}")
    });
    framed.collect()
}

fn part(revision: u64, session: &str, part: usize, parts: usize) -> Vec<u8> {
    let mut out = chunk(revision, "state_snapshot", 0);
    out.extend_from_slice(br#","session":"#);
    print::print_text(&mut out, session.as_bytes());
    out.extend_from_slice(br#","part":"#);
    number::print(&mut out, part as f64);
    out.extend_from_slice(br#","parts":"#);
    number::print(&mut out, parts as f64);
    out
}

pub(crate) fn resync(revision: u64, reason: Reason) -> String {
    let mut out = chunk(revision, "stream_resync", 0);
    out.extend_from_slice(br#","reason":""#);
    out.extend_from_slice(reason.as_str().as_bytes());
    finish(out, br#""}}"#)
}

pub(crate) fn status(revision: u64, session: &str) -> String {
    let mut out = event("status", revision, 0);
    out.extend_from_slice(br#","session":"#);
    print::print_text(&mut out, session.as_bytes());
    finish(out, br#","status":"active"}"#)
}

pub(crate) fn end(revision: u64) -> String {
    finish(event("end", revision, 0), b"}")
}

/// Only the code and the fixed phrase: a path could name what the peer may not see.
pub(crate) fn fail(revision: u64, error: &Error) -> String {
    let mut out = event("fail", revision, 0);
    print_error(&mut out, error);
    finish(out, b"}}")
}

/// What a client wants written. `patches` is the text of a patch.
pub(crate) fn write(id: u64, revision: u64, insists: bool, patches: &str) -> String {
    let mut out = br#"{"type":"write","id":"#.to_vec();
    number::print(&mut out, id as f64);
    out.extend_from_slice(br#","revision":"#);
    number::print(&mut out, revision as f64);
    out.extend_from_slice(if insists { br#","insist":true,"patches":"# } else { br#","patches":"# });
    out.extend_from_slice(patches.as_bytes());
    finish(out, b"}")
}

pub(crate) fn written(revision: u64, id: u64) -> String {
    finish(answer("written", revision, id), b"}")
}

/// With the path, which is one of the client's own patch.
pub(crate) fn refused(revision: u64, id: u64, error: &Error) -> String {
    let mut out = answer("refused", revision, id);
    print_error(&mut out, error);
    if let Some(path) = &error.path {
        out.extend_from_slice(br#","path":"#);
        print::print_text(&mut out, path.as_bytes());
    }
    finish(out, b"}}")
}

fn answer(kind: &str, revision: u64, id: u64) -> Vec<u8> {
    let mut out = event(kind, revision, 0);
    out.extend_from_slice(br#","id":"#);
    number::print(&mut out, id as f64);
    out
}

fn print_error(out: &mut Vec<u8>, error: &Error) {
    out.extend_from_slice(br#","error":{"code":""#);
    out.extend_from_slice(error.code.as_str().as_bytes());
    out.extend_from_slice(br#"","message":"#);
    print::print_text(out, error.reason.as_bytes());
}

/// `room` is for what comes after it.
fn chunk(revision: u64, kind: &str, room: usize) -> Vec<u8> {
    let mut out = event("chunk", revision, room);
    out.extend_from_slice(br#","chunk":{"type":""#);
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
    out
}

fn event(kind: &str, revision: u64, room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(ENVELOPE_BYTES / 2 + room);
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(br#"","sequence":"#);
    number::print(&mut out, revision as f64);
    out.extend_from_slice(br#","revision":"#);
    number::print(&mut out, revision as f64);
    out
}

/// Printed JSON is UTF-8: lone surrogates are escaped in it.
fn finish(mut out: Vec<u8>, end: &[u8]) -> String {
    out.extend_from_slice(end);
    String::from_utf8(out).unwrap_or_default()
}
