//! What happens to a live object's state between two commits: recipes, by their op log, and what is done without one.

use patchwire::session::Session;
use patchwire::{CursorId, Dialect, Document, Patch, Tracker};
use serde_json::{Value, json};

use crate::random::Random;
use crate::shim::{Recipe, Shim, any_place, at, at_mut, pointer, words};
use crate::totals::Totals;

/// What a host has beside a session, and loses with it.
#[derive(Default)]
pub struct Host {
    shim: Shim,
    reader: Option<Reader>,
}

/// A reader beside the main one, with a baseline of its own.
struct Reader {
    cursor: CursorId,
    base: Document,
}

/// The number of the first cursor that a tracker opens, as logs have it.
const FIRST: usize = 1;

impl Host {
    /// Changes the session's state; returns what it is then. `longest` bounds the texts that are added.
    pub fn change(&mut self, session: &mut Session, random: &mut Random, longest: u64, totals: &mut Totals) -> Value {
        let tracker = session.tracker();
        let mut state = Value::from(tracker.document());
        if self.reader.is_none() {
            self.reader = Some(Reader { cursor: tracker.open_cursor(), base: tracker.document().clone() });
        }
        for _ in 0..random.between(1, 3) {
            let kind = random.below(9);
            if kind < 5 {
                state = Recipe::new(&mut self.shim, random, longest, state).run();
                totals.count("recipe");
            } else if kind == 5 {
                self.shim.advance(FIRST);
                self.reader.as_mut().unwrap().base = Document::try_from(&state).unwrap();
                totals.count("reader advanced by the log");
            } else {
                self.flush(tracker, random, totals);
                without_a_log(tracker, random, longest, &mut state, totals);
            }
        }
        self.flush(tracker, random, totals);
        self.check_reader(tracker, random);
        state
    }

    fn flush(&mut self, tracker: &mut Tracker, random: &mut Random, totals: &mut Totals) {
        if self.shim.flush(tracker, random) {
            totals.count("damaged log");
        }
    }

    /// What the reader is told leads from its baseline to the state.
    fn check_reader(&mut self, tracker: &mut Tracker, random: &mut Random) {
        let Some(reader) = &mut self.reader else { return };
        let dialect = if random.one_in(2) { Dialect::Rfc6902 } else { Dialect::Extended };
        let patch = tracker.patch(reader.cursor, dialect).unwrap();
        assert_eq!(reader.base.apply(&patch).unwrap(), *tracker.document(), "{patch}");
        if random.one_in(3) {
            tracker.advance(reader.cursor);
            reader.base = tracker.document().clone();
        }
    }
}

fn without_a_log(tracker: &mut Tracker, random: &mut Random, longest: u64, state: &mut Value, totals: &mut Totals) {
    match random.below(4) {
        0 => {
            let path = any_place(random, state, Value::is_string);
            let Value::String(before) = at(state, &path).clone() else { return };
            let more = words(random, longest.min(200));
            tracker.append(pointer(&path), &more).unwrap();
            *at_mut(state, &path) = (before + &more).into();
            totals.count("append");
        }
        1 => {
            let path = any_place(random, state, Value::is_number);
            let Some(before) = at(state, &path).as_u64() else { return };
            let by = random.below(9);
            tracker.increment(pointer(&path), by as f64).unwrap();
            *at_mut(state, &path) = (before + by).into();
            totals.count("increment");
        }
        kind => {
            let path = any_place(random, state, |_| true);
            if path.is_empty() {
                return;
            }
            let value = json!({ "id": random.below(100), "text": words(random, longest), "list": [1, [true, {}], null] });
            if kind == 2 {
                let patch = json!([{ "op": "replace", "path": pointer(&path), "value": value }]).to_string();
                tracker.apply(&Patch::parse(patch).unwrap()).unwrap();
                *at_mut(state, &path) = value;
                return totals.count("patch");
            }
            let stream = tracker.stream(pointer(&path)).unwrap();
            let (text, ends) = (value.to_string(), random.one_in(2));
            let said = if ends { text.len() } else { random.below(text.len() as u64) as usize };
            let mut rest = &text.as_bytes()[..said];
            while !rest.is_empty() {
                let (piece, more) = rest.split_at(random.between(1, rest.len() as u64) as usize);
                tracker.write(stream, piece).unwrap();
                rest = more;
            }
            if ends {
                tracker.end(stream).unwrap();
                *at_mut(state, &path) = value;
                totals.count("stream");
            } else {
                tracker.abort(stream).unwrap();
                totals.count("aborted stream");
            }
        }
    }
}
