import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { applyPatch, compact, StateDocument, StateTracker } from "patchwire";
import { json, perform, step, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// Two trackers that send each other the patch of everything they do stay equal, however long that goes on, and whoever
// follows one of them seldom, or has the patches compacted, comes to the same. What a patch doesn't touch stays the very
// object that it was.

type Any = any;

interface Row {
  id: number;
  title: string;
  done: boolean;
  tags: string[];
  notes?: string;
}
interface State {
  rows: Row[];
  archive: Row[];
  byId: { [id: string]: Row };
  text: string;
  count: number;
  free: Any;
}
type Recipe = (draft: State, at: number, to: number, value: Json) => void;

const newRow = (id: number): Row => ({ id, title: `row ${id}`, done: false, tags: ["new"] });

/** A value as a library that freezes its states has it. */
function frozen(value: Any): Any {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  return Object.freeze({ ...Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozen(member)])), gone: undefined });
}

// What the suites of draft libraries do to lists and records.
const recipes: Recipe[] = [
  ({ rows }, at) => { rows.push(newRow(at)); },
  ({ rows }, at, to) => { rows.splice(at % (rows.length + 1), 0, newRow(at), newRow(to)); },
  ({ rows }, at) => { if (rows.length > 0) rows.splice(at % rows.length, 1); },
  ({ rows }, at) => { const row = rows[at % rows.length]; if (row) row.done = !row.done; },
  ({ rows }, at) => { const row = rows.find(({ id }) => id === at); if (row) row.title += " found"; },
  ({ rows }, at, to) => { rows[at % rows.length]?.tags.unshift(`tag ${to}`); },
  ({ rows }) => { for (const row of rows) if (row.tags.length > 2) row.tags.length = 1; },
  ({ rows }, at, to) => { if (rows.length > 0) rows.splice(to % rows.length, 0, ...rows.splice(at % rows.length, 1)); },
  ({ rows }, at, to) => { if (rows.length > 0) [rows[at % rows.length], rows[to % rows.length]] = [rows[to % rows.length]!, rows[at % rows.length]!]; },
  ({ rows }, at) => { rows.sort((a, b) => (at % 2 === 0 ? a.id - b.id : b.title.localeCompare(a.title))); },
  ({ rows }) => { rows.reverse(); },
  (draft, at) => { draft.rows = draft.rows.filter((row) => row.id % 4 !== at % 4); },
  (draft, at) => { draft.rows = draft.rows.map((row) => (row.id === at ? { ...row, notes: "mapped" } : row)); },
  (draft) => { const [first, ...others] = draft.rows; if (first) draft.rows = [...others, first]; },
  ({ rows, byId }, at) => { const [row] = rows.splice(at % (rows.length + 1), 1); if (row) byId[row.id] = row; },
  ({ rows, byId }) => { for (const [id, row] of Object.entries(byId)) { delete byId[id]; rows.unshift(row); break; } },
  (draft, at) => { draft.archive.push(...draft.rows.splice(at % (draft.rows.length + 1), 2)); if (draft.archive[0]) draft.archive[0].tags = []; },
  (draft) => { [draft.rows, draft.archive] = [draft.archive, draft.rows]; },
  ({ rows }, at) => { const row = rows[at % rows.length]; if (row) { rows.push(row); row.title = "in two places"; } },
  ({ rows }, at) => { rows[at % (rows.length + 1)] = frozen(newRow(at)); },
  ({ rows }, at) => { const row = rows[at % rows.length]; if (row) { row.notes = "for a while"; delete row.notes; } },
  ({ rows }, at) => { rows.length = Math.min(rows.length, 400 - at); },
  ({ byId }, at) => { Object.assign((byId[at] ??= newRow(at)), { done: true, tags: [...(byId[at]!.tags), "x"] }); },
  (draft) => { draft.archive = []; },
  (draft, at) => { draft.count += at; draft.text = `${draft.text.slice(-200)}, ${at}`; },
  (draft, _, __, value) => { draft.free = { put: frozen(value), old: Array.isArray(draft.free) ? draft.free : [draft.free?.put ?? null] }; },
];

