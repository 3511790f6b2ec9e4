//! What the simulation doesn't come to: somebody with a view that nobody has comes between a commit and its acceptance.

use super::Session;
use crate::document::Document;
use crate::patch::Patch;
use crate::projection::View;
use crate::store::Tables;
use crate::sync::ServerEffect;

#[test]
fn who_comes_with_a_new_view_during_a_commit_is_told_of_it_afterwards() {
    let state = Document::parse(r#"{"list":[{"n":1,"key":"a"}],"keys":{"b":"c"}}"#).unwrap();
    let (mut session, _) = Session::create("s", state, Tables::default().rows()).unwrap();
    session
        .tracker()
        .apply(&Patch::parse(r#"[{"op":"move","from":"/keys/b","path":"/list/0/n"},{"op":"add","path":"/keys/d","value":"e"}]"#).unwrap())
        .unwrap();
    let commit = session.commit().unwrap().unwrap();
    assert!(commit.effects.is_empty());

    let view = View::parse(r#"{"exclude":["/keys","/list/*/key"]}"#).unwrap();
    let connection = session.open_view(&view);
    let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    let sent = |effects: Vec<ServerEffect>| {
        let frames = effects.into_iter().filter_map(|effect| match effect {
            ServerEffect::Send { to, text } if *to == [connection] => Some(text.to_string()),
            _ => None,
        });
        frames.collect::<Vec<_>>()
    };
    assert!(sent(session.receive(connection, hello))[0].contains(r#""state":{"list":[{"n":1}]}"#));
    let frames = sent(session.accept().effects);
    assert_eq!(frames.len(), 1);
    assert!(frames[0].contains(r#""revision":1,"chunk":{"type":"state_patch","patches":[{"op":"#), "{frames:?}");
    assert!(frames[0].contains(r#""c""#) && !frames[0].contains(r#""e""#), "{frames:?}");
    assert_eq!(session.document().project(&view).to_string(), r#"{"list":[{"n":"c"}]}"#);

    // The view goes with the last who has it, and what is hidden is told to nobody.
    session.closed(connection);
    session.tracker().set("/keys/f", "g").unwrap();
    assert!(session.commit().unwrap().unwrap().effects.is_empty());
}
