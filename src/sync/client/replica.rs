//! What a client holds of the state, and what of a snapshot is still on its way.

use super::ClientEffect;
use crate::document::Document;
use crate::edit::{self, Edit};
use crate::error::{Code, Error};
use crate::limits::Limits;
use crate::node::Node;
use crate::parse;
use crate::patch::{self, Patch};

/// A client's copy of the state.
#[derive(Debug, Default)]
pub(super) struct Replica {
    held: Option<Held>,
    /// Parts of a snapshot that isn't complete.
    parts: Option<Parts>,
    /// The server said that it is behind what is held.
    rewinding: bool,
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) document: Document,
    pub(super) session: String,
    pub(super) revision: u64,
    /// Whether patches may still build on it. If not it is shown until a snapshot replaces it.
    pub(super) sound: bool,
}

#[derive(Debug)]
pub(super) struct Parts {
    pub(super) revision: u64,
    pub(super) session: String,
    /// The number of the last part that has come.
    pub(super) part: u64,
    pub(super) parts: u64,
    pub(super) text: Vec<u8>,
}

/// Why a frame can't be taken.
pub(super) enum Trouble {
    /// Something is missing; what is held is right as far as it goes.
    Gap,
    /// What is held, or what came, doesn't fit.
    Misfit,
    /// It is more than the client may hold.
    TooMuch(Error),
    /// It is over a limit, and may come in another way if everything is asked for.
    Over(Error),
}

impl Trouble {
    /// What an error is: over a limit, or otherwise this.
    pub(super) fn of(error: Error, otherwise: Trouble) -> Trouble {
        if error.code == Code::LimitExceeded { Trouble::Over(error) } else { otherwise }
    }
}

impl Replica {
    pub(super) fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Whether all is there that the server had at this revision.
    pub(super) fn is_complete(&self, revision: u64, session: &str) -> bool {
        let is_up_to_date = |held: &Held| held.sound && held.revision == revision && held.session == session;
        self.parts.is_none() && self.held.as_ref().is_some_and(is_up_to_date)
    }

    /// What is held may be shown, but patches don't build on it any more.
    pub(super) fn distrust(&mut self) {
        if let Some(held) = &mut self.held {
            held.sound = false;
        }
    }

    /// The rest of a snapshot that comes in parts won't come.
    pub(super) fn forget_parts(&mut self) {
        self.parts = None;
    }

    /// The next snapshot may be older than what is held, or may not.
    pub(super) fn allow_rewinding(&mut self, is_allowed: bool) {
        self.rewinding = is_allowed;
    }

    /// Applies a commit's patch. While a hello's answer is on its way (`greeting`), what was sent before it may still arrive.
    /// With `observe` the effect has the patch's text.
    pub(super) fn take_patch(
        &mut self,
        revision: u64,
        patch: &Patch,
        greeting: bool,
        observe: bool,
        limits: &Limits,
    ) -> Result<Vec<ClientEffect>, Trouble> {
        // Who holds nothing sound has asked for everything.
        let Some(held) = self.held.as_mut().filter(|held| held.sound) else { return Ok(Vec::new()) };
        if revision <= held.revision {
            return Ok(Vec::new());
        }
        if revision > held.revision + 1 {
            return if greeting { Ok(Vec::new()) } else { Err(Trouble::Gap) };
        }
        let edits = apply(&mut held.document.root, patch, limits).map_err(|error| Trouble::of(error, Trouble::Misfit))?;
        held.revision = revision;
        let patch = observe.then(|| String::from_utf8(patch::print(patch)).unwrap_or_default());
        Ok(vec![ClientEffect::Edits { edits: edit::print_edits(&edits), patch }])
    }

    pub(super) fn take_part(&mut self, part: Parts, limits: &Limits) -> Result<Vec<ClientEffect>, Trouble> {
        let parts = match self.parts.take() {
            None if part.part == 1 => part,
            Some(mut parts)
                if (parts.revision, parts.part + 1, parts.parts) == (part.revision, part.part, part.parts)
                    && parts.session == part.session =>
            {
                parts.text.extend_from_slice(&part.text);
                parts.part = part.part;
                parts
            }
            _ => return Err(Trouble::Gap),
        };
        limits.check_document(parts.text.len()).map_err(Trouble::TooMuch)?;
        if parts.part < parts.parts {
            self.parts = Some(parts);
            return Ok(Vec::new());
        }
        let root = parse::parse(parts.text.into(), limits).map_err(|error| Trouble::of(error, Trouble::Misfit))?;
        self.hold(Document { root, limits: *limits }, parts.session, parts.revision).map_err(Trouble::TooMuch)
    }

    /// Takes a snapshot.
    pub(super) fn hold(&mut self, document: Document, session: String, revision: u64) -> Result<Vec<ClientEffect>, Error> {
        document.limits.check_growth(&document.root, 0)?;
        self.parts = None;
        // Only a late frame of an earlier answer is older, unless the server announced it.
        if self.held.as_ref().is_some_and(|held| held.session == session && held.revision > revision) && !self.rewinding {
            return Ok(Vec::new());
        }
        self.rewinding = false;
        self.held = Some(Held { document, session, revision, sound: true });
        Ok(vec![ClientEffect::Snapshot])
    }
}

/// The edits that a patch is; an error leaves `root` as it was.
fn apply(root: &mut Node, patch: &Patch, limits: &Limits) -> Result<Vec<Edit>, Error> {
    // A token of a long text: of a root that is shared the text would be copied.
    if let Some(edit) = patch::append(root, patch, limits)? {
        return Ok(vec![edit]);
    }
    let (mut next, mut edits) = (root.clone(), Vec::new());
    patch::apply_with(&mut next, patch, limits, |done| edits.push(done.edit))?;
    *root = next;
    Ok(edits)
}
