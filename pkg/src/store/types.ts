import type { AgentStatusValue, InterruptContext, SessionStatus, SubSessionStatusValue } from "../compat/helix/status.js";
import type { Migration } from "../sync/migration.js";
import type { Retention } from "../tables/past.js";
import type { SyncedEvent, SyncedStateOptions } from "../sync/options.js";
import type { Limits, StepWrites, StepWritesInput } from "../types.js";
import type { MergeConflict, MergeStrategies } from "../values/merge.js";

/**
 * How a {@link DurableStateStore} is kept, and what it accepts. A storage has each store's custom states once: they keep the options of the
 * store that opened them first, until the object wakes again.
 */
export interface DurableStateStoreOptions extends Migration<unknown> {
  /** Tells several stores of one object from each other: up to 32 letters, digits, `-` and `_`. */
  name?: string | undefined;
  /** How the writes of a step's calls become one, by places of the custom state: see {@link mergeWrites}. */
  strategies?: MergeStrategies | undefined;
  /** How much of the past of custom states is kept beside what checkpoints need: see {@link SyncedStateOptions}. */
  retention?: Retention | undefined;
  /** Bounds on what is accepted of custom states. */
  limits?: Limits | undefined;
  /** What a request to {@link DurableStateStore.fetch} may see of a custom state, as {@link SyncedState}'s option says. */
  view?: SyncedStateOptions<unknown>["view"];
  /** Told what happens to custom states, as {@link SyncedState}'s option is. */
  onEvent?: ((event: SyncedEvent) => void) | undefined;
}

/** What every message may have. */
interface MessageExtras {
  metadata?: Record<string, unknown>;
  providerOptions?: Record<string, Record<string, unknown>>;
}

