/**
 * The parts of Helix's core that are about state and streams, over Patchwire: see docs/helix.md.
 *
 * @module
 */
export { applyStepWrites, stepWritesToRFC6902 } from "./values/apply.js";
export type { Draft, Immutable, JSONPatchOperation, StepWrites, StepWritesInput, WriteOp } from "./types.js";
export { CHECKPOINT_ID_PREFIX, CHECKPOINT_ID_VERSION, generateCheckpointId, parseCheckpointId, type ParsedCheckpointId } from "./compat/helix/checkpoints.js";
export {
  isCheckpointCreatedChunk, isCustomEventChunk, isErrorChunk, isExecutorSupersededChunk, isOutputChunk, isRunInterruptedChunk, isRunPausedChunk,
  isRunResumedChunk, isStatePatchChunk, isStepCommittedChunk, isStepDiscardedChunk, isStreamResyncChunk, isSubAgentEndChunk, isSubAgentStartChunk,
  isTextDeltaChunk, isThinkingChunk, isToolEndChunk, isToolStartChunk, StreamChunkSchema, type BaseChunk, type CustomEventChunk, type OtherChunk,
  type StatePatchChunk, type StreamChunk, type StreamResyncChunk, type TextDeltaChunk, type ThinkingChunk, type ToolEndChunk, type ToolStartChunk,
} from "./compat/helix/chunks.js";
export {
  classifyError, ensureError, extractErrorMessage, HelixError, type ErrorCategory, type ErrorCode, type HelixErrorOptions,
} from "./compat/helix/errors.js";
export {
  isStreamChunkEvent, isStreamEnd, isStreamEndEvent, isStreamFailEvent, isStreamTruncatedEvent, parseNamedSSEEvent, parseStreamEvent,
  serializeStreamEvent, StreamChunkEventSchema, StreamEndEventSchema, StreamEventSchema, StreamFailEventSchema, StreamStatusEventSchema,
  StreamTruncatedEventSchema, type StreamChunkEvent, type StreamEndEvent, type StreamEvent, type StreamFailEvent, type StreamStatusEvent,
  type StreamTruncatedEvent,
} from "./compat/helix/events.js";
export {
  collectAll, collectText, combineStreams, excludeTypes, filterByAgentId, filterByAgentType, filterByType, filterWith, skip, take,
} from "./compat/helix/filters.js";
export {
  LockLostError, LockNotAcquiredError, NoOpLockManager, type AcquireOptions, type DistributedLock, type LockAcquisitionResult, type LockManager,
} from "./compat/helix/locks.js";
export { createStateProjection, StreamProjector, type StateProjection } from "./compat/helix/projection.js";
export type { Checked, Schema } from "./compat/helix/schema.js";
export {
  AgentStatusValues, agentStatusToSessionStatus, InterruptContextSchema, sessionStatusToAgentStatus, SubSessionStatusValues, type AgentStatusValue,
  type InterruptContext, type ResumableStreamStatus, type SessionStatus, type SubSessionStatusValue,
} from "./compat/helix/status.js";
export {
  AgentAlreadyRunningError, AgentNotResumableError, ExecutorSupersededError, FencingTokenMismatchError, StaleStateError, StreamTruncatedError,
} from "./store/errors.js";
export type {
  AgentState, AgentStatus, AssistantMessage, Checkpoint, CheckpointMeta, CreateCheckpointParams, CreateSessionOptions, GetMessagesOptions,
  ListCheckpointsOptions, Message, PaginatedCheckpoints, PaginatedMessages, RunMetadata, RunRecord, RunStatus, RunStatusUpdate, SessionState,
  SessionStateStore, StagedChanges, SubSessionRef, SuspendedChildWait, SystemMessage, ThinkingContent, ToolCallRequest, ToolResultMessage,
  UntypedSessionState, UserMessage,
} from "./store/types.js";
export {
  createResumableStreamHandler, extractResumePosition, type ResumableStreamHandler, type ResumableStreamRequest,
} from "./streams/handler.js";
export { createStateStreamer, CustomStateStreamer, type StateStreamerOptions } from "./streams/state-streamer.js";
export type {
  ResumableReaderOptions, ResumableStreamReader, StreamInfo, StreamManager, StreamReader, StreamWriter,
} from "./streams/types.js";
export { createToolContext, type ChunkWriter, type ToolContext, type ToolContextOptions } from "./compat/helix/tool-context.js";
export { createImmerStateTracker, ImmerStateTracker, type ImmerStateTrackerOptions } from "./compat/helix/tracker.js";
