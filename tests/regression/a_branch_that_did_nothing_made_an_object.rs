//! Branches that left a state as it was counted as writers of its members where a strategy led below it, so that what was no
//! object became one.

use patchwire::{Document, MergePlan, Strategy};

#[test]
fn nothing_is_merged_of_branches_that_did_nothing() {
    let plan = MergePlan::new().with("/*", Strategy::Sum).unwrap();
    for text in ["null", "1", "[]", r#""text""#] {
        let base = Document::parse(text).unwrap();
        let merged = plan.merge_branches(&base, &[base.clone(), base.clone()]).unwrap();
        assert_eq!(merged.state, base);
    }
}

#[test]
fn the_one_that_did_something_has_its_way() {
    let plan = MergePlan::new().with("", Strategy::First).unwrap();
    let [base, other] = ["null", r#"{"a":1}"#].map(|text| Document::parse(text).unwrap());
    assert_eq!(plan.merge_branches(&base, &[base.clone(), other.clone(), base.clone()]).unwrap().state, other);
}
