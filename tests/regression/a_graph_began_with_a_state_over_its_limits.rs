//! The input of a graph's state stands one level deeper in it, and has all of the rest beside it.

use patchwire::{Code, Document, Limits, Reducers};

#[test]
fn what_is_accepted_as_an_input_leads_to_a_state_that_is_accepted() {
    let nested = |depth: usize| Document::parse("[".repeat(depth) + &"]".repeat(depth)).unwrap();
    assert_eq!(Reducers::initialize(Some(&nested(512))).unwrap_err().code, Code::LimitExceeded);
    let state = Reducers::initialize(Some(&nested(511))).unwrap();
    assert_eq!(Document::parse(state.to_string()).unwrap(), state);

    let limits = Limits { document: 400, ..Limits::default() };
    let long = Document::parse_with(format!(r#""{}""#, "x".repeat(390)), limits).unwrap();
    assert_eq!(Reducers::initialize(Some(&long)).unwrap_err().code, Code::LimitExceeded);
}
