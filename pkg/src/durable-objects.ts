/**
 * State for Durable Objects: each change is committed to the object's SQLite and streamed to whoever listens.
 *
 * @module
 */
export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { HttpRequest, HttpResponse } from "./sync/http.js";
export type { Migration } from "./sync/migration.js";
export type { Repaired, Retention } from "./tables/past.js";
export type { HibernatableSocket } from "./sync/sinks.js";
export type { DurableContext, StateContext, SyncedEvent, SyncedStateOptions } from "./sync/options.js";
export { SyncedState } from "./sync/synced-state.js";
export type { DurableStorage } from "./tables/state-tables.js";
export type { ParallelContext, ParallelOptions, ParallelResult, ParallelTool } from "./tracker/parallel.js";
export { CHECKPOINT_ID_PREFIX, CHECKPOINT_ID_VERSION, generateCheckpointId, parseCheckpointId, type ParsedCheckpointId } from "./compat/helix/checkpoints.js";
export type { InterruptContext, SessionStatus, SubSessionStatusValue } from "./compat/helix/status.js";
export {
  AgentAlreadyRunningError, AgentNotResumableError, ExecutorSupersededError, FencingTokenMismatchError, StaleStateError, StreamTruncatedError,
} from "./store/errors.js";
export { memoryStorage } from "./tables/memory.js";
export { nodeStorage, type NodeDatabase, type NodeStatement } from "./tables/node-sqlite.js";
export type { StorePlace } from "./store/opened.js";
export type { StoreStorage, TableStorage } from "./tables/rows.js";
export { DurableStateStore } from "./store/store.js";
export { DurableStreamManager } from "./streams/manager.js";
export type {
  DurableStreamManagerOptions, ResumableReaderOptions, ResumableStreamReader, StreamInfo, StreamManager, StreamReader, StreamWriter,
} from "./streams/types.js";
export type { StreamChunk } from "./compat/helix/chunks.js";
export type { ToolCall } from "./store/tool-calls.js";
export type {
  AgentState, AgentStatus, AssistantMessage, Checkpoint, CheckpointMeta, CreateCheckpointParams, CreateSessionOptions, DurableStateStoreOptions,
  GetMessagesOptions, ListCheckpointsOptions, Message, PaginatedCheckpoints, PaginatedMessages, Promotion, RunMetadata, RunRecord, RunStatus, RunStatusUpdate, SessionFields,
  SessionState, SessionStateStore, StagedChanges, StatusChange, SubSessionRef, SuspendedChildWait, SystemMessage, ThinkingContent, ToolCallRequest,
  ToolResultMessage, UntypedSessionState, UserMessage, WriteOptions,
} from "./store/types.js";
