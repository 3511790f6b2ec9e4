//! The protocol under a model checker: one server, two clients of which one writes, and every order in which frames arrive, connections break or fall
//! silent, time passes, and the server sleeps, at small scope. The simulation (`tests/simulation/`) goes far and sees a few orders; this
//! goes a few steps, and sees all of them.
//!
//! A failure is printed as the steps that lead to it. `PATCHWIRE_DEPTH=n` goes deeper than the default, whose states take some seconds.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod world;

use std::hash::{Hash, Hasher};

use stateright::{Checker, Model, Property};
use world::{Scope, Step, World};

/// The steps that led here, and what tells the place from others.
#[derive(Clone, Debug)]
struct Place {
    steps: Vec<Step>,
    digest: u64,
    /// What doesn't hold here.
    fault: Option<String>,
    is_written: bool,
    is_refused: bool,
    was_open: bool,
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        self.digest == other.digest
    }
}

struct Protocol {
    scope: Scope,
    depth: usize,
}

impl Protocol {
    fn place(&self, steps: Vec<Step>) -> Place {
        let mut world = World::new(self.scope);
        steps.iter().for_each(|step| world.take(*step));
        let (digest, outcomes) = (world.digest(), world.outcomes());
        let fault = world.fault().or_else(|| world.settle());
        Place { steps, digest, fault, is_written: outcomes.written, is_refused: outcomes.refused, was_open: outcomes.open }
    }
}

impl Model for Protocol {
    type State = Place;
    type Action = Step;

    fn init_states(&self) -> Vec<Place> {
        vec![self.place(Vec::new())]
    }

    fn actions(&self, place: &Place, actions: &mut Vec<Step>) {
        if place.steps.len() < self.depth {
            let mut world = World::new(self.scope);
            place.steps.iter().for_each(|step| world.take(*step));
            actions.extend(world.steps());
        }
    }

    fn next_state(&self, place: &Place, step: Step) -> Option<Place> {
        Some(self.place(place.steps.iter().copied().chain([step]).collect()))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(
                "what clients hold and are told is so, and a calm network brings all of them to the server's state",
                |_, place: &Place| place.fault.is_none(),
            ),
            Property::sometimes("a client is told that its change was made", |_, place: &Place| place.is_written),
            Property::sometimes("a client is told to make its change again", |_, place: &Place| place.is_refused),
            Property::sometimes("a client is told that nobody knows whether its change was made", |_, place: &Place| place.was_open),
        ]
    }
}

fn check(scope: Scope, depth: usize) {
    let depth = std::env::var("PATCHWIRE_DEPTH").ok().and_then(|depth| depth.parse().ok()).unwrap_or(depth);
    let checker = Protocol { scope, depth }.checker().threads(2).spawn_bfs().join();
    println!("{} places, {} of them told apart, {} steps deep", checker.state_count(), checker.unique_state_count(), checker.max_depth());
    if let Some(path) =
        checker.discovery("what clients hold and are told is so, and a calm network brings all of them to the server's state")
    {
        let place = path.last_state();
        panic!("{}: {:?}", place.fault.as_deref().unwrap_or_default(), place.steps);
    }
    checker.assert_properties();
}

#[test]
fn a_client_that_writes_and_a_server_that_sleeps() {
    check(Scope { clients: 1, commits: 2, writes: 2, breaks: 2, silences: 1, naps: 1 }, 13);
}

#[test]
fn two_clients_one_of_which_writes() {
    check(Scope { clients: 2, commits: 1, writes: 1, breaks: 1, silences: 0, naps: 1 }, 12);
}
