use proptest::prelude::ProptestConfig;

/// So many cases, unless `npm test -- --runs 5000` asks for others; at most ten times as many, because laws aren't equally slow.
pub fn asked(usual: u32) -> ProptestConfig {
    let runs = std::env::var("PATCHWIRE_RUNS").ok().and_then(|runs| runs.parse::<u32>().ok());
    ProptestConfig { cases: runs.map_or(usual, |runs| runs.min(usual * 10)), failure_persistence: None, ..ProptestConfig::default() }
}
