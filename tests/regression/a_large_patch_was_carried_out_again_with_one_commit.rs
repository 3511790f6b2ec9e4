//! A state that has read much of itself begins anew: the patches since its base are carried out again, some with each commit. One
//! that is large was read, parsed and carried out with a single small commit: 2 MB took 20 times as long as other commits.
//! Allocations are counted, because time depends on the machine.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::{Document, Limits, Patch};

const NOTES: usize = 180_000;

fn allocations(work: impl FnOnce()) -> u64 {
    let info = allocation_counter::measure(work);
    // Those that were made and those that were given back.
    (2 * info.count_total).saturating_add_signed(-info.count_current)
}

fn commit(session: &mut Session, tables: &mut Tables, patch: &str) -> (u64, bool) {
    session.tracker().apply(&Patch::parse(patch).unwrap()).unwrap();
    let (mut rows, mut is_renewed) = (Vec::new(), false);
    let mut count = allocations(|| rows = session.commit().unwrap().unwrap().rows);
    tables.execute(&rows);
    count += allocations(|| is_renewed = session.accept().is_renewed);
    (count, is_renewed)
}

#[test]
fn a_large_patch_is_carried_out_again_a_little_at_a_time() {
    let text = "x".repeat(160);
    let note = |id: usize| format!(r#"{{"id":{id},"title":"Note {id}","text":"{text}"}}"#);
    let notes: Vec<String> = (0..NOTES).map(note).collect();
    let state = Document::parse(format!(r#"{{"notes":[{}]}}"#, notes.join(","))).unwrap();
    let mut tables = Tables::default();
    tables.execute(&Session::create("s", state, tables.rows()).unwrap().1);
    for is_woken in [false, true] {
        let mut session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
        if !is_woken {
            let pushes: Vec<String> = (0..4_000).map(|id| format!(r#"{{"op":"add","path":"/notes/-","value":{}}}"#, note(id))).collect();
            commit(&mut session, &mut tables, &format!("[{}]", pushes.join(",")));
        }
        let (mut renewed, mut most) = (0, 0);
        for n in 0..2_500 {
            let at = n * 7_919 % NOTES;
            let (count, is_renewed) =
                commit(&mut session, &mut tables, &format!(r#"[{{"op":"replace","path":"/notes/{at}/title","value":"{is_woken} {n}"}}]"#));
            renewed += usize::from(is_renewed);
            // The first one opens the state.
            most = if n == 0 { 0 } else { most.max(count) };
        }
        assert!(renewed > 0);
        assert!(most < 12_000, "{most} allocations in one commit");
    }
    let woken = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    let last: String = woken.document().to_string().chars().rev().take(200).collect();
    assert!(last.chars().rev().collect::<String>().contains("Note 3999"));
}
