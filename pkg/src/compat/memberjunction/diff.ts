import { isContainer, ownOf } from "../../json/containers.js";

/** What became of one value. */
export interface DiffChange {
  /** `items.[0].price`; `root` for the whole payload. */
  path: string;
  type: "added" | "removed" | "modified";
  /** Absent where something was added. */
  oldValue?: any;
  /** Absent where something was removed. */
  newValue?: any;
  /** For people. */
  description: string;
}

/** Two payloads compared for people to read. To apply or store a change, use the patch. */
export interface DeepDiffResult {
  /** By path. */
  changes: DiffChange[];
  summary: { added: number; removed: number; modified: number; unchanged: number; totalPaths: number };
  /** All of it as text. */
  formatted: string;
}

/** Longer texts are cut in descriptions. */
const LONGEST = 100;

/**
 * A report on two payloads in the form of MemberJunction's `DeepDiffer`: lists are compared position by position. Unlike
 * the original, it goes to any depth.
 */
export function report(before: unknown, after: unknown): DeepDiffResult {
  const changes: DiffChange[] = [];
  compare(changes, [], before, after);
  changes.sort((a, b) => a.path.localeCompare(b.path));
  const count = (type: DiffChange["type"]) => changes.filter((change) => change.type === type).length;
  const summary = { added: count("added"), removed: count("removed"), modified: count("modified"), unchanged: 0, totalPaths: changes.length };
  return { changes, summary, formatted: format(changes, summary) };
}

function compare(changes: DiffChange[], path: readonly string[], before: unknown, after: unknown): void {
  if (before === after) return;
  const place = path.join(".") || "root";
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) {
      const description = `Array length changed from ${before.length} to ${after.length}`;
      changes.push({ path: place, type: "modified", oldValue: describe(before), newValue: describe(after), description });
    }
    for (let i = 0; i < before.length || i < after.length; i++) compare(changes, [...path, `[${i}]`], before[i], after[i]);
  } else if (before === undefined) {
    changes.push({ path: place, type: "added", newValue: after, description: `Added ${describe(after)}` });
  } else if (after === undefined) {
    changes.push({ path: place, type: "removed", oldValue: before, description: `Removed ${describe(before)}` });
  } else if (isContainer(before) && isContainer(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) compare(changes, [...path, name], ownOf(before, name), ownOf(after, name));
  } else {
    changes.push({ path: place, type: "modified", oldValue: before, newValue: after, description: `Changed from ${describe(before)} to ${describe(after)}` });
  }
}

function describe(value: unknown): string {
  if (typeof value === "string") return value.length > LONGEST ? `"${value.slice(0, LONGEST)}..."` : `"${value}"`;
  if (Array.isArray(value)) return `Array[${value.length}]`;
  if (!isContainer(value)) return String(value);
  const { length } = Object.keys(value);
  return `Object{${length} ${length === 1 ? "key" : "keys"}}`;
}

function format(changes: readonly DiffChange[], { added, removed, modified }: DeepDiffResult["summary"]): string {
  const kinds = [["Added", added], ["Removed", removed], ["Modified", modified]] as const;
  const counted = kinds.filter(([, count]) => count > 0);
  const lines = ["=== Deep Diff Summary ===", `Total changes: ${changes.length}`, ...counted.map(([kind, count]) => `  ${kind}: ${count}`), ""];
  if (changes.length > 0) lines.push("=== Changes ===");
  for (const [kind] of counted) {
    lines.push(`\n${kind}:`);
    for (const { path, description } of changes.filter(({ type }) => type === kind.toLowerCase())) lines.push(`  ${path}: ${description}`);
  }
  return lines.join("\n");
}
