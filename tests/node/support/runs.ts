// Which cases laws try, and how many: the same ones every time, unless `npm test -- --seed 7 --runs 5000` asks for others.

const { PATCHWIRE_SEED = 1, PATCHWIRE_RUNS } = process.env;

/** What those begin with that throw dice of their own. */
export const seed = Number(PATCHWIRE_SEED);

/** What fast-check is told: so many runs, all of them; or as many as were asked for, as far as a minute takes them, because laws aren't equally slow. */
export function asked(usual: number): { seed: number; numRuns: number; interruptAfterTimeLimit?: number } {
  return PATCHWIRE_RUNS === undefined ? { seed, numRuns: usual } : { seed, numRuns: Number(PATCHWIRE_RUNS), interruptAfterTimeLimit: 60_000 };
}
