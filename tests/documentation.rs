//! Every public function has an example, or is called in its neighbours'. `cargo test --doc` runs them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else {
            found.push(fs::read_to_string(entry).unwrap());
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The public types' names: those that the crate's root and its public modules export or define.
fn exported(src: &Path) -> BTreeSet<String> {
    let roots = ["lib.rs", "store/mod.rs", "sync/mod.rs", "typed/mod.rs"].map(|file| fs::read_to_string(src.join(file)).unwrap());
    let is_public = |line: &&str| ["pub use ", "pub struct ", "pub enum "].iter().any(|start| line.starts_with(start));
    roots.iter().flat_map(|text| text.lines().filter(is_public)).flat_map(words).map(str::to_owned).collect()
}

#[test]
fn every_public_function_has_an_example() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (types, mut files, mut count, mut missing) = (exported(&src), Vec::new(), 0, Vec::new());
    sources(&src, &mut files);
    for file in files {
        let examples: String = file.split("```").skip(1).step_by(2).collect();
        let (mut owner, mut has_example) = ("", false);
        for line in file.lines() {
            let code = line.trim_start();
            if let Some(rest) = line.strip_prefix("impl") {
                // `impl Trait for Type` has no functions of its own.
                owner = if rest.contains(" for ") { "" } else { words(rest).find(|word| types.contains(*word)).unwrap_or_default() };
            }
            if code.starts_with("///") {
                has_example |= code.contains("```");
                continue;
            }
            if let Some(name) = code.strip_prefix("pub fn ").or(code.strip_prefix("pub const fn ")).and_then(|rest| words(rest).next())
                && !owner.is_empty()
            {
                count += 1;
                let calls = [format!(".{name}("), format!(".{name}::<"), format!("{owner}::{name}(")];
                if !has_example && !calls.iter().any(|call| examples.contains(call)) {
                    missing.push(format!("{owner}::{name}"));
                }
            }
            has_example &= code.starts_with("#[");
        }
    }
    assert!(count > 80, "{count}");
    assert_eq!(missing, Vec::<String>::new());
}
