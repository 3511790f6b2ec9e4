import jsonPatch from "fast-json-patch";
import {
  applyChangeRequest, applyPatch, castDraft, diff, diffTexts, invert, mergeBranches, mergeWrites, StateTracker, stepWritesToRFC6902,
  type Draft, type Immutable, type JSONPatchOperation, type Limits, type RFC6902Operation,
} from "patchwire";

// Compiled, never run (tests/node/tsconfig.json): what recipes may be, and what they see. Issue 9, section 10.

type Id = string & { __brand: "id" };
type Count = number & { readonly __brand: unique symbol };
type Flag = boolean & { __flag: true };
interface Row { id: Id; count: Count; flag: Flag; tags: string[]; nested?: { list: readonly { n: number }[] } | null }
interface State { readonly rows: readonly Row[]; readonly byId: { readonly [id: string]: Row }; kind: "a" | "b"; pair: readonly [number, string]; anything: unknown }

declare const tracker: StateTracker<State>;
declare const id: Id;
declare const count: Count;
declare const flag: Flag;

// Primitives are left alone, branded ones too.
export const primitives: [Draft<Id>, Immutable<Id>, Draft<Count>, Immutable<Count>, Draft<Flag>, Immutable<Flag>] = [id, id, count, count, flag, flag];
export const back: Id = tracker.getState().rows[0]!.id;

tracker.update((draft) => {
  draft.rows.push({ id, count, flag, tags: [] });
  draft.rows[0]!.id = id;
  draft.rows[0]!.nested = { list: [{ n: 1 }] };
  draft.rows[0]!.nested.list.push({ n: 2 });
  draft.rows[0]!.nested = null;
  draft.byId[id] = draft.rows[0]!;
  draft.kind = "b";
  draft.pair[0] = 5;
  draft.anything = { any: ["thing"] };
  const same: Id = draft.rows[0]!.id;
  draft.rows = draft.rows.filter((row) => row.id !== same).map((row) => (row.id === id ? { ...row, tags: ["x"] } : row));
  draft.rows = castDraft(tracker.getState().rows);
  draft.rows = castDraft(tracker.getState().rows.filter((row) => row.flag));
  // @ts-expect-error an unbranded string isn't an id
  draft.rows[0]!.id = "x";
  // @ts-expect-error there is no such member
  draft.missing = 1;
  // @ts-expect-error the literal isn't one of the kind's
  draft.kind = "c";
  // @ts-expect-error a published value is read-only: castDraft
  draft.rows = tracker.getState().rows;
});

// What a recipe returns is ignored: these may return.
tracker.update((draft) => draft.rows.push({ id, count, flag, tags: [] }));
tracker.update((draft) => (draft.kind = "a"));
tracker.update((draft) => void draft.rows.pop());
tracker.update(() => {});

// @ts-expect-error a generator, of which nothing would run
tracker.update(function* (draft) {
  yield draft;
});
// @ts-expect-error an async recipe
tracker.update(async (draft) => { draft.kind = "a"; });
// @ts-expect-error a recipe that returns a promise
tracker.update(() => Promise.resolve(1));
// @ts-expect-error a recipe that may return a promise
tracker.update((draft) => (draft.kind === "a" ? Promise.resolve(1) : 1));
declare const anything: any;
tracker.update(() => anything);
tracker.update((draft) => draft.anything);
// @ts-expect-error a published state is read-only
tracker.getState().kind = "a";
// @ts-expect-error deep down as well
tracker.getState().rows[0]!.tags.push("x");

// Changing returns nothing.
export const nothing: void = tracker.update(() => {});
// @ts-expect-error so there is nothing to read
tracker.update(() => {}).rows;
// @ts-expect-error nor of a patch
tracker.apply([]).rows;

// JSON as people write its type down: each of these holds itself.
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
interface JsonObject { [key: string]: JsonValue }
interface JsonArray extends Array<JsonValue> {}
type JsonValue = string | number | boolean | null | JsonObject | JsonArray;
type FestObject = { [Key in string]: FestValue };
type FestArray = FestValue[] | readonly FestValue[];
type FestValue = string | number | boolean | null | FestObject | FestArray;
interface Tree { name: string; children: Tree[]; parent?: Tree | null; pair: [number, Tree?] }

