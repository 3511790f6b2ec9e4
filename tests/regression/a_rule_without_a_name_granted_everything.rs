//! A rule that is put together of a name and `.*` was one for the whole state where the name was empty; and one that has `**` in a
//! pointer granted nothing without a word.

use patchwire::{ChangeOperation, Code, Guard};

#[test]
fn a_rule_names_what_it_is_about() {
    for rule in ["", ".*", ".", "..*", "[]", "[].*:add", ":update"] {
        let error = Guard::parse([rule]).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some(rule)));
    }
    for rule in ["/**/id", "/a/**:add"] {
        assert_eq!(Guard::parse([rule]).unwrap_err().code, Code::InvalidPointer);
    }
    for (rule, place) in [("*", ""), ("*", "/a/b"), ("**", ""), ("**.*", "/a"), ("*.*", "/a/b"), ("[*]", "/0"), ("/", "/"), ("/.*", "/.*")]
    {
        assert!(Guard::parse([rule]).unwrap().allows(place, ChangeOperation::Delete).unwrap(), "{rule}");
    }
}
