import { arrays } from './arrays.mjs';
import { diffs } from './diffs.mjs';
import { incomings } from './incoming.mjs';
import { memory } from './memory.mjs';
import { openings } from './opening.mjs';
import { releases } from './releases.mjs';
import { sizes } from './sizes.mjs';
import { streams } from './streaming.mjs';
import { structures } from './structured.mjs';
import { updates } from './updates.mjs';

/**
 * A row is `{ name, shape, target?, note? }` and either `contenders()`, which gives `{ ours, peers, floor?, text? }`
 * to be timed, or `figures()`, which gives `{ ours, peer, who }` as counted.
 */
export const rows = [...updates, ...arrays, ...incomings, ...streams, ...structures, ...diffs, ...openings, ...releases, ...memory, ...sizes];

export const label = ({ name, shape }) => (shape ? `${name} (${shape})` : name);
