import { segmentsOf, toldAt } from "../../json/pointer.js";
import type { ChangeWarning } from "../../values/change-request.js";
import { dotted } from "./paths.js";

/** What looks like a loss, in the words of `PayloadChangeAnalyzer`. */
export interface PayloadWarning {
  type: "content_truncation" | "key_removal" | "type_change" | "pattern_anomaly";
  severity: ChangeWarning["severity"];
  path: string;
  message: string;
  requiresFeedback: boolean;
  /** What was there and what is there now, in numbers, names and beginnings of texts. Unlike messages, these have values of the payload. */
  details: Record<string, any>;
}

/** What looks like losses, in numbers and in full. */
export interface PayloadAnalysisResult {
  warnings: PayloadWarning[];
  criticalWarnings: PayloadWarning[];
  requiresFeedback: boolean;
  summary: { totalWarnings: number; warningsByType: Record<string, number>; suspiciousChanges: number };
}

/** Which of the original's types a warning is, and what its details say. */
const KINDS: Partial<Record<ChangeWarning["code"], [PayloadWarning["type"], (before: any, after: any) => Record<string, unknown>]>> = {
  CONTENT_REDUCED: ["content_truncation", (before: string, after: string) => ({
    originalLength: before.length,
    newLength: after.length,
    reductionPercentage: percent(before.length, after.length),
    contentPreview: { before: preview(before), after: preview(after) },
  })],
  KEYS_REMOVED: ["key_removal", (before: Members, after: Members) => {
    const removedKeys = missing(before, after).filter((key) => before[key] !== null && before[key] !== "");
    const sizes = removedKeys.map((key) => (typeof before[key] === "string" ? before[key] : JSON.stringify(before[key])).length);
    return { removedKeys, hadContent: true, contentSize: sizes.reduce((sum, size) => sum + size, 0) };
  }],
  TYPE_CHANGED: ["type_change", (before, after) => ({ originalType: kind(before), newType: kind(after), dataLoss: true })],
  TRUNCATION_MARK: ["pattern_anomaly", (_before, after: string) => ({ pattern: "truncation_indicator", resultEnding: after.slice(-50) })],
  ARRAY_REDUCED: ["pattern_anomaly", (before: unknown[], after: unknown[]) => ({
    pattern: "array_reduction",
    originalLength: before.length,
    resultLength: after.length,
    reductionPercentage: percent(before.length, after.length),
  })],
  STRUCTURE_MISSING: ["pattern_anomaly", (before: Members, after: Members) => ({
    pattern: "partial_state_return",
    originalKeyCount: Object.keys(before).length,
    resultKeyCount: Object.keys(after).length,
    missingKeys: missing(before, after).slice(0, 10),
  })],
  PLACEHOLDER: ["pattern_anomaly", (before: string, after: string) => ({
    pattern: "placeholder_replacement",
    placeholder: after,
    originalLength: before.length,
  })],
};

type Members = Record<string, any>;

/** The losses among what a change warned of, as the original tells them. */
export function analysis(warnings: readonly ChangeWarning[], payload: unknown, result: unknown): PayloadAnalysisResult {
  const losses = warnings.flatMap(({ code, severity, path, after = path, message }): PayloadWarning[] => {
    const [type, details] = KINDS[code] ?? [];
    if (type === undefined || details === undefined) return [];
    const told = details(toldAt(payload, segmentsOf(path)), toldAt(result, segmentsOf(after)));
    return [{ type, severity, path: dotted(path, payload), message, requiresFeedback: true, details: told }];
  });
  const criticalWarnings = losses.filter(({ severity }) => severity === "critical" || severity === "high");
  const warningsByType: Record<string, number> = {};
  for (const { type } of losses) warningsByType[type] = (warningsByType[type] ?? 0) + 1;
  return {
    warnings: losses,
    criticalWarnings,
    requiresFeedback: losses.length > 0,
    summary: { totalWarnings: losses.length, warningsByType, suspiciousChanges: criticalWarnings.length },
  };
}

function percent(before: number, after: number): number {
  return ((before - after) / before) * 100;
}

function preview(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

function missing(before: Members, after: Members): string[] {
  return Object.keys(before).filter((key) => !Object.hasOwn(after, key));
}

function kind(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}
