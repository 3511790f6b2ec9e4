// Measures one row, in a process of its own: what one row did to the engine and the heap doesn't reach the next.
import { mingle } from './contenders.mjs';
import { measure, median, ratios, requireEqual } from './harness.mjs';
import { label, rows } from './rows/index.mjs';

async function timed(row, pace) {
  mingle();
  const { ours, peers, text, floor } = row.contenders();
  const others = [floor, text?.ours, text?.peer].filter(Boolean);
  requireEqual([ours, ...peers, ...others], label(row));
  const { samples, near, rough } = await measure({ ours, peers, others }, pace);
  const middle = (one) => median(samples.get(one));
  const best = near.reduce((a, b) => (middle(b) < middle(a) ? b : a));
  const against = ratios(samples.get(ours), samples.get(best));
  return {
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
  };
}

async function counted(row) {
  const figures = await row.figures();
  return { ...figures, ratio: figures.ours / figures.peer };
}

function judge({ target }, { ratio, overFloor }) {
  if (target === undefined) return {};
  const byFloor = ratio > target && overFloor !== undefined && overFloor <= 1.2;
  return { met: ratio <= target || byFloor, byFloor };
}

process.once('disconnect', () => process.exit());
process.once('message', async ({ index, pace }) => {
  const row = rows[index];
  let result;
  try {
    const measured = row.contenders ? await timed(row, pace) : await counted(row);
    result = { ...measured, ...judge(row, measured) };
  } catch (error) {
    result = { failed: String(error), met: false };
  }
  process.send(result, () => process.exit());
});
