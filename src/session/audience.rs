//! Who listens: a server's end for those who see all of the state, and one for each view that somebody has of it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::document::Document;
use crate::limits::Limits;
use crate::patch::{Dialect, Operation, Patch};
use crate::pointer::Pointer;
use crate::projection::View;
use crate::sync::resume::{PatchFrame, Standard};
use crate::sync::{ConnectionId, Server, ServerEffect};

/// Everybody who is connected, by what they see.
#[derive(Debug)]
pub(super) struct Audience {
    whole: Group,
    /// Of each view that a connection has, or had when the last commit was planned.
    views: BTreeMap<View, Group>,
    next: ConnectionId,
}

/// Those who see the same.
#[derive(Debug)]
struct Group {
    server: Server,
    /// What they are told of the commit that is being made; nothing where the first of them came after it was planned.
    told: Option<PatchFrame>,
}

/// A commit.
pub(super) struct News<'a> {
    pub(super) patch: &'a Patch,
    /// Its text.
    pub(super) text: Arc<String>,
    /// The patch in the standard dialect, where that is another one, somebody wants it, and it can be told so.
    pub(super) standard: Option<Patch>,
    /// The state that it changes, and the one that it leads to.
    pub(super) before: &'a Document,
    pub(super) after: &'a Document,
}

impl News<'_> {
    /// The patch in the standard dialect as a server needs it, and as `told` prints what its connections see of one.
    fn standard(&self, server: &Server, told: impl FnOnce(&Patch) -> String) -> Standard {
        match &self.standard {
            _ if self.patch.is_standard() => Standard::Same,
            Some(patch) if server.wants_standard() => Standard::Other(told(patch)),
            // What a view shows of it may be standard.
            _ => Standard::Unread(OnceLock::new()),
        }
    }
}

/// What a view shows of a patch. Nothing of it is an error: where it can't be told, the view is told as a whole.
fn shown(patch: &Patch, view: &View, before: &Document, after: &Document) -> Patch {
    let everything = || Operation::Replace { path: Pointer::default(), value: after.project(view).root };
    patch.filter(view, Some(before)).unwrap_or_else(|_| Patch { operations: vec![everything()] })
}

impl Audience {
    pub(super) fn new(server: Server) -> Audience {
        Audience { whole: Group { server, told: None }, views: BTreeMap::new(), next: 1 }
    }

    /// A new connection, which sees this of the state.
    pub(super) fn open(&mut self, view: &View) -> ConnectionId {
        let id = self.next;
        self.next += 1;
        let Audience { whole, views, .. } = self;
        // Without commits views come and go, too.
        if !views.contains_key(view) {
            views.retain(|_, group| !group.server.is_empty());
        }
        let group = match view.is_whole() {
            true => whole,
            false => views.entry(view.clone()).or_insert_with(|| Group { server: whole.server.seeing(view), told: None }),
        };
        group.server.admit(id);
        id
    }

    /// The end that a connection is at.
    pub(super) fn server_of(&mut self, connection: ConnectionId) -> Option<&mut Server> {
        let Audience { whole, views, .. } = self;
        std::iter::once(whole).chain(views.values_mut()).map(|group| &mut group.server).find(|server| server.has(connection))
    }

    /// The connection has ended.
    pub(super) fn closed(&mut self, connection: ConnectionId) {
        if let Some(server) = self.server_of(connection) {
            server.closed(connection);
        }
    }

    /// Whether some connection reads only the operations of RFC 6902.
    pub(super) fn wants_standard(&self) -> bool {
        self.whole.server.wants_standard() || self.views.values().any(|group| group.server.wants_standard())
    }

    /// What is to be done for everybody once the commit is made.
    pub(super) fn telling(&mut self, news: &News<'_>) -> Vec<ServerEffect> {
        let standard = news.standard(&self.whole.server, Patch::text);
        let mut effects = self.whole.tell(news.text.clone(), standard, news.after);
        // A server closes connections by itself, too.
        self.views.retain(|_, group| !group.server.is_empty());
        for (view, group) in &mut self.views {
            let told = |patch: &Patch| shown(patch, view, news.before, news.after).text();
            let standard = news.standard(&group.server, told);
            effects.extend(group.tell(told(news.patch).into(), standard, news.after));
        }
        effects
    }

    /// The commit was made that led from one state to another: what is to be done for those who came meanwhile.
    pub(super) fn advance(&mut self, before: &Document, after: &Document) -> Vec<ServerEffect> {
        let Some(told) = self.whole.told.take() else { return Vec::new() };
        let mut effects = Vec::new();
        for (view, group) in &mut self.views {
            let made = || {
                let patch = Patch::parse_with(told.extended(), &Limits::none()).unwrap_or_default();
                PatchFrame::new(told.revision(), shown(&patch, view, before, after).text().into(), Standard::Unknown)
            };
            effects.extend(group.server.advance(group.told.take().unwrap_or_else(made), after));
        }
        effects.extend(self.whole.server.advance(told, after));
        effects
    }

    /// The session's id as those have it who see this.
    pub(super) fn session(&self, view: &View) -> String {
        if view.is_whole() { self.whole.server.session().to_owned() } else { self.whole.server.session_seen_by(view) }
    }

    /// What somebody lacks who sees this: see [`Server::frames_since`].
    pub(super) fn frames_since(
        &self,
        view: &View,
        session: Option<&str>,
        revision: Option<u64>,
        dialect: Dialect,
        document: &Document,
    ) -> String {
        let frames = |server: &Server| server.frames_since(session, revision, dialect, document);
        match self.views.get(view) {
            _ if view.is_whole() => frames(&self.whole.server),
            Some(group) => frames(&group.server),
            None => frames(&self.whole.server.seeing(view)),
        }
    }

    /// The stream is over.
    pub(super) fn end(&mut self) -> Vec<ServerEffect> {
        let views = std::mem::take(&mut self.views);
        let ended = views.into_values().flat_map(|mut group| group.server.end());
        ended.chain(self.whole.server.end()).collect()
    }
}

impl Group {
    fn tell(&mut self, patch: Arc<String>, standard: Standard, document: &Document) -> Vec<ServerEffect> {
        let (effects, told) = self.server.telling(patch, standard, document);
        self.told = Some(told);
        effects
    }
}
