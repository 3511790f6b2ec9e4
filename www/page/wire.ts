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
const TITLE = 'Patches as they arrive';

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
  const title = byId('log-title');
  steer(log);
  log.addEventListener('focusout', ({ relatedTarget }) => {
    if (!log.contains(relatedTarget as Node | null)) list();
  });

  /** Lists what arrived, unless somebody is in the list, which holds still then. */
  function list(): void {
    const isRead = log.contains(document.activeElement);
    setText(title, isRead && fresh.length > 0 ? `${TITLE}: ${count(fresh.length)}${fresh.length < LOG_LENGTH ? '' : ' or more'} wait` : TITLE);
    if (isRead || fresh.length === 0) return;
    log.prepend(...fresh.map(line).reverse());
    fresh = [];
    while (log.childElementCount > LOG_LENGTH) log.lastElementChild?.remove();
  }

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
      compare(received.bytes, whole, patches);
      setText(byId('patch-count'), count(patches));
      setText(byId('patch-median'), sizes.length > 0 ? bytes(median(sizes)) : '–');
      setText(byId('state-size'), bytes(stateSize));
      setText(byId('snapshots'), count(received.snapshots));
      setText(byId('resyncs'), count(received.resyncs));
      setText(byId('frames'), count(received.frames));
      byId('log-empty').hidden = patches > 0;
      setText(byId('log-empty'), state.run.status === 'done' ? 'The run was over when this page was opened.' : 'The first patch arrives when the run starts.');
      list();
    },
  };
}

function compare(received: number, whole: number, patches: number): void {
  const ratio = received > 0 ? whole / received : 0;
  const isWorthSaying = ratio >= 1.5;
  setText(byId('ratio'), isWorthSaying ? `≈ ${ratio < 10 ? ratio.toFixed(1) : count(Math.round(ratio))}×` : '–');
  setText(byId('ratio-text'), isWorthSaying ? 'less than sending the whole state each time' : patches > 0 ? 'nothing to compare yet' : 'nothing has changed yet');
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
  summary.tabIndex = -1;
  const details = element('details', '', summary);
  // Printed when somebody looks: most never do.
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) details.append(element('pre', '', patches.map((patch) => JSON.stringify(patch)).join('\n')));
  });
  return element('li', '', details);
}

/** A list of hundreds is one stop for the Tab key; the arrow keys go through it. */
function steer(log: HTMLElement): void {
  log.parentElement?.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const at = document.activeElement?.closest('li');
    const next = event.key === 'ArrowDown' ? (at ? at.nextElementSibling : log.firstElementChild) : at?.previousElementSibling;
    const summary = next?.querySelector('summary');
    if (!summary) return;
    event.preventDefault();
    summary.focus();
  });
}

function valueOf(patch: JSONPatchOperation): string {
  if (patch.op === 'str_ins') return JSON.stringify(patch.str);
  return 'value' in patch ? JSON.stringify(patch.value).slice(0, 80) : '';
}
