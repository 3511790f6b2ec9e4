/**
 * State for AI agents at the edge: recipes change a draft, and exactly what changed comes out as step writes and
 * JSON patches.
 *
 * @module
 */
export { ready } from "./bridge/core.js";
export { StateDocument } from "./bridge/document.js";
export { castDraft, current, isDraft, original } from "./state/current.js";
export { PatchwireError, type ErrorPlace, type PatchwireErrorCode } from "./errors.js";
export {
  applyChangeRequest, changeRequestProblems, changeRequestSchema, revertChange, stateBefore, type AppliedCounts, type BlockedChange, type ChangeOperation,
  type ChangeRecord, type ChangeRequest, type ChangeRequestOptions, type ChangeRequestProblem, type ChangeResult, type ChangeWarning, type Truncation,
} from "./values/change-request.js";
export { applyPatch, applyStepWrites, stepWritesToRFC6902 } from "./values/apply.js";
export { mergeBranches, mergeWrites, type MergeConflict, type MergeContext, type Merged, type MergeOptions, type MergeStrategies, type MergeStrategy } from "./values/merge.js";
export { compact, filterPatch, type View } from "./values/combining.js";
export { diff, diffTexts, invert } from "./values/patches.js";
export type { StreamedValue } from "./tracker/stream.js";
export { StateTracker } from "./tracker/tracker.js";
export type { ParallelOwner } from "./tracker/owner.js";
export { parallel, type ParallelContext, type ParallelOptions, type ParallelResult, type ParallelTool } from "./tracker/parallel.js";
export type {
  CheckpointId, Dialect, DiffOptions, Draft, Immutable, JSONPatchOperation, Limits, RecipeResult, RFC6902Operation, StateTrackerOptions, StepWrites, StepWritesInput, StepWritesOptions, Validator, WriteCursor, WriteOp,
} from "./types.js";
export type { StandardIssue, StandardResult, StandardSchemaV1 } from "./values/validate.js";
