import type { Immutable } from 'patchwire';
import type { TriageState } from '../triage.ts';

/** The state as the client publishes it: what didn't change is `===` to what it was, so panels skip it. */
export type Snapshot = Immutable<TriageState>;