const turn = fc.record({
  byFirst: fc.boolean(),
  what: fc.oneof({ weight: 12, arbitrary: fc.constant("recipe" as const) }, { weight: 3, arbitrary: fc.constantFrom("append" as const, "increment" as const, "undo" as const, "redo" as const, "take back" as const) }),
  recipes: fc.array(fc.tuple(fc.nat(recipes.length - 1), fc.nat(60), fc.nat(60)), { maxLength: 2 }),
  steps: fc.array(step, { maxLength: 2 }),
  value: json,
  looks: fc.boolean(),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function run(draft: State, { recipes: chosen, steps, value }: Turn): void {
  for (const one of steps) perform(draft.free as Json, one);
  // Steps double what they put in two places.
  if (JSON.stringify(draft.free).length > 3_000) draft.free = { again: [] };
  for (const [which, at, to] of chosen) recipes[which]!(draft, at, to, value);
}

const modes = [{}, { arrayDeltaMode: true }, { arrayDeltaMode: false }, { granularity: "key" }, { history: 5 }] as const;
const sizes = fc.constantFrom(0, 6, 300);

const start = (rows: number): State => ({ rows: Array.from({ length: rows }, (_, i) => newRow(i)), archive: [], byId: {}, text: "", count: 0, free: {} });
const plain = (value: unknown): Any => JSON.parse(JSON.stringify(value));

test("two trackers that exchange patches stay equal, and so does who follows them seldom", () => {
  fc.assert(
    fc.property(sizes, fc.constantFrom(...modes), fc.boolean(), fc.array(turn, { minLength: 60, maxLength: 120, size: "max" }), (rows, options, isDocument, turns) => {
      const initial = (): State | StateDocument => (isDocument ? StateDocument.parse(JSON.stringify(start(rows))) : start(rows));
      const [first, second, follower] = [new StateTracker<State>(initial() as State, options), new StateTracker<State>(initial() as State), new StateTracker<State>(initial() as State)];
      const cursor = first.cursor();
      let since: { base: State; sent: string[] } = { base: start(rows), sent: [] };
      turns.forEach((one, i) => {
        const dialect = i % 2 === 0 ? "rfc6902" : "extended";
        const [sender, receiver] = one.byFirst ? [first, second] : [second, first];
        // A state that nobody looks at may be worked out later, or never.
        const before = one.looks ? receiver.getState() : null;
        const back = sender.getInversePatches();
        sender.resetTracking();
        if (one.what === "recipe") sender.update((draft) => run(draft as State, one));
        else if (one.what === "append") sender.append("/text", `${i} é😀`);
        else if (one.what === "increment") sender.increment("/count", i);
        else if (one.what === "take back") sender.apply(JSON.stringify(back));
        else sender[one.what]();
        const patch = sender.getPatchText({ dialect });
        receiver.resetTracking();
        receiver.apply(patch);
        since.sent.push(patch);
        if (before !== null) {
          same(receiver.getState(), sender.getState());
          sharing(before, receiver.getState(), JSON.parse(patch) as { path: string }[]);
          if (one.what === "take back") same(receiver.getState(), plain(applyPatch(before, back)));
        }
        if (i % 7 !== 6 && i < turns.length - 1) return;
        const after = receiver.getState();
        follower.apply(cursor.patchText({ dialect }));
        cursor.advance();
        same(follower.getState(), after);
        same(applyPatch(since.base, compact(since.sent)), after);
        same(applyPatch(since.base, compact(since.sent, { base: since.base })), after);
        since = { base: after as State, sent: [] };
      });
      for (const tracker of [first, second, follower]) same(tracker.document().toJSON(), first.getState());
    }),
    asked(12),
  );
}, 90_000);

/** As `toEqual`, which takes long for large states. */
function same(a: unknown, b: unknown): void {
  if (!isDeepStrictEqual(a, b)) expect(a).toStrictEqual(b);
}

/** What no pointer of a patch leads to or around is the same object; of an array in which items were touched, as many are others as the patch has operations there. */
function sharing(before: Any, after: Any, patch: { path: string; from?: string }[]): void {
  const touched = patch.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const walk = (before: Any, after: Any, path: string): void => {
    if (before === after || touched.includes(path)) return;
    const inside = touched.filter((pointer) => pointer.startsWith(`${path}/`));
    if (inside.length === 0 && (typeof after === "object" || typeof before === "object")) throw new Error(`${path} isn't the object that it was`);
    if (Array.isArray(after)) {
      const were = new Set<unknown>(before);
      const others = after.filter((item) => typeof item === "object" && item !== null && !were.has(item)).length;
      if (others > inside.length) throw new Error(`${others} items of ${path} are others after ${inside.length} operations`);
    } else for (const name of Object.keys(after)) if (Object.hasOwn(before, name)) walk(before[name], after[name], `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  };
  walk(before, after, "");
}
