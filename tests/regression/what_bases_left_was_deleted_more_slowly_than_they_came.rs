//! A commit that completed a base wrote the last of its chunks and deleted nothing, and those after it deleted two each. So where large
//! strings were replaced again and again, what was stored grew by about a part of the state with each base, without end, and the list of
//! chunks to delete with it. Of bases that were kept one went in three commits, and one came in two.

use patchwire::session::Session;
use patchwire::store::{Retention, Tables};
use patchwire::{Document, Limits};
use serde_json::{Value, json};

/// The most that was stored in the second half of so many commits, each of which sets all.
fn most_stored(retention: Retention, commits: u32, make: impl Fn(u32) -> Value) -> (usize, usize) {
    let mut tables = Tables::default();
    let document = Document::parse(json!({ "all": make(0) }).to_string()).unwrap();
    let state = document.to_bytes().len();
    let (mut session, rows) = Session::create("s", document, tables.rows()).unwrap();
    tables.execute(&rows);
    session.keep(retention);
    let mut most = 0;
    for turn in 1..=commits {
        session.tracker().set("/all", &make(turn)).unwrap();
        let commit = session.commit().unwrap().unwrap();
        tables.execute(&commit.rows);
        let _ = session.accept();
        if turn > commits / 2 {
            most = most.max(tables.row_sizes().sum());
        }
    }
    let woken = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    assert_eq!(woken.document().to_string(), session.document().to_string());
    (state, most)
}

fn strings(count: usize, size: usize) -> impl Fn(u32) -> Value {
    move |turn| (0..count).map(|at| Value::from(format!("{turn} {at} {}", "b".repeat(size)))).collect()
}

#[test]
fn what_is_stored_of_a_state_that_is_replaced_again_and_again_stays_a_few_times_the_state() {
    for (count, size) in [(1, 150_000), (4, 200_000), (10, 70_000), (300, 1_000)] {
        let (state, most) = most_stored(Retention::default(), 120, strings(count, size));
        assert!(most < 9 * state, "{count} strings of {size}: {most} bytes for {state}");
    }
}

#[test]
fn what_is_kept_of_the_past_stays_what_was_asked_for() {
    let retention = Retention { revisions: Some(10), ..Retention::default() };
    for (count, size) in [(4, 200_000), (300, 1_000)] {
        let (state, most) = most_stored(retention, 150, strings(count, size));
        assert!(most < 30 * state, "{count} strings of {size}: {most} bytes for {state}");
    }
}
