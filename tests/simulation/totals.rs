use std::collections::BTreeMap;

/// What a run, or all of them, went through.
#[derive(Debug, Default, Clone)]
pub struct Totals {
    counts: BTreeMap<&'static str, u64>,
}

impl Totals {
    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or_default()
    }

    pub fn add(&mut self, other: &Totals) {
        other.counts.iter().for_each(|(what, count)| *self.counts.entry(what).or_default() += count);
    }

    /// A simulation in which nothing goes wrong proves nothing.
    pub fn check_that_everything_happened(&self) {
        let things = [
            "crash",
            "hibernation",
            "lost before the write",
            "refused by storage",
            "rolled back",
            "lost between the write and its acceptance",
            "lost before anybody was told",
            "nothing to commit",
            "hello during a commit",
            "change during a commit",
            "wipe",
            "broken connection",
            "half-open connection",
            "behind",
            "ahead",
            "session",
            "requested",
            "size",
            "part",
            "hostile run",
            "resync",
            "snapshot",
            "fold",
            "began anew",
            "chunk",
            "viewer left",
            "view",
            "noise",
            "lost frame",
            "recipe",
            "damaged log",
            "reader advanced by the log",
            "append",
            "increment",
            "patch",
            "stream",
            "aborted stream",
            "pin",
            "looked back",
            "gone",
            "written",
            "written without a change",
            "to be made again",
            "write that storage refused",
            "write that nobody answered",
        ];
        // Nobody can be ahead of a server that never goes back: unit tests cover that one.
        for thing in things.into_iter().filter(|thing| *thing != "ahead") {
            assert!(self.counts.get(thing).is_some_and(|count| *count > 0), "'{thing}' never happened: {:?}", self.counts);
        }
    }
}
