//! How long a client waits for what, in milliseconds.

/// A connection that was silent this long is tested with a ping: middleboxes drop idle connections unnoticed.
pub(crate) const QUIET: u64 = 25_000;

/// How long opening, a hello or a ping may stay without any answer.
pub(crate) const ANSWER: u64 = 10_000;

/// How long a ping may stay without an answer, and a connection silent, where there is reason to believe that it has gone.
pub(crate) const SOON: u64 = 3_000;

/// How long after the network may have changed a silent connection is suspected (see [`SOON`]): a page may be told before it has
/// changed, or after.
pub(crate) const WARY: u64 = 10_000;

/// An attempt to connect that is younger began after what has just happened to the network.
pub(crate) const YOUNG: u64 = 1_000;

/// How many times an unanswered hello doubles the time that the next one has: the answer may be long, and the link slow.
const DOUBLINGS: u32 = 3;

/// How long a hello may stay without any answer after so many that did.
pub(crate) fn answer_after(unanswered: u32) -> u64 {
    ANSWER << unanswered.min(DOUBLINGS)
}

/// How long the url may be asked for that a connection is opened to, before its time begins.
pub(crate) const ASKING: u64 = 60_000;

/// After so many attempts without any state it is likely that there is none.
pub(crate) const DOUBTFUL: u32 = 4;

const FIRST: u64 = 250;
const LONGEST: u64 = 30_000;

/// A connection that held this long was a good one: the next reconnect is quick again.
const GOOD: u64 = 5_000;

/// After a server that begins anew a pause is no longer than after so many attempts: a second at most.
const RESTARTS: u32 = 2;

/// The pauses between attempts to connect: doubling, and spread so that clients which were cut off together
/// don't come back together.
#[derive(Debug)]
pub(crate) struct Backoff {
    attempts: u32,
    random: u64,
}

impl Backoff {
    /// After so many attempts pauses get no longer.
    pub(crate) const STEPS: u32 = 16;

    pub(crate) fn new(seed: u64) -> Backoff {
        Backoff { attempts: 0, random: seed }
    }

    /// How many pauses there have been since a connection was a good one.
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Something has changed that earlier failures say nothing of: the next pauses are short again.
    pub(crate) fn begin_anew(&mut self) {
        self.attempts = 0;
    }

    pub(crate) fn was_live_for(&mut self, time: u64) {
        if time >= GOOD {
            self.begin_anew();
        }
    }

    /// The server answered, and then said that it begins anew: that isn't a failure, however often it does.
    pub(crate) fn was_restarted(&mut self) {
        self.attempts = self.attempts.min(RESTARTS);
    }

    /// Between half of the pause and all of it.
    pub(crate) fn next(&mut self) -> u64 {
        let pause = (FIRST << self.attempts.min(Backoff::STEPS)).min(LONGEST);
        self.attempts = self.attempts.saturating_add(1);
        pause / 2 + self.draw() % (pause / 2 + 1)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_start_over_after_a_good_connection() {
        let mut backoff = Backoff::new(7);
        for pause in [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
            let drawn = backoff.next();
            assert!((pause / 2..=pause).contains(&drawn), "{drawn} for {pause}");
        }
        backoff.was_live_for(4_999);
        assert!(backoff.next() >= 15_000);
        backoff.was_live_for(5_000);
        assert!(backoff.next() <= 250);
    }

    #[test]
    fn however_often_a_server_begins_anew_pauses_stay_short() {
        let mut backoff = Backoff::new(7);
        for _ in 0..20 {
            backoff.was_restarted();
            assert!(backoff.next() <= 1_000);
        }
    }

    #[test]
    fn clients_with_different_seeds_come_back_at_different_times() {
        let pauses: std::collections::BTreeSet<u64> = (0..50).map(|seed| Backoff::new(seed).next()).collect();
        assert!(pauses.len() > 30, "{}", pauses.len());
    }
}
