import { arrays } from './arrays.mjs';
import { changeRequests } from './change-requests.mjs';
import { commits } from './commits.mjs';
import { diffs } from './diffs.mjs';
import { everyday } from './everyday.mjs';
import { graphs } from './graphs.mjs';
import { incomings } from './incoming.mjs';
import { memory } from './memory.mjs';
import { openings } from './opening.mjs';
import { plain } from './plain.mjs';
import { releases } from './releases.mjs';
import { sizes } from './sizes.mjs';
import { stalls } from './stalls.mjs';
import { streams } from './streaming.mjs';
import { structures } from './structured.mjs';
import { updates } from './updates.mjs';
import { wakings } from './waking.mjs';
import { inWorkerd } from './workerd.mjs';

/**
 * A row is `{ name, shape, target?, note? }` and either `contenders()`, which gives `{ ours, peers, floor?, text? }`
 * to be timed, with `runtime: 'workerd'` there, or `figures()`, which gives `{ ours, peer, who }` as counted or
 * timed from outside; with `runtime: 'here'` in the process that prints.
 */
export const rows = [
  ...updates, ...everyday, ...inWorkerd, ...arrays, ...incomings, ...streams, ...structures, ...diffs, ...plain, ...openings, ...releases, ...wakings, ...commits, ...stalls, ...graphs, ...changeRequests, ...memory, ...sizes,
];
