/**
 * State for AI agents at the edge: recipes change a draft, and exactly what changed comes out as step writes and
 * JSON patches.
 *
 * @module
 */
export { ready } from "./core.js";
export { StateDocument } from "./document.js";
export { PatchwireError, type ErrorPlace, type PatchwireErrorCode } from "./errors.js";
export { applyPatch, applyStepWrites, stepWritesToRFC6902 } from "./functions.js";
export { mergeBranches, mergeWrites, type MergeConflict, type MergeContext, type Merged, type MergeOptions, type MergeStrategies, type MergeStrategy } from "./merge.js";
export { compact, diff, filterPatch, invert, type View } from "./patches.js";
export { StateTracker, type StateTrackerOptions, type WriteCursor } from "./tracker.js";
export type { Dialect, DiffOptions, Draft, Immutable, JSONPatchOperation, Limits, StepWrites, StepWritesInput, WriteOp } from "./types.js";