/** A call of a tool that a model asked for. */
export interface ToolCallRequest {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** A model's reasoning. */
export interface ThinkingContent {
  content: string;
  signature?: string;
  [more: string]: unknown;
}

export interface SystemMessage extends MessageExtras { role: "system"; content: string }
export interface UserMessage extends MessageExtras { role: "user"; content: string }
export interface AssistantMessage extends MessageExtras {
  role: "assistant";
  content?: string;
  toolCalls?: ToolCallRequest[];
  thinking?: ThinkingContent;
}
export interface ToolResultMessage extends MessageExtras { role: "tool"; toolCallId: string; toolName: string; content: string }

/** A message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** What an agent does, in the words of whoever runs it. */
export type AgentStatus = AgentStatusValue;

/** A child session, as its parent knows it. */
export interface SubSessionRef {
  subSessionId: string;
  agentType: string;
  parentToolCallId: string;
  status: SubSessionStatusValue;
  /** In milliseconds since 1970. */
  startedAt: number;
  completedAt?: number;
}

/** A child that a session waits for. */
export interface SuspendedChildWait {
  childSessionId: string;
  parentToolCallId: string;
  spawnedAt: number;
}

/** What the agent's framework decides of a session; whatever other members that are JSON it saves are kept, too. */
export interface SessionFields<TState = unknown, TOutput = unknown> {
  agentType: string;
  streamId: string;
  status: SessionStatus;
  stepCount: number;
  customState: TState;
  /** The run that the session is in. */
  runId?: string;
  output?: TOutput;
  error?: string;
  parentSessionId?: string;
  aborted: boolean;
  abortReason?: string;
  interruptContext?: InterruptContext;
  pendingClientToolCalls?: Record<string, unknown>;
  suspendedAwaitingChildren?: Record<string, SuspendedChildWait>;
  suspendedStepId?: string;
  suspensionContext?: unknown;
  tracingContext?: unknown;
  /** In milliseconds since 1970. */
  expiresAt?: number;
}

/** A session as it is stored. Its messages are read in pages. */
export interface SessionState<TState = unknown, TOutput = unknown> extends SessionFields<TState, TOutput> {
  sessionId: string;
  /** Raised by one by everything that changes the session. */
  version: number;
  resumeCount: number;
  subSessionRefs: SubSessionRef[];
}

/**
 * A session as it is saved: what it doesn't have becomes what a new session has, but `status`, `stepCount` and
 * `customState`, which stay. `version`, `resumeCount` and the status of children are changed by their own operations
 * alone, so what an older copy says of them does no harm. Of `messages` all are replaced. The state of a checkpoint may be saved as it is.
 */
export type UntypedSessionState = Partial<Omit<SessionState, "status">> & { status?: AgentStatus | SessionStatus; messages?: readonly Message[] };

/** The whole state of an agent, as checkpoints have it. */
export interface AgentState<TState = unknown, TOutput = unknown> {
  sessionId: string;
  runId: string;
  agentType: string;
  streamId: string;
  status: AgentStatus;
  stepCount: number;
  customState: TState;
  messages: Message[];
  output?: TOutput;
  error?: string;
  parentSessionId?: string;
  subSessionRefs: SubSessionRef[];
  aborted: boolean;
  abortReason?: string;
}

/** How a session begins: an `active` one of no steps, with the custom state `{}`, its own id as that of its stream. */
export type CreateSessionOptions<TState = unknown> = Partial<SessionFields<TState>>;

/** What a writer may ask for, so that nothing is written over what it doesn't know of. */
export interface WriteOptions {
  /** Refused with {@link StaleStateError} where the session has another version. */
  expectedVersion?: number | undefined;
  /** The token of the writer's lock. See {@link DurableStateStore.compareAndSetStatus}, which takes a session over. */
  fencingToken?: number | undefined;
}

export interface GetMessagesOptions {
  /** 0 if nothing is said. */
  offset?: number | undefined;
  /** At most so many: 50 if nothing is said, at most 1,000. */
  limit?: number | undefined;
  /** Whether messages come with the model's reasoning: `true`. */
  includeThinking?: boolean | undefined;
}

export interface PaginatedMessages {
  messages: Message[];
  total: number;
  offset: number;
  limit: number;
  hasMore: boolean;
}

/** A moment of a session that it can go back to. */
export interface Checkpoint<TState = unknown, TOutput = unknown> {
  id: string;
  sessionId: string;
  stepCount: number;
  /** In milliseconds since 1970; of two checkpoints of one session never the same. */
  timestamp: number;
  state: AgentState<TState, TOutput>;
  messageCount: number;
  streamSequence: number;
}

export interface CheckpointMeta {
  id: string;
  sessionId: string;
  stepCount: number;
  timestamp: number;
  status: AgentStatus;
}

/** What a checkpoint is to say; what isn't given is as the session has it. */
export interface CreateCheckpointParams {
  stepCount?: number | undefined;
  streamSequence?: number | undefined;
  /** How many of the messages there are belong to it. */
  messageCount?: number | undefined;
}

export interface ListCheckpointsOptions {
  offset?: number | undefined;
  /** 50 if nothing is said, at most 1,000. */
  limit?: number | undefined;
}

export interface PaginatedCheckpoints {
  items: CheckpointMeta[];
  total: number;
  hasMore: boolean;
}

/** What one call of a tool wants to have written when its step is promoted. */
export interface StagedChanges {
  writes: StepWrites | StepWritesInput;
  /** Staged again under the same id, a call's changes take the place of what it staged before. */
  toolCallId?: string;
  /** The call's place among those of its step. Those without one come after, in the order in which they were first staged. */
  index?: number;
  /** What the tool answered, if it is JSON: kept with the changes for whoever resumes the step. */
  result?: unknown;
}

/** What became of changes that were promoted. */
export interface Promotion {
  /** Writes that aren't in the merged state. `keptBy` and `lostBy` count the calls; -1 is what was committed since they began. */
  conflicts: MergeConflict[];
  warnings: string[];
  /** Calls that wrote to a place that is `exclusive` to an earlier one, which `path` names: nothing of what they did is there. */
  refused: { toolCallId?: string; path: string }[];
}

export type RunStatus =
  | "running" | "completed" | "failed" | "interrupted" | "suspended_client_tool" | "suspended_awaiting_children" | "suspended_step_partial";

export interface RunMetadata {
  /** 1 for the first run of a session, and one more for each that goes on with it. */
  turn: number;
  /** The last sequence of the stream before the run. */
  startSequence?: number;
}

export interface RunStatusUpdate {
  stepCount?: number;
  completedAt?: number;
  error?: string;
}

export interface RunRecord {
  runId: string;
  sessionId: string;
  turn: number;
  status: RunStatus;
  stepCount: number;
  /** In milliseconds since 1970. */
  startedAt: number;
  completedAt?: number;
  error?: string;
  startSequence?: number;
}

/** What {@link SessionStateStore.compareAndSetStatus} answers. */
export type StatusChange = { ok: true; newVersion: number } | { ok: false; currentStatus: SessionStatus; currentVersion: number };

/** The store that Helix's runtimes work with; {@link DurableStateStore} is one, and says what each operation does. */
export interface SessionStateStore {
  createSession<TState>(sessionId: string, options?: CreateSessionOptions<TState>): Promise<void>;
  sessionExists(sessionId: string): Promise<boolean>;
  deleteSession(sessionId: string): Promise<void>;
  loadState<TState, TOutput>(sessionId: string): Promise<SessionState<TState, TOutput> | null>;
  saveState(sessionId: string, state: UntypedSessionState): Promise<void>;
  appendMessages(sessionId: string, messages: Message[]): Promise<void>;
  mergeCustomState(sessionId: string, writes: StepWrites): Promise<{ warnings: string[] }>;
  updateStatus(sessionId: string, status: AgentStatus, context?: { interruptContext?: InterruptContext }): Promise<void>;
  incrementStepCount(sessionId: string): Promise<number>;
  addSubSessionRefs(
    sessionId: string,
    refs: { subSessionId: string; agentType: string; parentToolCallId: string; startedAt: number }[],
  ): Promise<void>;
  updateSubSessionRef(sessionId: string, update: { subSessionId: string; status: SubSessionStatusValue; completedAt?: number }): Promise<void>;
  getSubSessionRefs(sessionId: string): Promise<SubSessionRef[]>;
  getMessages(sessionId: string, options?: GetMessagesOptions): Promise<PaginatedMessages>;
  getMessageCount(sessionId: string): Promise<number>;
  truncateMessages(sessionId: string, messageCount: number): Promise<void>;
  getCheckpoint(checkpointId: string): Promise<Checkpoint | null>;
  getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null>;
  listCheckpoints(sessionId: string, options?: ListCheckpointsOptions): Promise<PaginatedCheckpoints>;
  createCheckpoint(sessionId: string, params: CreateCheckpointParams): Promise<string>;
  stageChanges(sessionId: string, stepId: string, changes: StagedChanges): Promise<void>;
  getStaged(sessionId: string, stepId: string): Promise<StagedChanges[] | null>;
  promoteStaging(sessionId: string, stepId: string): Promise<void>;
  discardStaging(sessionId: string, stepId: string): Promise<void>;
  saveStateAndPromoteStaging(
    sessionId: string,
    state: UntypedSessionState,
    appendMessages: Message[],
    checkpointMeta: { stepId: string; stepCount: number; streamSequence: number },
    options?: { expectedVersion?: number },
  ): Promise<{ checkpointId: string; newVersion: number }>;
  compareAndSetStatus(
    sessionId: string,
    expectedStatuses: SessionStatus[],
    newStatus: SessionStatus,
    options?: { interruptContext?: InterruptContext; error?: string; expectedVersion?: number },
  ): Promise<StatusChange>;
  incrementResumeCount(sessionId: string): Promise<number>;
  createRun(sessionId: string, runId: string, metadata: RunMetadata): Promise<void>;
  updateRunStatus(runId: string, status: RunStatus, updates?: RunStatusUpdate): Promise<void>;
  getCurrentRun(sessionId: string): Promise<RunRecord | null>;
  listRuns(sessionId: string): Promise<RunRecord[]>;
}
