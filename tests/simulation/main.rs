//! The whole protocol and the store under a seeded, deterministic simulation: one server on in-memory tables,
//! several clients, and a network that delays, breaks connections, leaves them half open and, in hostile runs,
//! loses, doubles, reorders and damages single frames, while the server crashes and wakes at any instant.
//!
//! The server is the session that Durable Objects have, and its host makes recipes as the shim does: by op logs. A step
//! is an event: a commit, a frame that arrives, a timer, a mishap.
//!
//! A failing run prints its seed and its number, by which it is repeated alone; `PATCHWIRE_SEED=n` makes other runs, and
//! `PATCHWIRE_STEPS=n` makes runs until there were so many steps.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod acts;
mod network;
mod peers;
mod random;
mod shim;
mod totals;
mod world;
mod writes;

use world::World;

/// Runs of the default, which take a few seconds.
const RUNS: u64 = 200;

fn world(seed: u64, number: u64, has_views: bool) -> World {
    World::new((seed.wrapping_sub(1) << 32) ^ number, has_views)
}

/// A commit deleted at once all log rows that an unpinned revision had kept: those of the log's head go from the first row on. A later one did so
/// with rows of a base that had gone when those behind them were forgotten.
#[test]
fn stale_rows_go_a_few_at_a_time() {
    for (seed, number, has_views) in [(7, 30, false), (41, 64, false), (11, 2_423, true)] {
        world(seed, number, has_views).run();
    }
}

#[test]
fn clients_converge_and_commits_survive_whatever_happens() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (seed, only, steps) = (number("PATCHWIRE_SEED").unwrap_or(1), number("PATCHWIRE_RUN"), number("PATCHWIRE_STEPS"));
    let mut totals = totals::Totals::default();
    let mut runs = 0;
    for number in only.unwrap_or(0).. {
        let run = std::panic::catch_unwind(|| world(seed, number, number % 2 == 1).run());
        match run {
            Ok(run) => totals.add(&run),
            Err(_) => panic!("PATCHWIRE_SEED={seed} PATCHWIRE_RUN={number} repeats this failure"),
        }
        runs += 1;
        if only.is_some() || steps.map_or(runs == RUNS, |steps| totals.of("step") >= steps) {
            break;
        }
    }
    println!("{runs} runs: {totals:?}");
    if runs >= RUNS {
        totals.check_that_everything_happened();
    }
}
