//! Revisions are numbers of rows: one near the end of the numbers overflowed.

use patchwire::store::Opening;
use patchwire::{Code, Limits};

#[test]
fn a_revision_that_no_commit_makes_is_refused() {
    for revision in [u64::MAX, 1 << 52, 1 << 41] {
        let refused = Opening::new(Limits::default()).meta(1, "session", revision, 2).unwrap_err();
        assert_eq!(refused.code, Code::ValidationFailed);
    }
}

#[test]
fn the_last_revision_has_none_after_it() {
    let mut opening = Opening::new(Limits::default());
    opening.meta(1, "session", (1 << 41) - 1, 2).unwrap();
    opening.base(0, "[]").unwrap();
    opening.log(((1 << 41) - 1) * 4_096, 1, "[]").unwrap();
    let opened = opening.finish().unwrap().unwrap();
    assert_eq!(opened.store.plan("[]", &opened.document).unwrap_err().code, Code::LimitExceeded);
}
