/**
 * A state in the events of [AG-UI](https://docs.ag-ui.com): `STATE_SNAPSHOT` and `STATE_DELTA`.
 *
 * @module
 */
export { stateEvents, type StateDeltaEvent, type StateSnapshotEvent } from "./values/state-events.js";
export type { View } from "./values/combining.js";
export type { RFC6902Operation } from "./types.js";
