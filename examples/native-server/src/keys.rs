//! The agent's state.

use std::collections::{BTreeMap, BTreeSet};

use patchwire::typed::{KeyOptions, KeyScope, MergeStrategy, StateKey, StateStore};
use serde::{Deserialize, Serialize};

/// How far the run is.
pub struct Progress;

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Run {
    pub status: Status,
    pub section: usize,
    pub sections: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Idle,
    Reading,
    Writing,
    Done,
}

impl StateKey for Progress {
    const KEY: &'static str = "progress";
    type Value = Run;
    type Update = Run;

    fn apply(run: &mut Run, next: Run) {
        *run = next;
    }
}

/// What a tool looks at. Two tools can't look at two things at once, so this is where they run one after the other.
pub struct Focus;

impl StateKey for Focus {
    const KEY: &'static str = "focus";
    type Value = Vec<String>;
    type Update = String;

    fn apply(focus: &mut Vec<String>, next: String) {
        focus.push(next);
    }
}

/// The document's headings, and how many words each section has.
pub struct Outline;

#[derive(Clone, Serialize, Deserialize)]
pub struct Heading {
    pub level: usize,
    pub title: String,
    pub words: usize,
}

impl StateKey for Outline {
    const KEY: &'static str = "outline";
    type Value = Vec<Heading>;
    type Update = Heading;

    fn apply(outline: &mut Vec<Heading>, heading: Heading) {
        outline.push(heading);
    }
}

/// The text that the agent writes, word by word.
pub struct Report;

impl StateKey for Report {
    const KEY: &'static str = "report";
    type Value = String;
    type Update = String;

    fn apply(report: &mut String, word: String) {
        report.push_str(&word);
    }
}

/// How often each word came, in all documents of the thread.
pub struct Words;

impl StateKey for Words {
    const KEY: &'static str = "words";
    const MERGE: MergeStrategy = MergeStrategy::Commutative;
    const SCOPE: KeyScope = KeyScope::Thread;
    type Value = BTreeMap<String, u64>;
    type Update = BTreeMap<String, u64>;

    fn apply(words: &mut BTreeMap<String, u64>, counted: BTreeMap<String, u64>) {
        for (word, count) in counted {
            *words.entry(word).or_default() += count;
        }
    }
}

/// Where the documents of the thread lead.
pub struct Links;

impl StateKey for Links {
    const KEY: &'static str = "links";
    const MERGE: MergeStrategy = MergeStrategy::Commutative;
    const SCOPE: KeyScope = KeyScope::Thread;
    type Value = BTreeSet<String>;
    type Update = Vec<String>;

    fn apply(links: &mut BTreeSet<String>, found: Vec<String>) {
        links.extend(found);
    }
}

/// A store that knows them all.
pub fn store() -> patchwire::Result<StateStore> {
    let store = StateStore::new();
    store.register_key::<Progress>(KeyOptions::default())?;
    store.register_key::<Focus>(KeyOptions::default())?;
    store.register_key::<Outline>(KeyOptions::default())?;
    store.register_key::<Report>(KeyOptions::default())?;
    store.register_key::<Words>(KeyOptions::default())?;
    store.register_key::<Links>(KeyOptions::default())?;
    Ok(store)
}
