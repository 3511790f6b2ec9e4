// A row of contenders, timed and judged: in a process of its own (measure.mjs) or in workerd (workerd/worker.mjs).
import { mingle } from './contenders.mjs';
import { measure, median, ratios, requireEqual } from './harness.mjs';
import { label } from './report.mjs';

export async function timed(row, pace) {
  mingle();
  const { ours, peers, text, floor } = await row.contenders();
  const others = [floor, text?.ours, text?.peer].filter(Boolean);
  requireEqual([ours, ...peers, ...others], label(row));
  const { samples, near, rough } = await measure({ ours, peers, others }, pace);
  const middle = (one) => median(samples.get(one));
  const best = near.reduce((a, b) => (middle(b) < middle(a) ? b : a));
  const against = ratios(samples.get(ours), samples.get(best));
  return judged(row, {
    ours: middle(ours),
    peer: middle(best),
    who: best.name,
    floor: floor && middle(floor),
    overFloor: floor && ratios(samples.get(ours), samples.get(floor)).median,
    ratio: against.median,
    spread: { low: against.low, high: against.high },
    text: text && { ours: middle(text.ours), peer: middle(text.peer), ratio: ratios(samples.get(text.ours), samples.get(text.peer)).median },
    leftOut: Object.fromEntries(peers.filter((peer) => !near.includes(peer)).map((peer) => [peer.name, rough.get(peer)])),
    samples: Object.fromEntries([...samples].map(([one, values]) => [one.name, values])),
  });
}

/** A row that counts or times by itself. */
export async function counted(row, pace) {
  const figures = await row.figures(pace);
  return judged(row, { ratio: figures.ours / figures.peer, ...figures });
}

/** The figures of a row, and whether they meet its target. */
export function judged({ target }, figures) {
  if (target === undefined) return figures;
  const { ratio, overFloor } = figures;
  const byFloor = ratio > target && overFloor !== undefined && overFloor <= 1.2;
  return { ...figures, met: ratio <= target || byFloor, byFloor };
}
