//! The whole protocol and the store under a seeded, deterministic simulation: one server on in-memory tables,
//! several clients, and a network that delays, breaks connections, leaves them half open and, in hostile runs,
//! loses, doubles, reorders and damages single frames, while the server crashes and wakes at any instant.
//!
//! A failing run prints its seed; `PATCHWIRE_SEED=n cargo test --test simulation` repeats it alone, and
//! `PATCHWIRE_RUNS=n` makes more runs than the default.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod changes;
mod network;
mod peers;
mod random;
mod totals;
mod world;

use world::World;

#[test]
fn clients_converge_and_commits_survive_whatever_happens() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seeds = match number("PATCHWIRE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PATCHWIRE_RUNS").unwrap_or(400),
    };
    let mut totals = totals::Totals::default();
    for seed in seeds.clone() {
        let run = std::panic::catch_unwind(|| World::new(seed).run());
        match run {
            Ok(run) => totals.add(&run),
            Err(_) => panic!("PATCHWIRE_SEED={seed} repeats this failure"),
        }
    }
    println!("{} runs: {totals:?}", seeds.end - seeds.start);
    if seeds.end - seeds.start >= 400 {
        totals.check_that_everything_happened();
    }
}
