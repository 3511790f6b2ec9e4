import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as helix from "patchwire/helix";

// Functions of Helix's pages (tests/cases/helix-functions.json), and which of them belong to other parts of an agent.

interface Case { name: string; call: string; input: any; expected: any; doNotCopy?: string }

const { cases } = JSON.parse(readFileSync(new URL("../../cases/helix-functions.json", import.meta.url), "utf8")) as { cases: Case[] };

/** Not in patchwire/helix, and why; the test fails when one of them comes. */
const ELSEWHERE: Record<string, string> = {
  compareAndSetStatus: "a method of the store of sessions",
  saveStateAndPromoteStaging: "a method of the store of sessions",
  getMessages: "a method of the store of sessions",
  cleanupToStep: "a method of the stream manager",
  coerceToolCallArguments: "about a model's tools",
  "isErrorStopReason+isRecoverableErrorStopReason": "about a model's answers",
  stripMetadata: "about messages",
  filterByMetadata: "about messages",
  initializeAgentState: "about how agents are defined",
};

const CODES: helix.ErrorCode[] = [
  "state_concurrency_conflict", "state_session_not_found", "state_already_running", "state_not_resumable",
];

function answer({ call, input }: Case): unknown {
  switch (call) {
    case "generateCheckpointId": {
      const { sessionId, stepCount, timestamp, random } = helix.parseCheckpointId(helix.generateCheckpointId(input.sessionId, input.stepCount))!;
      expect(Math.abs(Date.now() - timestamp)).toBeLessThan(60_000);
      return helix.generateCheckpointId(sessionId, stepCount).replace(/t\d+-\w{6}$/, `t${input.timestamp}-${input.random}`) + (random.length === 6 ? "" : random);
    }
    case "parseCheckpointId": return helix.parseCheckpointId(input);
    case "sessionStatusToAgentStatus": return helix.sessionStatusToAgentStatus(input);
    case "agentStatusToSessionStatus": return helix.agentStatusToSessionStatus(input);
    case "extractErrorMessage": return helix.extractErrorMessage(input?.$error === undefined ? input : new Error(input.$error));
    case "ensureError": {
      const error = helix.ensureError(input);
      return { isError: error instanceof Error, message: error.message, cause: error.cause };
    }
    case "HelixError": {
      const { category, retryable, statusCode } = new helix.HelixError({ message: "m", ...input });
      return { category, retryable, statusCode };
    }
    case "codes": return CODES.filter((code) => new helix.HelixError({ message: "m", code }).category === input);
    case "createStateProjection": {
      const keep = (state: Record<string, unknown>) => Object.fromEntries(input.keep.map((key: string) => [key, state[key]]));
      return new helix.StreamProjector(helix.createStateProjection(keep), input.state).value;
    }
    default: throw new Error(`no answer to ${call}`);
  }
}

describe("functions of Helix's pages", () => {
  test.each(cases.filter(({ call }) => !(call in ELSEWHERE)))("$name", (one) => {
    // The pages are no program that could be run: none of their cases is known to be a fault.
    expect(one.doNotCopy).toBeUndefined();
    expect(answer(one)).toEqual(one.expected);
  });

  test("what belongs elsewhere isn't here", () => {
    for (const call of Object.keys(ELSEWHERE)) {
      expect(cases.some((one) => one.call === call), call).toBe(true);
      for (const name of call.split("+")) expect(helix).not.toHaveProperty(name);
    }
  });
});
