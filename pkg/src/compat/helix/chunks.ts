import type { JSONPatchOperation } from "../../types.js";
import { anyOf, schema, type Members } from "./schema.js";

/** What all chunks have. */
export interface BaseChunk {
  type: string;
  agentId: string;
  agentType?: string;
  /** In milliseconds since 1970. */
  timestamp?: number;
  /** The step that it belongs to, for cleaning up. */
  step?: number;
}

/** A piece of the model's text. */
export interface TextDeltaChunk extends BaseChunk { type: "text_delta"; delta: string }
/** A piece of the model's reasoning, or all of it. */
export interface ThinkingChunk extends BaseChunk { type: "thinking"; content: string; isComplete: boolean }
/** A tool was called. */
export interface ToolStartChunk extends BaseChunk { type: "tool_start"; toolCallId: string; toolName: string; arguments: unknown }
/** A tool has answered. */
export interface ToolEndChunk extends BaseChunk { type: "tool_end"; toolCallId: string; result?: unknown; success?: boolean; error?: string }
/** What changed in the state. */
export interface StatePatchChunk extends BaseChunk { type: "state_patch"; patches: JSONPatchOperation[] }
/** What a tool wanted to tell. */
export interface CustomEventChunk extends BaseChunk { type: "custom"; eventName: string; data?: unknown }
/** The stream goes on from a checkpoint. */
export interface StreamResyncChunk extends BaseChunk {
  type: "stream_resync";
  checkpointId: string;
  stepCount: number;
  messageCount: number;
  fromSequence: number;
  reason: "crash_recovery" | "rollback" | "branch";
}
/** A chunk of which the pages that describe Helix tell no more than the name. */
export interface OtherChunk extends BaseChunk {
  type:
    | "subagent_start" | "subagent_end" | "error" | "output" | "run_interrupted" | "run_resumed" | "run_paused" | "checkpoint_created"
    | "executor_superseded" | "step_committed" | "step_discarded";
  [member: string]: unknown;
}

/** What an agent's stream consists of. */
export type StreamChunk =
  | TextDeltaChunk | ThinkingChunk | ToolStartChunk | ToolEndChunk | StatePatchChunk | CustomEventChunk | StreamResyncChunk | OtherChunk;

const base: Members = { agentId: "string", "agentType?": "string", "timestamp?": "number", "step?": "number" };
const others: OtherChunk["type"][] = [
  "subagent_start", "subagent_end", "error", "output", "run_interrupted", "run_resumed", "run_paused", "checkpoint_created",
  "executor_superseded", "step_committed", "step_discarded",
];

/** What each type of chunk has. */
const chunkMembers: { readonly [type: string]: Members } = {
  text_delta: { ...base, delta: "string" },
  thinking: { ...base, content: "string", isComplete: "boolean" },
  tool_start: { ...base, toolCallId: "string", toolName: "string", arguments: "present" },
  tool_end: { ...base, toolCallId: "string", "success?": "boolean", "error?": "string" },
  state_patch: { ...base, patches: "array" },
  custom: { ...base, eventName: "string" },
  stream_resync: {
    ...base, checkpointId: "string", stepCount: "number", messageCount: "number", fromSequence: "number", reason: ["crash_recovery", "rollback", "branch"],
  },
  ...Object.fromEntries(others.map((type) => [type, base])),
};

export const chunkIssues = /* @__PURE__ */ anyOf(chunkMembers);

/** A schema of all chunks. Members of a chunk that it doesn't know are let through. */
export const StreamChunkSchema = /* @__PURE__ */ schema<StreamChunk>(chunkIssues);

function is<C extends BaseChunk>(type: C["type"]): (chunk: { type: string }) => chunk is C {
  return (chunk): chunk is C => chunk.type === type;
}

type Other<T extends OtherChunk["type"]> = OtherChunk & { type: T };

export const isTextDeltaChunk = /* @__PURE__ */ is<TextDeltaChunk>("text_delta");
export const isThinkingChunk = /* @__PURE__ */ is<ThinkingChunk>("thinking");
export const isToolStartChunk = /* @__PURE__ */ is<ToolStartChunk>("tool_start");
export const isToolEndChunk = /* @__PURE__ */ is<ToolEndChunk>("tool_end");
export const isSubAgentStartChunk = /* @__PURE__ */ is<Other<"subagent_start">>("subagent_start");
export const isSubAgentEndChunk = /* @__PURE__ */ is<Other<"subagent_end">>("subagent_end");
export const isCustomEventChunk = /* @__PURE__ */ is<CustomEventChunk>("custom");
export const isStatePatchChunk = /* @__PURE__ */ is<StatePatchChunk>("state_patch");
export const isErrorChunk = /* @__PURE__ */ is<Other<"error">>("error");
export const isOutputChunk = /* @__PURE__ */ is<Other<"output">>("output");
export const isRunInterruptedChunk = /* @__PURE__ */ is<Other<"run_interrupted">>("run_interrupted");
export const isRunResumedChunk = /* @__PURE__ */ is<Other<"run_resumed">>("run_resumed");
export const isRunPausedChunk = /* @__PURE__ */ is<Other<"run_paused">>("run_paused");
export const isCheckpointCreatedChunk = /* @__PURE__ */ is<Other<"checkpoint_created">>("checkpoint_created");
export const isExecutorSupersededChunk = /* @__PURE__ */ is<Other<"executor_superseded">>("executor_superseded");
export const isStepCommittedChunk = /* @__PURE__ */ is<Other<"step_committed">>("step_committed");
export const isStepDiscardedChunk = /* @__PURE__ */ is<Other<"step_discarded">>("step_discarded");
export const isStreamResyncChunk = /* @__PURE__ */ is<StreamResyncChunk>("stream_resync");
