//! Laws of undo and redo, held against a list of snapshots.

use patchwire::{ArrayDelta, Code, Dialect, Document, Granularity, Limits, Patch, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::json;

use crate::tracking::{Choice, perform, programs};
use crate::values::{document, values};

/// Whether to change something, or to go back and forth.
#[derive(Debug, Clone)]
enum Act {
    Change(Vec<Choice>),
    Undo,
    Redo,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![3 => programs().prop_map(|mut program| { program.truncate(2); Act::Change(program) }), 2 => Just(Act::Undo), 1 => Just(Act::Redo)];
    prop::collection::vec(act, 1..16)
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn the_past_comes_back_exactly(start in values(), acts in acts(), steps in prop_oneof![Just(100usize), 0..4usize]) {
        let base = document(&start);
        let mut tracker = Tracker::new(base.clone(), TrackerOptions { history: steps, ..TrackerOptions::default() });
        let wire = tracker.open_cursor();
        let mut follower = base.clone();
        // The states that can be reached, and which is the present one.
        let (mut states, mut present) = (vec![base], 0usize);
        for act in acts {
            match act {
                Act::Undo => {
                    prop_assert_eq!(tracker.undo(), present > 0);
                    present = present.saturating_sub(1);
                }
                Act::Redo => {
                    prop_assert_eq!(tracker.redo(), present + 1 < states.len());
                    present = (present + 1).min(states.len() - 1);
                }
                Act::Change(program) => for choice in program {
                    // What leaves everything as it was is no step.
                    if !perform(&mut tracker, &choice) || tracker.document() == &states[present] {
                        continue;
                    }
                    states.truncate(present + 1);
                    states.push(tracker.document().clone());
                    // Only the oldest states are forgotten.
                    let forgotten = states.len().saturating_sub(steps + 1);
                    states.drain(..forgotten);
                    present = states.len() - 1;
                }
            }
            prop_assert_eq!(tracker.document(), &states[present]);
            follower = follower.apply(&tracker.patch(wire, Dialect::Extended).unwrap()).unwrap();
            tracker.advance(wire);
            prop_assert_eq!(&follower, tracker.document());
        }
    }

    #[test]
    fn what_streams_write_comes_and_goes_in_steps(list in prop::collection::vec(values(), 1..4), value in values(), pieces in 1usize..6, acts in prop::collection::vec(0..6u8, 1..24), is_ended in any::<bool>()) {
        // Nothing that what arrives begins with.
        let list: Vec<_> = list.into_iter().map(|old| json!({ "old": old })).collect();
        let base = document(&json!({ "list": list, "n": 0 }));
        let mut tracker = Tracker::new(base.clone(), TrackerOptions::default());
        let text = json!(["new", value]).to_string();
        let mut arriving = text.as_bytes().chunks(text.len().div_ceil(pieces));
        let stream = tracker.stream("/list/0").unwrap();
        // The states that can be reached, and by what: the stream, that and what was done around
        // its place, a number elsewhere, an item around its place, the stream's step done again.
        let (mut states, mut steps, mut present) = (vec![base], vec![' '], 0usize);
        for act in acts {
            let before = tracker.document().clone();
            match act {
                0 => prop_assert_eq!(tracker.undo(), present > 0),
                1 => {
                    let redone = tracker.redo();
                    prop_assert_eq!(redone, present + 1 < states.len());
                    // A step that was done again is complete.
                    if redone && matches!(steps[present + 1], 's' | 'm') {
                        steps[present + 1] = 'r';
                    }
                }
                2 => tracker.increment("/n", 1.0).unwrap(),
                3 => tracker.apply(&Patch::parse(r#"[{"op":"add","path":"/list/0","value":"first"}]"#).unwrap()).unwrap(),
                // Undoing what it wrote closes the stream.
                _ => drop(arriving.next().map(|piece| tracker.write(stream, piece))),
            }
            let is_new = act > 1 && tracker.document() != &before;
            present = match act {
                0 => present.saturating_sub(1),
                1 => (present + 1).min(states.len() - 1),
                _ if !is_new => present,
                _ => {
                    states.truncate(present + 1);
                    steps.truncate(present + 1);
                    let mut step = match act { 2 => 'n', 3 => 'i', _ => 's' };
                    // Its step is the latest once it goes on, if only numbers elsewhere have changed since; or else it takes what came since in.
                    let earlier = steps.iter().position(|one| matches!(one, 's' | 'm')).filter(|_| step == 's');
                    if let Some(at) = earlier {
                        if (steps[at] == 's' && steps[at + 1..].iter().all(|one| *one == 'n')) || at == present {
                            step = steps.remove(at);
                            states.remove(at);
                            for i in at..states.len() {
                                states[i] = one_more(&states[i - 1]);
                            }
                        } else {
                            step = 'm';
                            states.truncate(at);
                            steps.truncate(at);
                        }
                    }
                    states.push(tracker.document().clone());
                    steps.push(step);
                    states.len() - 1
                }
            };
            prop_assert_eq!(tracker.document(), &states[present]);
        }
        let has_closed = match is_ended {
            true => arriving.try_for_each(|piece| tracker.write(stream, piece)).and_then(|()| tracker.end(stream)),
            false => tracker.abort(stream),
        };
        let (last, whole) = (tracker.document().clone(), document(&json!(["new", value])).to_string());
        // What was undone and done again while it was being written stays half.
        let may_be_half = has_closed.is_err() || steps.contains(&'r');
        let mut undone = 0;
        while tracker.undo() {
            undone += 1;
            // Once it has ended or was given up, nobody comes upon half of what it wrote.
            let item = tracker.document().to_string();
            prop_assert!(may_be_half || !item.contains(r#"["new""#) || item.contains(&whole), "{}", item);
        }
        prop_assert_eq!(tracker.document(), &states[0]);
        for _ in 0..undone {
            prop_assert!(tracker.redo());
        }
        prop_assert_eq!(tracker.document(), &last);
    }

    #[test]
    fn of_several_streams_none_is_left_half(acts in prop::collection::vec((0..9u8, 0..3usize), 1..40), history in prop_oneof![Just(100usize), 0..5usize]) {
        let base = document(&json!({ "list": ["x", "y"], "n": 0 }));
        let mut tracker = Tracker::new(base, TrackerOptions { history, ..TrackerOptions::default() });
        // Which were open while something was undone: half of them may have been done again.
        let (mut streams, mut closed, mut may_be_half) = ([None; 3], [false; 3], [false; 3]);
        let whole = |tracker: &mut Tracker, stream, which: usize| tracker.write(stream, format!(">{which}\"")).and_then(|()| tracker.end(stream));
        for (act, which) in acts {
            let count = tracker.document().to_string().matches('"').count();
            match (act, streams[which]) {
                (0, None) if !closed[which] => {
                    let stream = tracker.stream(["/list/-", "/list/-", "/new"][which]).ok();
                    streams[which] = stream.filter(|stream| tracker.write(*stream, format!("\"{which}<")).is_ok());
                    closed[which] = streams[which].is_none();
                }
                (0..=2, Some(stream)) => drop(tracker.write(stream, "-")),
                (3, Some(stream)) => {
                    let _ = if count.is_multiple_of(2) { whole(&mut tracker, stream, which) } else { tracker.abort(stream) };
                    (streams[which], closed[which]) = (None, true);
                }
                (4, Some(stream)) => {
                    let _ = tracker.abort(stream);
                    (streams[which], closed[which]) = (None, true);
                }
                (5, _) => drop(tracker.increment("/n", 1.0)),
                (6, _) => {
                    let patch = [r#"{"op":"add","path":"/list/0","value":"first"}"#, r#"{"op":"add","path":"/list/-","value":"last"}"#, r#"{"op":"remove","path":"/list/0"}"#][which];
                    let _ = Patch::parse(format!("[{patch}]")).and_then(|patch| tracker.apply(&patch));
                }
                (7, _) => {
                    let patch = [r#"{"op":"replace","path":"/list","value":["z"]}"#, r#"{"op":"move","from":"/list/0","path":"/moved"}"#, r#"{"op":"remove","path":"/new"}"#][which];
                    let _ = Patch::parse(format!("[{patch}]")).and_then(|patch| tracker.apply(&patch));
                }
                (8, _) => {
                    for (one, half) in streams.iter().zip(&mut may_be_half) {
                        *half |= one.is_some();
                    }
                    let _ = if which == 0 { tracker.redo() } else { tracker.undo() };
                }
                _ => {}
            }
        }
        for (which, stream) in streams.into_iter().enumerate() {
            if let Some(stream) = stream
                && whole(&mut tracker, stream, which).is_err()
            {
                let _ = tracker.abort(stream);
            }
        }
        let last = tracker.document().clone();
        let has_half = |text: &str, which: usize| {
            text.split('"').any(|part| part.starts_with(&format!("{which}<")) && !part.ends_with(&format!(">{which}")))
        };
        // What others took a stream's place for, and gave back, is half.
        let is_never_half: Vec<usize> = (0..3).filter(|which| !may_be_half[*which] && !has_half(&last.to_string(), *which)).collect();
        let mut undone = 0;
        loop {
            let text = tracker.document().to_string();
            prop_assert!(!is_never_half.iter().any(|which| has_half(&text, *which)), "{}", text);
            if !tracker.undo() {
                break;
            }
            undone += 1;
        }
        for _ in 0..undone {
            prop_assert!(tracker.redo());
        }
        prop_assert_eq!(tracker.document(), &last);
    }

    #[test]
    fn a_checkpoint_is_restored_and_the_restoring_undone(start in values(), programs in prop::collection::vec(programs(), 1..4), which in 0..4usize) {
        let mut tracker = Tracker::new(document(&start), TrackerOptions::default());
        let wire = tracker.open_cursor();
        let mut kept = vec![(tracker.checkpoint(), tracker.document().clone())];
        for program in programs {
            for choice in &program {
                perform(&mut tracker, choice);
            }
            kept.push((tracker.checkpoint(), tracker.document().clone()));
        }
        let (now, (checkpoint, past)) = (tracker.document().clone(), &kept[which % kept.len()]);
        tracker.restore(*checkpoint).unwrap();
        prop_assert_eq!(tracker.document(), past);
        prop_assert_eq!(&kept[0].1.apply(&tracker.patch(wire, Dialect::Rfc6902).unwrap()).unwrap(), past);
        if past != &now {
            prop_assert!(tracker.undo());
            prop_assert_eq!(tracker.document(), &now);
        }
    }

    #[test]
    fn the_inverse_patch_leads_back_to_the_baseline(start in values(), program in programs()) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            for granularity in [Granularity::Path, Granularity::Key] {
                let base = document(&start);
                let mut tracker = Tracker::new(base.clone(), TrackerOptions { array_delta, granularity, ..TrackerOptions::default() });
                for choice in &program {
                    perform(&mut tracker, choice);
                }
                let inverse = tracker.inverse_patch(Tracker::MAIN).unwrap();
                prop_assert_eq!(&tracker.document().apply(&inverse).unwrap(), &base, "{}", inverse);
                let mut naive = serde_json::Value::from(tracker.document());
                json_patch::patch(&mut naive, &json_patch::Patch::try_from(&inverse).unwrap()).unwrap();
                prop_assert_eq!(&naive, &start);
            }
        }
    }

    #[test]
    fn a_change_and_its_undoing_are_no_writes(start in values(), program in programs()) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            let mut tracker = Tracker::new(document(&start), TrackerOptions { array_delta, ..TrackerOptions::default() });
            for choice in &program {
                perform(&mut tracker, choice);
            }
            while tracker.undo() {}
            prop_assert_eq!(tracker.writes(Tracker::MAIN).unwrap().to_string(), r#"{"ops":[],"warnings":[]}"#);
        }
    }
}

fn one_more(state: &Document) -> Document {
    let mut tracker = Tracker::new(state.clone(), TrackerOptions::default());
    tracker.increment("/n", 1.0).unwrap();
    tracker.document().clone()
}

fn tracker(text: &str) -> Tracker {
    Tracker::new(Document::parse(text).unwrap(), TrackerOptions::default())
}

#[test]
fn a_stream_is_one_step_whatever_changes_elsewhere() {
    let mut tracker = tracker(r#"{"x":"old","n":1}"#);
    let stream = tracker.stream("/x").unwrap();
    for piece in ["{\"a\":", "\"b", "c\"", ",\"d\":["] {
        tracker.write(stream, piece).unwrap();
    }
    tracker.increment("/n", 1.0).unwrap();
    for piece in ["1", ",2", "]}"] {
        tracker.write(stream, piece).unwrap();
    }
    tracker.end(stream).unwrap();
    let states = [r#"{"x":{"a":"bc","d":[1,2]},"n":2}"#, r#"{"x":"old","n":2}"#, r#"{"x":"old","n":1}"#];
    for state in states {
        assert_eq!(tracker.document().to_string(), state);
        assert_eq!(tracker.undo(), state != states[2]);
    }
    for state in states.iter().rev() {
        assert_eq!(tracker.document().to_string(), *state);
        assert_eq!(tracker.redo(), *state != states[0]);
    }
}

#[test]
fn an_aborted_stream_leaves_no_step() {
    let mut tracker = tracker(r#"{"x":"old","n":1}"#);
    tracker.increment("/n", 1.0).unwrap();
    for pointer in ["/x", "/new"] {
        let stream = tracker.stream(pointer).unwrap();
        tracker.write(stream, "[1,").unwrap();
        tracker.abort(stream).unwrap();
    }
    assert_eq!(tracker.document().to_string(), r#"{"x":"old","n":2}"#);
    assert!(tracker.undo() && !tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"x":"old","n":1}"#);
}

#[test]
fn a_root_number_is_a_step() {
    let mut tracker = tracker("0");
    let stream = tracker.stream("").unwrap();
    tracker.write(stream, "12").unwrap();
    assert_eq!(tracker.document().to_string(), "0");
    tracker.end(stream).unwrap();
    assert_eq!(tracker.document().to_string(), "12");
    assert!(tracker.undo());
    assert_eq!(tracker.document().to_string(), "0");
}

#[test]
fn undoing_what_arrives_closes_its_stream() {
    let mut tracker = tracker(r#"{"x":1}"#);
    let stream = tracker.stream("/x").unwrap();
    tracker.write(stream, "[[").unwrap();
    assert!(tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"x":1}"#);
    assert_eq!(tracker.write(stream, "1").unwrap_err().code, Code::PathNotFound);
}

#[test]
fn the_latest_step_is_kept_whatever_it_weighs() {
    let limits = patchwire::Limits { document: 4_000, ..patchwire::Limits::default() };
    let mut tracker = Tracker::new(
        Document::parse(format!("\"{}\"", "x".repeat(2_000))).unwrap(),
        TrackerOptions { limits, ..TrackerOptions::default() },
    );
    for value in ["1", "\"yyyyyyyyyyyyyyyyyyyy\"", "2"] {
        tracker.apply(&Patch::parse(format!(r#"[{{"op":"replace","path":"","value":{value}}}]"#)).unwrap()).unwrap();
        if value == "1" {
            assert!(tracker.undo() && tracker.redo());
        }
    }
    assert!(tracker.undo() && tracker.undo());
    assert_eq!(tracker.document().to_string(), "1");
    assert!(!tracker.undo(), "the long string was over a quarter of the limit");
}

#[test]
fn the_oldest_checkpoints_are_forgotten() {
    let mut tracker = tracker("0");
    let checkpoints: Vec<_> = (0..40)
        .map(|_| {
            let checkpoint = tracker.checkpoint();
            tracker.increment("", 1.0).unwrap();
            checkpoint
        })
        .collect();
    assert_eq!(tracker.restore(checkpoints[7]).unwrap_err().code, Code::StaleState);
    let mut other = tracker.clone();
    let unknown = (0..9).map(|_| other.checkpoint()).max().unwrap();
    assert_eq!(tracker.restore(unknown).unwrap_err().code, Code::StaleState);
    assert_eq!(tracker.document().to_string(), "40");
    tracker.restore(checkpoints[8]).unwrap();
    assert_eq!(tracker.document().to_string(), "8");
}

#[test]
fn an_addition_after_an_undoing_is_a_step_of_its_own() {
    let mut tracker = tracker(r#"{"x":""}"#);
    tracker.append("/x", "a").unwrap();
    tracker.apply(&Patch::parse(r#"[{"op":"replace","path":"/x","value":"zz"}]"#).unwrap()).unwrap();
    assert!(tracker.undo());
    tracker.append("/x", "b").unwrap();
    assert!(!tracker.redo());
    assert_eq!(tracker.document().to_string(), r#"{"x":"ab"}"#);
    assert!(tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"x":"a"}"#);
    assert!(tracker.undo() && !tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"x":""}"#);
}

#[test]
fn going_back_and_forth_costs_no_steps() {
    let limits = Limits { document: 40_000, ..Limits::default() };
    let mut tracker = Tracker::new(Document::parse(r#"{"x":0}"#).unwrap(), TrackerOptions { limits, ..TrackerOptions::default() });
    for step in 0..5 {
        let value = format!("{step}").repeat(1_500);
        tracker.apply(&Patch::parse(format!(r#"[{{"op":"replace","path":"/x","value":"{value}"}}]"#)).unwrap()).unwrap();
    }
    for _ in 0..100 {
        assert!(tracker.undo() && tracker.redo());
    }
    assert_eq!(std::iter::from_fn(|| tracker.undo().then_some(())).count(), 5);
}

#[test]
fn what_is_appended_is_held_to_the_documents_limit() {
    let limits = Limits { document: 100, ..Limits::default() };
    let mut tracker = Tracker::new(Document::parse(r#"{"x":""}"#).unwrap(), TrackerOptions { limits, ..TrackerOptions::default() });
    tracker.append("/x", &"a".repeat(60)).unwrap();
    assert_eq!(tracker.append("/x", &"b".repeat(60)).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(tracker.document().to_string(), format!(r#"{{"x":"{}"}}"#, "a".repeat(60)));
}
