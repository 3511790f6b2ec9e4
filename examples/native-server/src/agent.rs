//! The agent: it reads a Markdown document section by section, with several tools at once, and writes a report about it.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use patchwire::Result;
use patchwire::typed::{MutationBatch, PhaseHook, Snapshot, StateStore};

use crate::keys::{Focus, Heading, Links, Outline, Progress, Report, Run, Status, Words};

/// Does a run. Everybody who follows the store sees it happen.
pub fn work(store: &StateStore, text: &str, pace: Duration) -> Result<()> {
    store.clear_run_scoped()?;
    let sections = sections(text);
    let all = sections.len();
    for (index, section) in sections.iter().enumerate() {
        commit(store, |batch| batch.update::<Progress>(Run { status: Status::Reading, section: index + 1, sections: all }))?;
        // All of them read one snapshot. The first and the last both move the focus: the last is asked again after them.
        let outline = |snapshot: &Snapshot| {
            let mut batch = snapshot.begin_mutation();
            batch.update::<Focus>(format!("outline of {}", section.title));
            batch.update::<Outline>(Heading { level: section.level, title: section.title.into(), words: words(section.body).count() });
            Ok(batch)
        };
        let count = |snapshot: &Snapshot| {
            let mut counted = BTreeMap::new();
            words(section.body).for_each(|word| *counted.entry(word).or_default() += 1);
            let mut batch = snapshot.begin_mutation();
            batch.update::<Words>(counted);
            Ok(batch)
        };
        let follow = |snapshot: &Snapshot| {
            let found = links(section.body);
            let mut batch = snapshot.begin_mutation();
            if !found.is_empty() {
                batch.update::<Focus>(format!("links in {}", section.title));
                batch.update::<Links>(found);
            }
            Ok(batch)
        };
        let tools: [&dyn PhaseHook; 3] = [&outline, &count, &follow];
        store.run_phase(&tools)?;
        sleep(pace);
    }
    write(store, all, pace)?;
    commit(store, |batch| batch.update::<Progress>(Run { status: Status::Done, section: all, sections: all }))
}

fn write(store: &StateStore, all: usize, pace: Duration) -> Result<()> {
    commit(store, |batch| batch.update::<Progress>(Run { status: Status::Writing, section: all, sections: all }))?;
    let snapshot = store.snapshot();
    let outline = snapshot.get::<Outline>().map(Vec::as_slice).unwrap_or_default();
    let words: usize = outline.iter().map(|heading| heading.words).sum();
    let longest = outline.iter().max_by_key(|heading| heading.words).map_or("nothing", |heading| &heading.title);
    let report = format!("The document has {all} sections and {words} words. The longest section is “{longest}”.");
    for word in report.split_inclusive(' ') {
        commit(store, |batch| batch.update::<Report>(word.into()))?;
        sleep(pace);
    }
    Ok(())
}

fn commit(store: &StateStore, fill: impl FnOnce(&mut MutationBatch)) -> Result<()> {
    let mut batch = store.begin_mutation();
    fill(&mut batch);
    store.commit(batch).map(drop)
}

struct Section<'a> {
    level: usize,
    title: &'a str,
    body: &'a str,
}

/// What is under each heading.
fn sections(text: &str) -> Vec<Section<'_>> {
    let starts: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(start, _)| start)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let section = |(start, end): (&usize, usize)| {
        let (heading, body) = text.get(*start..end)?.split_once('\n').unwrap_or_default();
        let title = heading.trim_start_matches('#');
        Some(Section { level: heading.len() - title.len(), title: title.trim(), body })
    };
    starts.iter().zip(ends).filter_map(section).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

/// The targets of `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let target = |rest: &str| Some(rest.split_once(')')?.0.to_owned());
    text.split("](").skip(1).filter_map(target).collect()
}
