/**
 * MemberJunction's `PayloadManager` over Patchwire: see docs/memberjunction.md.
 *
 * @module
 */
export type { PayloadAnalysisResult, PayloadWarning } from "./compat/memberjunction/analysis.js";
export type { DeepDiffResult, DiffChange } from "./compat/memberjunction/diff.js";
export {
  parsePathWithOperations, PayloadManager, type AgentPayloadChangeRequest, type ApplyOptions, type BlockedOperation, type PathWithOperations,
  type PayloadManagerResult,
} from "./compat/memberjunction/manager.js";
