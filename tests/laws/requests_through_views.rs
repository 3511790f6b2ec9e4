//! A change request whose agent sees a part of the state, which went on meanwhile: nothing that is hidden is taken back, and
//! nothing that is told depends on it.

use patchwire::{Applied, Blocked, ChangeOptions, Changed, Conflict, Error, MergePlan, Truncation, View, Warning};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::change_requests::{check, containers, parse, programs, request};
use crate::values::{document, values};

/// What a view's pointers leave of themselves at a place: those that include, those that exclude, and whether it is covered.
#[derive(Clone)]
struct Place<'v> {
    include: Vec<&'v [String]>,
    exclude: Vec<&'v [String]>,
    is_covered: bool,
}

impl<'v> Place<'v> {
    fn new(include: Vec<&'v [String]>, exclude: Vec<&'v [String]>, is_covered: bool) -> Place<'v> {
        let is_covered = is_covered || include.iter().any(|rest| rest.is_empty());
        let is_excluded = exclude.iter().any(|rest| rest.is_empty());
        let include = if is_excluded { Vec::new() } else { include };
        Place { include, exclude, is_covered: is_covered && !is_excluded }
    }

    fn step(&self, name: &str) -> Place<'v> {
        let onward = |rests: &[&'v [String]]| {
            let matching = rests.iter().filter_map(|rest| rest.split_first()).filter(|(first, _)| *first == "*" || *first == name);
            matching.map(|(_, rest)| rest).collect()
        };
        Place::new(onward(&self.include), onward(&self.exclude), self.is_covered)
    }

    fn is_hidden(&self) -> bool {
        !self.is_covered && self.include.is_empty()
    }

    /// No pointer names an item.
    fn item(&self) -> Place<'v> {
        self.step("\0")
    }
}

/// A value that looks the same, and has something else, by `salt`, wherever nobody looks.
fn disguise(value: &Value, place: &Place<'_>, salt: &mut u64) -> Value {
    *salt = salt.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    match value {
        Value::Object(members) => {
            let mut disguised = Map::new();
            for (name, member) in members {
                let below = place.step(name);
                if !below.is_hidden() {
                    disguised.insert(name.clone(), disguise(member, &below, salt));
                }
            }
            for name in ["a", "b", "c", "key"].into_iter().filter(|name| place.step(name).is_hidden()) {
                let secret = [None, Some(json!(*salt >> 40)), Some(json!({ "b": *salt >> 40 })), Some(json!([{ "a": *salt >> 40 }]))];
                if let Some(secret) = &secret[(*salt >> 60) as usize % 4] {
                    disguised.insert(name.into(), secret.clone());
                }
            }
            disguised.into()
        }
        Value::Array(items) if !place.item().is_hidden() => items.iter().map(|item| disguise(item, &place.item(), salt)).collect(),
        Value::Array(_) if place.is_covered => json!([*salt >> 40]),
        _ if place.is_covered => value.clone(),
        // On the way to nothing, which shows as null.
        _ => [json!(*salt >> 40), Value::Null, json!("hidden")][(*salt >> 60) as usize % 3].clone(),
    }
}

/// Everything that is hidden, by its place.
fn hidden(value: &Value, place: &Place<'_>, path: String, out: &mut Vec<(String, Value)>) {
    match value {
        _ if place.is_hidden() => out.push((path, value.clone())),
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| {
                hidden(member, &place.step(name), format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), out)
            });
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| hidden(item, &place.item(), format!("{path}/{index}"), out));
        }
        _ if place.is_covered => {}
        _ => out.push((path, value.clone())),
    }
}

type Told = (Applied, Vec<Blocked>, Vec<Warning>, Vec<Conflict>, String, String);

/// All that comes back but the state.
fn told(changed: &Result<Changed, Error>) -> Result<Told, Error> {
    let changed = changed.as_ref().map_err(Clone::clone)?;
    let Changed { applied, blocked, warnings, conflicts, patch, inverse, .. } = changed.clone();
    Ok((applied, blocked, warnings, conflicts, patch.to_string(), inverse.to_string()))
}

const VIEWS: [(Option<&[&str]>, &[&str]); 7] = [
    (None, &["/key", "/*/key", "/*/*/key"]),
    (None, &["/b/*/a", "/a/*", "/c/b"]),
    (None, &["/a/*/*", "/b/0", "/*/b/*/key"]),
    (Some(&["/a", "/b/*/a", "/c/b/a", "/c/b/0"]), &[]),
    (Some(&["/b", "/c/*/a", "/*/key"]), &["/b/*/a"]),
    (Some(&["/b/*", "/*/*/*/a"]), &["/b/*/*/key"]),
    (None, &["/*/*"]),
];

fn pointers(texts: &[&str]) -> Vec<Vec<String>> {
    texts.iter().map(|text| text.split('/').skip(1).map(String::from).collect()).collect()
}

