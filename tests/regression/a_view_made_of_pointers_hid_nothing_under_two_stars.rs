//! `**` in the text of a view was refused, as it is the name of a member there. In a view that is made of pointers it hid nothing.

use patchwire::{Code, Pointer, View};

#[test]
fn two_stars_are_refused_wherever_a_view_comes_from() {
    let pointer = || Pointer::parse("/secrets/**/token").unwrap();
    for view in [
        View::new(None, vec![pointer()]),
        View::new(Some(vec![pointer()]), Vec::new()),
        View::parse(r#"{"exclude":["/secrets/**/token"]}"#),
    ] {
        let error = view.unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::InvalidPointer, Some("/secrets/**/token")));
    }
}
