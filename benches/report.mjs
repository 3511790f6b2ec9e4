// The table, a line as soon as its row is measured.

const columns = [
  ['row', 60],
  ['shape', 10],
  ['ours', -10],
  ['peer', -11],
  ['which', 32],
  ['floor', -9],
  ['ratio', -7],
  ['middle half', -14],
  ['target', -7],
  ['', 6],
  ['as text', -8],
];

export const label = ({ name, shape }) => (shape ? `${name} (${shape})` : name);

const pad = (text, width) => (width < 0 ? text.padStart(-width) : text.padEnd(width));
const line = (cells) => columns.map(([, width], i) => pad(cells[i] ?? '', width)).join('  ').trimEnd();

export const header = `${line(columns.map(([name]) => name))}\n${columns.map(([, width]) => '─'.repeat(Math.abs(width))).join('  ')}`;

function amount(value) {
  if (value === undefined) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

function ratio(value) {
  if (value === undefined) return '';
  return value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 2 : 4);
}

function verdict({ met, byFloor, ratio }) {
  if (met === undefined) return ratio > 1 ? 'behind' : 'ahead';
  if (byFloor) return 'floor';
  return met ? 'met' : 'MISSED';
}

export function rowLine(result) {
  const { name, shape, ours, peer, who, floor, spread, target, text, failed } = result;
  if (failed) return line([name, shape, 'FAILED']);
  return line([
    name,
    shape,
    amount(ours),
    amount(peer),
    who,
    amount(floor),
    ratio(result.ratio),
    spread ? `${ratio(spread.low)}–${ratio(spread.high)}` : '',
    target === undefined ? '–' : `≤ ${target}`,
    verdict(result),
    ratio(text?.ratio),
  ]);
}

function shortfall({ failed, ratio: reached, target, overFloor }) {
  return failed ?? `${ratio(reached)} for ${target}${overFloor ? `, ${overFloor.toFixed(1)} × floor` : ''}`;
}

/** Peers that were too slow to be timed in every round, and in how many rows. */
function leftOut(results) {
  const rows = {};
  for (const peer of results.flatMap((result) => Object.keys(result.leftOut ?? {}))) rows[peer] = (rows[peer] ?? 0) + 1;
  return Object.entries(rows).map(([peer, count]) => `  ${peer} was over three times slower than the best peer in ${count} rows and left out of their rounds (times: --json)`);
}

/** Of rows that are measured with several shapes, which one was worst. */
function worst(results) {
  const rows = Map.groupBy(results.filter((result) => result.ratio !== undefined), ({ name }) => name);
  return [...rows].filter(([, all]) => all.length > 1).map(([name, all]) => {
    const last = all.reduce((a, b) => (b.ratio > a.ratio ? b : a));
    return `  ${name}: ${last.shape}, ${ratio(last.ratio)}`;
  });
}

export function conclusion(results, seconds) {
  const judged = results.filter((result) => result.met !== undefined);
  const missed = judged.filter((result) => !result.met);
  const notes = results.filter((result) => result.note ?? result.also).map((result) => `  ${label(result)}: ${result.note ?? result.also}`);
  notes.push(...leftOut(results));
  return [
    `\n${judged.length - missed.length} of ${judged.length} met their target; ${Math.round(seconds)} s.`,
    ...(missed.length > 0 ? ['Missed:', ...missed.map((result) => `  ${label(result)}: ${shortfall(result)}`)] : []),
    ...(worst(results).length > 0 ? ['The worst shape of each row:', ...worst(results)] : []),
    ...(notes.length > 0 ? ['Notes:', ...notes] : []),
  ].join('\n');
}
