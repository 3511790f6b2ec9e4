import { runTool, type ParallelOptions, type ParallelTool } from "../tracker/parallel.js";
import type { Immutable, Limits } from "../types.js";
import { checkId, checkList, checkObject, refusal } from "../bridge/checks.js";
import { checkJson } from "../json/json.js";
import type { Staged } from "./staging.js";
import type { StagedChanges } from "./types.js";

/** A call of a tool: what runs, and the id by which it is known when the step is resumed. */
export interface ToolCall<T, R = unknown> {
  toolCallId: string;
  run: ParallelTool<T, R>;
}

/** The calls, if they are some that can be told apart. */
export function checkCalls<T>(given: readonly ToolCall<T>[]): readonly ToolCall<T>[] {
  const calls = checkList("the calls", given);
  for (const call of calls) {
    const { toolCallId, run } = checkObject("a call", call, "is an object that has its id and what runs: { toolCallId, run }");
    checkId("the toolCallId of a call", toolCallId);
    if (typeof run !== "function") throw refusal("the run of a call is a function");
  }
  if (new Set(calls.map(({ toolCallId }) => toolCallId)).size < calls.length) throw refusal("two calls have one id");
  return calls;
}

/**
 * Runs those of the calls that have staged nothing yet, all at once, and stages what each has done as soon as it has ended.
 * What a call answers is staged with it, for whoever resumes the step, so it has to be JSON.
 */
export async function runCalls<T>(
  calls: readonly ToolCall<T>[],
  base: Immutable<T>,
  staged: readonly Staged[],
  { limits, ...options }: ParallelOptions & { limits: Limits | undefined },
  stage: (changes: StagedChanges) => void,
): Promise<PromiseSettledResult<unknown>[]> {
  const known = new Map(staged.map(({ changes }) => [changes.toolCallId, changes]));
  const one = async ({ toolCallId, run }: ToolCall<T>, index: number): Promise<unknown> => {
    const before = known.get(toolCallId);
    if (before !== undefined) return before.result;
    const { result, writes } = await runTool(base, run, options, limits);
    if (result !== undefined) checkJson(result, ["result"]);
    stage({ writes, toolCallId, index, ...(result !== undefined && { result }) });
    return result;
  };
  return Promise.allSettled(calls.map(one));
}
