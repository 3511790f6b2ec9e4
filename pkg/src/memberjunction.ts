/**
 * MemberJunction's `PayloadManager` over Patchwire: see docs/memberjunction.md.
 *
 * @module
 */
export {
  parsePathWithOperations, PayloadManager, type ApplyOptions, type BlockedOperation, type PathWithOperations, type PayloadAnalysisResult,
  type PayloadManagerResult, type PayloadWarning,
} from "./compat/memberjunction.js";
export type { ChangeRequest as AgentPayloadChangeRequest } from "./values/change-request.js";
