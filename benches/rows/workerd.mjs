// Rows of the others, measured in workerd instead of Node.
import { openings } from './opening.mjs';
import { plain } from './plain.mjs';
import { updates } from './updates.mjs';

const targets = { 'push, n=10k': 0.5, 'set in the middle, n=10k': 0.9, 'open 5 MB + push + patch + save: tracker': 0.4 };

export const inWorkerd = [
  ...[...updates, ...openings].filter(({ name, shape }) => name in targets && shape !== 'webhooks').map((row) => ({ ...row, target: targets[row.name] })),
  ...plain.filter((row) => row.contenders),
].map((row) => ({ ...row, name: `${row.name}, workerd`, runtime: 'workerd' }));
