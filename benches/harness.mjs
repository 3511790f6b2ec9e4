// Measures contenders in interleaved rounds: in each round every one of them runs for a few milliseconds, so that
// what else the machine does falls on all alike, and ratios are formed within a round. tinybench and mitata run one
// task to its end before the next.
import { isDeepStrictEqual } from 'node:util';
import { setImmediate as turn } from 'node:timers/promises';

/** What a step returned last: kept, so that no work can be left out as unused. */
export let sink;

/** Collects young garbage where the runtime lets us: workerd doesn't. */
const collect = globalThis.gc ? () => globalThis.gc({ type: 'minor' }) : () => {};

/** A batch takes about this long, in µs: what a clock of µs can measure, and short beside a sample. */
const BATCH = 150;

/**
 * A contender is `{ name, step(i), begin?(i), batch?, exact?, state?, replay? }`. Steps run in batches, of at most
 * `batch` or of `exact` steps; `begin` precedes each and isn't timed; `i` counts all steps ever. `state()` is the
 * state after the last step, `replay(base, produced)` the state to which what the steps returned leads.
 */
function runBatch(one) {
  const { size, done: first } = one;
  one.done += size;
  one.begin?.(first);
  const started = performance.now();
  for (let i = first; i < first + size; i++) sink = one.step(i);
  return performance.now() - started;
}

/** workerd's clock counts whole milliseconds, longer than a batch: only over many of them is it right. */
const isCoarse = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * The mean over batches of `enough` milliseconds altogether, with the collections of garbage that come in their way: what
 * leaves much, or such as lives on, pays for it. µs a step.
 */
function sample(one, enough) {
  const until = performance.now() + (isCoarse ? enough * 10 : enough);
  let [steps, spent] = [0, 0];
  do {
    spent += runBatch(one);
    steps += one.size;
  } while (performance.now() < until);
  return (spent * 1000) / steps;
}

function warm(one, enough) {
  one.size = one.exact ?? 1;
  one.done = 0;
  const each = sample(one, enough / 4);
  // What `begin` leaves cold is paid for once a batch: not the more often, the longer a step takes.
  one.size = one.exact ?? (one.begin ? one.batch : Math.max(1, Math.min(one.batch ?? 1_000, Math.round(BATCH / each))));
  return sample(one, enough);
}

/** How many times as long as warming up takes it may take a slower contender to do as many steps as the fastest. */
const PATIENCE = 20;

/**
 * Lets a contender do as many steps as the fastest did while it warmed up: what V8 has optimised depends on the steps, and
 * `begin`, which isn't timed, took some of the time in which they were to be done.
 */
function catchUp(one, steps, enough) {
  const until = performance.now() + enough * PATIENCE;
  while (one.done < steps && performance.now() < until) runBatch(one);
}

/** Runs each contender the same few steps; throws unless all end in the same state and their patches lead there. */
export function requireEqual(contenders, label) {
  let expected;
  for (const one of contenders) {
    if (!one.state) continue;
    const base = structuredClone(one.state());
    const produced = [];
    one.begin?.(0);
    for (let i = 0; i < 3; i++) produced.push(one.step(i));
    const state = structuredClone(one.state());
    expected ??= { state, by: one.name };
    if (!isDeepStrictEqual(state, expected.state)) throw new Error(`${label}: ${one.name} and ${expected.by} end in different states`);
    if (one.replay && !isDeepStrictEqual(structuredClone(one.replay(base, produced)), state)) {
      throw new Error(`${label}: the patches of ${one.name} don't lead to its state`);
    }
  }
}

/**
 * `samples` has the µs of each round by contender. `near` are the peers that aren't far behind the best one; the
 * others are left out after warming up, and `rough` says how long they took.
 */
export async function measure({ ours, peers, others }, { rounds, milliseconds, warmup }) {
  const rough = new Map();
  for (const one of [ours, ...peers, ...others]) {
    collect();
    rough.set(one, warm(one, warmup));
    await turn();
  }
  const best = Math.min(...peers.map((peer) => rough.get(peer)));
  const near = peers.filter((peer) => rough.get(peer) <= 3 * best);
  const field = [ours, ...near, ...others];
  const steps = Math.max(...field.map((one) => one.done));
  for (const one of field) catchUp(one, steps, warmup);
  const samples = new Map(field.map((one) => [one, []]));
  globalThis.gc?.();
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < field.length; i++) {
      const one = field[(i + round) % field.length];
      // Nobody pays for the garbage of the one before.
      collect();
      samples.get(one).push(sample(one, milliseconds));
    }
    // Finalizers give wasm memory back between turns only.
    await turn();
  }
  return { samples, near, rough };
}

export function median(values) {
  return quantile(values, 0.5);
}

/** Ratios within each round: their median and middle half. */
export function ratios(ours, theirs) {
  const values = ours.map((value, round) => value / theirs[round]);
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at % 1);
}
