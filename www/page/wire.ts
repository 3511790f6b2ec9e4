// The wire: what arrived, patch by patch, and what the same changes would have cost as whole states.
import type { JSONPatchOperation } from 'patchwire';
import { byId, bytes, count, element, setText } from './dom.ts';
import type { Snapshot } from './snapshot.ts';

export interface Arrived { revision: number; patches: JSONPatchOperation[]; bytes: number }
export interface Received { frames: number; bytes: number; snapshots: number; resyncs: number }

const LOG_LENGTH = 200;
/** How many patches the median is taken of. */
const SIZES = 1000;
/** Milliseconds between two measurements of the state, which print it whole. */
const SAMPLE = 400;

export function wirePanel(): { arrived(patch: Arrived): void; draw(state: Snapshot, received: Received): void } {
  const log = byId('log');
  const sizes: number[] = [];
  let fresh: Arrived[] = [];
  let patches = 0;
  let whole = 0;
  let stateSize = 0;
  let measured: Snapshot | undefined;
  let measuredAt = -Infinity;
  /** Patches and snapshots since the state was measured: each would have been a whole state. */
  let unmeasured = 0;
  let snapshots = 0;

  function measure(state: Snapshot): void {
    const size = JSON.stringify(state).length;
    // Between two measurements the state grew from one size to the other; each change is charged their mean.
    whole += unmeasured * (measured ? (stateSize + size) / 2 : size);
    stateSize = size;
    unmeasured = 0;
    measured = state;
    measuredAt = performance.now();
  }

  return {
    arrived(patch) {
      patches++;
      unmeasured++;
      sizes.push(patch.bytes);
      if (sizes.length > SIZES) sizes.shift();
      fresh.push(patch);
      if (fresh.length > LOG_LENGTH) fresh.shift();
    },
    draw(state, received) {
      unmeasured += received.snapshots - snapshots;
      snapshots = received.snapshots;
      const isDue = performance.now() - measuredAt > SAMPLE;
      if (state !== measured && (isDue || state.run.status !== 'running')) measure(state);
      compare(received.bytes, whole);
      setText(byId('patch-count'), count(patches));
      setText(byId('patch-median'), sizes.length > 0 ? bytes(median(sizes)) : '–');
      setText(byId('state-size'), bytes(stateSize));
      setText(byId('snapshots'), count(received.snapshots));
      setText(byId('resyncs'), count(received.resyncs));
      setText(byId('frames'), count(received.frames));
      if (fresh.length === 0) return;
      byId('log-empty').hidden = true;
      log.prepend(...fresh.map(line).reverse());
      fresh = [];
      while (log.childElementCount > LOG_LENGTH) log.lastElementChild?.remove();
    },
  };
}

function compare(received: number, whole: number): void {
  const ratio = received > 0 ? whole / received : 0;
  const isWorthSaying = ratio >= 1.5;
  setText(byId('ratio'), isWorthSaying ? `${ratio < 10 ? ratio.toFixed(1) : count(Math.round(ratio))}×` : '–');
  setText(byId('ratio-text'), isWorthSaying ? 'less than sending the whole state each time' : 'nothing to compare yet');
  setText(byId('received'), bytes(received));
  setText(byId('whole'), `≈ ${bytes(whole)}`);
  byId('bar-received').style.scale = `${whole > 0 ? Math.min(received / whole, 1) : 0} 1`;
  byId('bar-whole').style.scale = `${whole > 0 ? 1 : 0} 1`;
}

function median(sizes: number[]): number {
  return sizes.toSorted((a, b) => a - b)[sizes.length >> 1];
}

function line({ revision, patches, bytes: size }: Arrived): HTMLElement {
  // The run's cursor and the counters move with every event: the rest says more.
  const telling = patches.find(({ path }) => !/^\/(run|repositories)\//.test(path)) ?? patches[0];
  const more = patches.length > 1 ? ` +${patches.length - 1}` : '';
  const summary = element(
    'summary', '',
    element('span', 'number', count(revision)),
    element('span', 'number size', bytes(size)),
    element('span', 'op', element('b', '', telling.op), ` ${telling.path} `, element('i', '', valueOf(telling), more)),
  );
  const details = element('details', '', summary);
  // Printed when somebody looks: most never do.
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) details.append(element('pre', '', patches.map((patch) => JSON.stringify(patch)).join('\n')));
  });
  return element('li', '', details);
}

function valueOf(patch: JSONPatchOperation): string {
  if (patch.op === 'str_ins') return JSON.stringify(patch.str);
  return 'value' in patch ? JSON.stringify(patch.value).slice(0, 80) : '';
}