fn plan(which: usize) -> MergePlan {
    let rules: [&[(&str, &str)]; 4] = [
        &[],
        &[("", "first"), ("/a/b", "last")],
        &[("/a", "exclusive"), ("/*/*", "merge")],
        &[("/b", "union"), ("/a", "merge"), ("/*/*/a", "longest")],
    ];
    let named = |name: &str| patchwire::Strategy::named(name).unwrap();
    rules[which].iter().fold(MergePlan::new(), |plan, (pointer, name)| plan.with(pointer, named(name)).unwrap())
}

/// Versions of the state that have its items in other places, or more and fewer of them.
fn rearranged(value: &Value, program: &mut impl Iterator<Item = u8>) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| rearranged(item, program)).collect();
            match program.next().unwrap_or(0) % 8 {
                1 => items.reverse(),
                2 => items.insert(0, json!({ "a": "new", "b": [1] })),
                3 => drop(items.pop()),
                4 if !items.is_empty() => drop(items.remove(0)),
                5 if !items.is_empty() => items.rotate_left(1),
                6 => items.push(json!({ "c": { "b": "new" } })),
                _ => {}
            }
            items.into()
        }
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), rearranged(member, program))).collect::<Map<_, _>>().into()
        }
        _ => value.clone(),
    }
}

/// Something with lists of objects in lists of objects.
fn states() -> impl Strategy<Value = Value> {
    let item = || (values(), values(), values()).prop_map(|(a, b, c)| json!({ "a": a, "b": [{ "a": b }, { "b": 1 }], "c": c }));
    let list = move || prop::collection::vec(prop_oneof![item(), values()], 0..4);
    let lists = (list(), list(), containers()).prop_map(|(a, b, c)| json!({ "a": a, "b": b, "c": c }));
    prop_oneof![containers(), lists]
}

proptest! {
    #![proptest_config(crate::asked::asked(2_000))]

    #[test]
    fn what_is_hidden_stays_and_decides_nothing(
        state in states(),
        wanted in programs(),
        others in programs(),
        order in prop::collection::vec(any::<u8>(), 0..12),
        view in prop::sample::select(&VIEWS[..]),
        which in 0..4usize,
        salts in any::<[u64; 4]>(),
    ) {
        let (include, exclude) = (view.0.map(pointers), pointers(view.1));
        let covers = include.is_none();
        let place = Place::new(include.iter().flatten().map(Vec::as_slice).collect(), exclude.iter().map(Vec::as_slice).collect(), covers);
        let view = View::parse(match view.0 {
            Some(include) => json!({ "include": include, "exclude": view.1 }).to_string(),
            None => json!({ "exclude": view.1 }).to_string(),
        }).unwrap();
        // Something else that the state may have become.
        let newer = match parse(&request(&state, &others)).apply(&document(&state), &ChangeOptions::default()) {
            Ok(changed) => Value::from(&changed.state),
            Err(_) => state.clone(),
        };
        let newer = rearranged(&newer, &mut order.into_iter());
        let [mut first, mut second, mut third, mut fourth] = salts;
        let bases = [disguise(&state, &place, &mut first), disguise(&state, &place, &mut second)];
        let newers = [disguise(&newer, &place, &mut third), disguise(&newer, &place, &mut fourth)];
        for alike in [&bases, &newers] {
            prop_assert_eq!(document(&alike[0]).project(&view).to_string(), document(&alike[1]).project(&view).to_string());
        }
        let said = request(&bases[0], &wanted);
        let options = ChangeOptions { view: Some(view.clone()), truncation: Some(Truncation::default()), ..ChangeOptions::default() };
        let onto = |base: usize, newer: usize| parse(&said).apply_onto(&document(&bases[base]), &document(&newers[newer]), &plan(which), &options);
        let one = onto(0, 0);
        if let Ok(changed) = &one {
            check(&document(&newers[0]), changed);
            let [mut before, mut after] = [Vec::new(), Vec::new()];
            hidden(&newers[0], &place, String::new(), &mut before);
            hidden(&Value::from(&changed.state), &place, String::new(), &mut after);
            before.sort_by(|(one, _), (other, _)| one.cmp(other));
            after.sort_by(|(one, _), (other, _)| one.cmp(other));
            prop_assert_eq!(before, after, "by {}", said);
        }
        for other in [onto(0, 1), onto(1, 0), onto(1, 1)] {
            prop_assert_eq!(told(&one), told(&other), "by {}", said);
            if let (Ok(one), Ok(other)) = (&one, &other) {
                prop_assert_eq!(one.state.project(&view).to_string(), other.state.project(&view).to_string());
            }
        }
        // Where the state didn't go on, a base changes nothing.
        let base = document(&bases[0]);
        let [plain, onto] = [parse(&said).apply(&base, &options), parse(&said).apply_onto(&base, &base, &plan(which), &options)];
        prop_assert_eq!(plain.as_ref().map(|changed| &changed.state), onto.as_ref().map(|changed| &changed.state));
        prop_assert!(onto.is_err() || onto.unwrap().conflicts.is_empty());
    }
}