declare const json: Json;
declare const value: JsonValue;
declare const object: JsonObject;
declare const fest: FestObject;
declare const tree: StateTracker<Tree>;
declare const holding: StateTracker<{ data: Json; n: number }>;

applyPatch(json, []);
applyPatch(value, []);
diff(value, value);
mergeWrites(object, []);
mergeBranches(object, [object]);
applyChangeRequest(object, "{}");
new StateTracker<Json>({}).update((draft) => {
  if (typeof draft === "object" && draft !== null && !Array.isArray(draft)) draft["a"] = [1, { b: null }];
});
new StateTracker(object).update((draft) => {
  draft["y"] = [1, { z: null }];
});
new StateTracker(fest).update((draft) => {
  draft["x"] = [1];
});
holding.update((draft) => {
  draft.data = { a: 1 };
  draft.data = [1, [draft.n]];
  draft.data = castDraft(holding.getState().data);
  // @ts-expect-error: a function isn't JSON
  draft.data = () => 1;
});
// @ts-expect-error: published states are read-only
holding.getState().n = 2;
tree.update((draft) => {
  draft.children.push({ name: "x", children: [], pair: [2] });
  draft.pair[1] = draft.children[0]!;
});
// @ts-expect-error: lists too
tree.getState().children.push(tree.getState());
export const anyTracker: StateTracker<unknown> = tree;
export const lists: [Draft<readonly (readonly number[])[]>, Immutable<[string, number[]]>] = [[[1]], ["", [1]]];

// Tuples keep the types of their places, also where any number of items follows or comes before.
interface Tuples { pair: [number, string]; first: readonly [number, string, ...boolean[]]; last: [...boolean[], string]; none: []; maybe: [number, string?] }
declare const tuples: StateTracker<Tuples>;
export const ofTuples: [number, string, boolean | undefined, string | undefined] = [tuples.getState().first[0], tuples.getState().first[1], tuples.getState().first[2], tuples.getState().maybe[1]];
const change = (state: Tuples): void => void (state.pair[0] += 1);
tuples.update(change);
tuples.update((draft) => {
  draft.first[0] = 2;
  draft.first[1] = "b";
  draft.first[3] = true;
  // @ts-expect-error the first is a number
  draft.first[0] = "a";
});

// A tracker begins with what another one published.
export const continued: StateTracker<State> = new StateTracker<State>(tracker.getState());
// @ts-expect-error of another shape
export const other = new StateTracker<State>({ rows: [] });
export const inferred: StateTracker<{ n: number; list: string[] }> = new StateTracker({ n: 1, list: ["a"] });

// Without the extended dialect a patch is one of RFC 6902, which other libraries take; with it, or where that isn't known, it isn't.
export const applied: unknown = jsonPatch.applyPatch({}, tracker.getRFC6902Patches());
export const standard: RFC6902Operation[][] = [
  diff({}, { n: 1 }), diff({}, { n: 1 }, { key: "id" }), invert({}, []), tracker.getInversePatches(), tracker.cursor().patches(), stepWritesToRFC6902({ ops: [] }), diffTexts("1", "2"),
];
declare const dialect: "rfc6902" | "extended";
export const either: JSONPatchOperation[][] = [diff({}, {}, { dialect }), tracker.getRFC6902Patches({ dialect: "extended" }), tracker.cursor().patches({ dialect })];
// @ts-expect-error the extended dialect has more
export const neither: RFC6902Operation[] = tracker.getRFC6902Patches({ dialect: "extended" });

// An option may be undefined.
declare const maybe: { limits: Limits | undefined; history: number | undefined };
export const optional: StateTracker<{ n: number }> = new StateTracker({ n: 1 }, maybe);

// A validator sees a frozen state; one that was written for a state of the type may be given all the same.
new StateTracker<{ list: number[] }>({ list: [] }, {
  // @ts-expect-error it can't change it
  validate: ({ list }) => list.push(1),
});
declare const isState: (state: { list: number[] }) => boolean;
new StateTracker<{ list: number[] }>({ list: [] }, { validate: isState });
