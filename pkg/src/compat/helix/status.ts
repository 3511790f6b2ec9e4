import { refusal } from "../../bridge/checks.js";
import { schemaOf } from "./schema.js";

/** A session's status as it is stored. */
export type SessionStatus = "active" | "completed" | "failed" | "interrupted" | "paused";

/** What an agent does while it runs. */
export const AgentStatusValues = {
  RUNNING: "running", COMPLETED: "completed", FAILED: "failed", PAUSED: "paused", WAITING_TOOL: "waiting_tool", INTERRUPTED: "interrupted",
} as const;
export type AgentStatusValue = (typeof AgentStatusValues)[keyof typeof AgentStatusValues];

/** What a sub-agent does. */
export const SubSessionStatusValues = { RUNNING: "running", COMPLETED: "completed", FAILED: "failed" } as const;
export type SubSessionStatusValue = (typeof SubSessionStatusValues)[keyof typeof SubSessionStatusValues];

/** A stream's status. */
export type ResumableStreamStatus = "active" | "paused" | "ended" | "failed";

/** What is kept when an agent is interrupted. */
export interface InterruptContext {
  reason?: string;
  pendingToolCallId?: string;
  pendingToolName?: string;
  stepCount: number;
  /** In milliseconds since 1970. */
  timestamp: number;
}

export const InterruptContextSchema = /* @__PURE__ */ schemaOf<InterruptContext>({
  "reason?": "string", "pendingToolCallId?": "string", "pendingToolName?": "string", stepCount: "number", timestamp: "number",
});

const AS_AGENT: Record<SessionStatus, AgentStatusValue> = {
  active: "running", completed: "completed", failed: "failed", interrupted: "interrupted", paused: "paused",
};
const AS_SESSION: Record<AgentStatusValue, SessionStatus> = {
  running: "active", waiting_tool: "active", completed: "completed", failed: "failed", interrupted: "interrupted", paused: "paused",
};

/**
 * What a stored session's agent does.
 *
 * @throws PatchwireError `VALIDATION_FAILED` where there is no such status.
 * @example
 * ```ts
 * import { sessionStatusToAgentStatus } from "patchwire/helix";
 * console.log(sessionStatusToAgentStatus("active")); // running
 * ```
 */
export function sessionStatusToAgentStatus(status: SessionStatus): AgentStatusValue {
  return known(AS_AGENT, status);
}

/**
 * How a running agent's session is stored.
 *
 * @throws PatchwireError `VALIDATION_FAILED` where there is no such status.
 * @example
 * ```ts
 * import { agentStatusToSessionStatus } from "patchwire/helix";
 * console.log(agentStatusToSessionStatus("waiting_tool")); // active
 * ```
 */
export function agentStatusToSessionStatus(status: AgentStatusValue): SessionStatus {
  return known(AS_SESSION, status);
}

function known<T>(table: Record<string, T>, status: string): T {
  if (typeof status !== "string" || !Object.hasOwn(table, status)) throw refusal(`a status is one of ${Object.keys(table).join(", ")}`);
  return table[status]!;
}
