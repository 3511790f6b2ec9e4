import fc from "fast-check";
import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";
import { json, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// A change that is its own meaning is told without asking the core (`simplePatch`), and the log crosses later, with the
// readers' baselines in it. This law holds it to the core's own answer: a twin whose document was asked for has told the core all.

type Any = any;

const numbers = fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }), fc.double({ min: 0, max: 2, noNaN: true })), { maxLength: 5 });

const path = fc.array(fc.constantFrom("a", "b", "list", "0", "1", "__proto__", "x/y"), { maxLength: 3 });
const change = fc.record({
  path,
  key: fc.constantFrom("a", "b", "list", "0", "1", "12", "m~n"),
  value: fc.oneof(json, numbers, fc.constantFrom<Json>(0, -0, "", "text", "text and more", [], {})),
  isPush: fc.boolean(),
  twice: fc.boolean(),
  isDeleted: fc.boolean(),
  more: fc.array(fc.tuple(fc.constantFrom("a", "b", "list", "c"), fc.oneof({ weight: 3, arbitrary: fc.constantFrom<Json>(1, true, null, "text") }, { weight: 1, arbitrary: json })), { maxLength: 3 }),
  edits: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, fc.constantFrom("a", "b", "done", "0"), fc.oneof(fc.constantFrom<Json>(1, true, null, "text", 1.5), json, numbers)), { maxLength: 6 }) }),
  gone: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, fc.constantFrom("a", "b", "list", "0"), fc.constantFrom(null, "c", "b")), { maxLength: 4 }) }),
  pushed: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, json), { maxLength: 2 }) }),
  all: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom<Json>(1, false, "t") }),
  shifted: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.tuple(path, fc.nat(12), fc.constantFrom("take", "take", "insert", "push", "swap", "move"), json), { minLength: 1, maxLength: 3 }) }),
  sifted: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) }),
  spread: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: fc.dictionary(fc.constantFrom("done", "id", "content", "a", "x/y", "key", "__proto__"), fc.oneof(fc.constantFrom<Json | undefined>(1, false, "t", -0, [], "\ud83d", "é".repeat(9), undefined, undefined), json), { maxKeys: 4, noNullPrototype: true }) }),
  added: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.record({ at: fc.nat(20), parts: fc.array(fc.constantFrom("", "a", "é", "\ud83d", "\ude00", "😀", "text ".repeat(9), "字".repeat(90)), { minLength: 1, maxLength: 3 }), by: fc.oneof(fc.constantFrom(0, -0, 1, 1e-9, 1e21), fc.double({ min: -9, max: 9, noNaN: true })), how: fc.constantFrom("append", "+=", "increment"), looks: fc.boolean() }) }),
  advances: fc.boolean(),
  extended: fc.boolean(),
});

/** Pointers to all of a type in there. */
function pointersTo(type: string, at: Any, pointer = ""): string[] {
  if (typeof at !== "object" || at === null) return typeof at === type ? [pointer] : [];
  return Object.keys(at).flatMap((key) => pointersTo(type, at[key], `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`));
}

/** Adds to a string or to a number in there. */
function add(tracker: StateTracker<Any>, { at, parts, by, how, looks }: { at: number; parts: string[]; by: number; how: string; looks: boolean }): void {
  const pointers = pointersTo(how === "increment" ? "number" : "string", tracker.getState());
  const pointer = pointers[at % pointers.length];
  if (pointer === undefined) return;
  if (how === "increment") return tracker.increment(pointer, by);
  for (const part of parts) {
    if (how === "append") tracker.append(pointer, part);
    else {
      const names = pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
      tracker.update((draft) => {
        let at = draft;
        for (const name of names.slice(0, -1)) at = at[name];
        at[names.at(-1)!] += part;
      });
    }
    if (looks) tracker.getState();
  }
}

/** The core's own answer. */
function asks(twin: StateTracker<Any>, dialect: "rfc6902" | "extended" = "rfc6902"): string {
  twin.document().free();
  return twin.getPatchText({ dialect });
}

/** Goes as far as there are containers. */
function follow(draft: Any, path: string[]): Any {
  let at = draft;
  for (const step of path) if (Object.hasOwn(at, step) && typeof at[step] === "object" && at[step] !== null) at = at[step];
  return at;
}

/** Takes items out of every array in there, which a mask says. */
function sift(at: Any, mask: number): void {
  for (const key of Object.keys(at)) if (Array.isArray(at[key])) at[key] = at[key].filter((_: Any, i: number) => (mask >> (i % 5)) & 1);
}

/** Puts a copy with other members in the place of an object in there, or in an array in there. */
function spread(at: Any, members: object): void {
  const other = (item: Any): Any => (typeof item === "object" && item !== null && !Array.isArray(item) ? { ...item, ...members } : item);
  const [key] = Object.keys(at);
  if (key !== undefined) at[key] = Array.isArray(at[key]) ? at[key].map((item: Any, i: number) => (i === at[key].length >> 1 ? other(item) : item)) : other(at[key]);
}

/** Takes an item out of an array, or puts one in. */
function shift(at: Any, [, index, how, value]: [string[], number, string, Json]): void {
  const list = Array.isArray(at) ? at : (Object.values(at).find(Array.isArray) as Any);
  if (list === undefined || (list.length === 0 && how !== "push")) return;
  const i = index % list.length;
  const j = (index * 7) % list.length;
  if (how === "take") list.splice(i, 1);
  else if (how === "insert") list.splice(i, 0, structuredClone(value));
  else if (how === "push") list.push(...[structuredClone(value), index].slice(index % 2));
  else if (how === "swap") [list[i], list[j]] = [list[j], list[i]];
  else list.splice(j, 0, ...list.splice(i, 1));
}

/** Sets a member of every object. */
function setIn(at: Any, value: Json): void {
  if (!Array.isArray(at)) at.done = value;
  for (const key of Object.keys(at)) if (typeof at[key] === "object" && at[key] !== null) setIn(at[key], value);
}

const row = fc.record({ id: fc.nat(), content: fc.string({ maxLength: 60 }), more: fc.string({ maxLength: 200 }), done: fc.boolean() }, { requiredKeys: ["id"] });
const start = fc.oneof(
  json.filter((value) => typeof value === "object" && value !== null),
  fc.record({ list: fc.array(numbers, { maxLength: 6 }), a: numbers, b: fc.dictionary(fc.constantFrom("a", "0", "b"), numbers), done: numbers }),
  fc.record({ list: fc.array(row, { maxLength: 12 }), a: fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 3 }), b: fc.dictionary(fc.constantFrom("a", "0", "x/y", "é"), row) }),
);

const modes = [{ arrayDeltaMode: "precise" }, { arrayDeltaMode: true }, { arrayDeltaMode: false }, { arrayDeltaMode: true, granularity: "key" }, { arrayDeltaMode: "precise", texts: ["/a"], counters: ["/b"] }] as const;

test("what is told without the core is what the core tells, and what comes later follows", () => {
  fc.assert(
    fc.property(start, fc.array(change, { minLength: 1, maxLength: 8 }), fc.constantFrom(...modes), (start, changes, options) => {
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(start), options), new StateTracker<Any>(structuredClone(start), options)];
      const [cursor, other] = [tracker.cursor(), twin.cursor()];
      for (const { path, key, value, isPush, twice, isDeleted, more, edits, pushed, gone, all, shifted, sifted, spread: put, added, advances, extended } of changes) {
        const recipe = (draft: Any): void => {
          for (const [path, key, value] of edits) {
            const at = follow(draft, path);
            if (!Array.isArray(at)) at[key] = structuredClone(value);
            else if (at.length > 0) at[key.charCodeAt(0) % at.length] = structuredClone(value);
          }
          const push = ([path, value]: [string[], Json]): void => {
            const at = follow(draft, path);
            const list = Array.isArray(at) ? at : (at.list ?? at.a);
            if (Array.isArray(list)) list.push(structuredClone(value));
          };
          if (isPush) pushed.forEach(push);
          // Some of what is deleted comes back by value, at another name.
          for (const [path, key, again] of gone) {
            const at = follow(draft, path);
            if (Array.isArray(at) || !Object.hasOwn(at, key)) continue;
            const value = current(at)[key];
            delete at[key];
            if (again !== null) at[again] = structuredClone(value);
          }
          if (all !== undefined) setIn(draft, all);
          for (const one of shifted) shift(follow(draft, one[0]), one);
          if (sifted > 0) sift(follow(draft, path), sifted);
          if (put !== undefined) spread(follow(draft, path), structuredClone(put));
          if (!isPush) pushed.forEach(push);
          if (all !== undefined || shifted.length > 0 || sifted > 0 || put !== undefined || edits.length > 0 || gone.length > 0) return;
          const at = follow(draft, path);
          if (isDeleted && !Array.isArray(at)) {
            delete at[Object.hasOwn(at, key) ? key : Object.keys(at)[0]!];
            if (!twice) return;
          }
          const set = (value: Any): void => {
            if (Array.isArray(at)) {
              if (isPush) at.push(value);
              else if (at.length > 0) at[Number(key) % at.length || 0] = value;
            } else Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true });
          };
          set(structuredClone(value));
          if (twice) set(1);
          if (!Array.isArray(at)) for (const [key, value] of more) at[key] = structuredClone(value);
        };
        for (const one of [tracker, twin]) {
          if (added === null) one.update(recipe);
          else add(one, added);
        }
        const dialect = extended ? "extended" : "rfc6902";
        const text = asks(twin, dialect);
        expect(tracker.getPatchText({ dialect })).toBe(text);
        expect(tracker.getRFC6902Patches({ dialect })).toEqual(JSON.parse(text));
        expect(cursor.patches({ dialect })).toEqual(JSON.parse(other.patchText({ dialect })));
        if (advances) for (const one of [tracker, twin]) one.resetTracking();
        else for (const one of [cursor, other]) one.advance();
      }
      expect(tracker.getPatchText()).toBe(asks(twin));
      expect(cursor.patchText()).toBe(other.patchText());
      expect(tracker.document().toJSON()).toEqual(twin.document().toJSON());
      while (tracker.undo()) twin.undo();
      expect(tracker.getState()).toEqual(twin.getState());
    }),
    asked(3000),
  );
}, 90_000);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom("append"), fc.constantFrom("/a", "/a", "/a", "/a", "/b", "/list/0"), fc.constantFrom("t", "", "😀", "\ud83d", "\ude00", "word ".repeat(20), "字".repeat(4000))) },
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom("advance main", "advance first"), fc.constant(""), fc.constant("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("read main", "read first", "advance second", "read second"), fc.constantFrom("extended", "rfc6902"), fc.constant("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("increment", "update", "look", "undo", "redo", "checkpoint", "restore", "stream"), fc.constant(""), fc.constantFrom("t", "other", "long ".repeat(60))) },
);

test("however readers take a stream of tokens, and whatever comes between, it is told as by the core", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(...modes, { arrayDeltaMode: "precise", history: 3 } as const, { arrayDeltaMode: "precise", validate: () => true } as const), (steps, options) => {
      const start = { a: "a", b: "", list: ["a long text ".repeat(30), "b"], n: 1 };
      const both = [true, false].map((isTwin) => {
        const tracker = new StateTracker<Any>(structuredClone(start), options);
        const readers = { main: { patchText: tracker.getPatchText.bind(tracker), advance: () => tracker.resetTracking() }, first: tracker.cursor(), second: tracker.cursor() };
        return { isTwin, tracker, readers, checkpoint: tracker.checkpoint() };
      });
      const same = (ask: (one: (typeof both)[number]) => unknown): void => expect(ask(both[0]!)).toEqual(ask(both[1]!));
      for (const [what, where, text] of steps) {
        const [verb, reader = "main"] = what.split(" ") as [string, "main" | "first" | "second"];
        same((one) => {
          const { tracker, readers } = one;
          if (verb === "append") tracker.append(where, text);
          else if (verb === "advance") readers[reader].advance();
          else if (verb === "increment") tracker.increment("/n");
          else if (verb === "update") tracker.update((draft) => void (draft.a = text));
          else if (verb === "look") tracker.getState();
          else if (verb === "undo") return tracker.undo();
          else if (verb === "redo") return tracker.redo();
          else if (verb === "checkpoint") one.checkpoint = tracker.checkpoint();
          else if (verb === "restore") tracker.restore(one.checkpoint);
          else if (verb === "stream") {
            const stream = tracker.stream("/a");
            stream.write(JSON.stringify(text));
            stream.end();
          }
          if (one.isTwin) tracker.document().free();
          return verb === "read" ? readers[reader].patchText({ dialect: where as "extended" | "rfc6902" }) : undefined;
        });
      }
      for (const reader of ["main", "first", "second"] as const) same(({ readers }) => readers[reader].patchText({ dialect: "extended" }));
      same(({ tracker }) => tracker.getState());
      for (let isMore = true; isMore; ) {
        same(({ tracker }) => (isMore = tracker.undo()));
        same(({ tracker }) => tracker.getState());
      }
    }),
    asked(1500),
  );
}, 90_000);

const members = fc.dictionary(fc.constantFrom("done", "score", "content", "more"), fc.oneof(fc.constantFrom<Json>(1, false, "text", "other ".repeat(9), [1], {}), json), { noNullPrototype: true });
const renaming = fc.record({ from: fc.integer({ min: -1, max: 20 }), keeps: fc.boolean(), without: fc.nat(20), members, one: members, name: fc.constantFrom("id", "id", "id", "_id", "key"), extended: fc.boolean() });

test("a list of objects that takes another one's place, with other names, is told as by the core", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), fc.array(renaming, { minLength: 1, maxLength: 3 }), (rows, steps) => {
      const [tracker, twin] = [1, 2].map(() => new StateTracker<Any>({ list: structuredClone(rows), n: 0 })) as [StateTracker<Any>, StateTracker<Any>];
      for (const { from, keeps, without, members, one, name, extended } of steps) {
        const dialect = extended ? "extended" : "rfc6902";
        for (const each of [tracker, twin]) {
          const { list } = each.getState();
          const others = list.map((item: Any, i: number) => ({ ...(keeps ? item : {}), ...members, ...(i === 0 ? one : {}), [name]: from < 0 ? `${i}` : from + i }));
          each.update((draft) => void (draft.list = structuredClone(others.filter((_: Any, i: number) => i !== without))));
        }
        expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
        for (const each of [tracker, twin]) each.resetTracking();
      }
    }),
    asked(2000),
  );
}, 90_000);

const named = fc.record({ id: fc.oneof(fc.nat(3), fc.constantFrom<Json>("a", true, null, [1])), _id: fc.nat(2), key: fc.constantFrom("k", "l"), content: fc.constantFrom("", "x", "a text that is worth comparing ".repeat(3)), tags: fc.constantFrom<Json>([], ["a"], { b: 1 }) }, { requiredKeys: ["content"] });
const thing = fc.oneof({ weight: 6, arbitrary: named }, { weight: 1, arbitrary: fc.constantFrom<Json>(1, 0, -0, null, true, "s", "a text that is worth comparing ".repeat(3), [], [1, "a text that is worth comparing", { id: 1 }]) });

test("whether what came is what is gone, edited on its way, is told as by the core", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), thing, { minKeys: 1, noNullPrototype: true }), fc.array(thing, { minLength: 1, maxLength: 3 }), fc.nat(31), fc.nat(3), fc.constantFrom("map", "deep", "pushed"), fc.boolean(), (start, fresh, mask, edits, where, extended) => {
      const trackers = [0, 1].map(() => new StateTracker<Any>(structuredClone({ map: start, deep: { other: { z: 1 } }, pushed: [] }), { arrayDeltaMode: "precise" }));
      for (const tracker of trackers) {
        tracker.update((draft) => {
          const gone = Object.keys(draft.map).filter((_, i) => (mask >> i) & 1);
          const values = gone.map((name) => structuredClone(current(draft.map[name])));
          for (const name of gone) delete draft.map[name];
          const came = [...structuredClone(fresh), ...values.filter((_, i) => (edits >> i) & 1)];
          came.forEach((value, i) => {
            if (edits === 3 && typeof value === "object" && value !== null && !Array.isArray(value)) value.content = "edited";
            if (where === "map") draft.map[`new${i}`] = value;
            else if (where === "deep") draft.deep.other[`new${i}`] = value;
            else draft.pushed.push(value);
          });
        });
      }
      const dialect = extended ? "extended" : "rfc6902";
      const text = asks(trackers[1]!, dialect);
      expect(trackers[0]!.getPatchText({ dialect })).toBe(text);
    }),
    asked(3000),
  );
}, 90_000);

const item = fc.oneof({ weight: 4, arbitrary: row }, { weight: 2, arbitrary: fc.oneof(fc.nat(4), fc.constantFrom<Json>("", "a", null, -0, "a text of some length that could move")) }, { weight: 1, arbitrary: json });
const items = fc.array(item, { maxLength: 7 });
const what = fc.oneof({ weight: 5, arbitrary: fc.constantFrom("take", "insert", "push") }, { weight: 3, arbitrary: fc.constantFrom("filter", "at the end", "in front", "between") }, { weight: 2, arbitrary: fc.constantFrom("swap", "swap", "move", "carry", "carry", "again", "again", "edit", "set", "copy") });

test("items that come and go in lists are told as by the core", () => {
  fc.assert(
    fc.property(items, items, fc.array(fc.tuple(fc.constantFrom("list", "list", "other", "deep"), what, fc.nat(12), item), { minLength: 1, maxLength: 3 }), fc.array(fc.constantFrom("before", "after", "deep", "deep", "new", "gone", "text", "map"), { maxLength: 3 }), fc.constantFrom(...modes), fc.boolean(), (list, other, steps, beside, options, extended) => {
      const [tracker, twin] = [1, 2].map(() => new StateTracker<Any>(structuredClone({ list, other, n: 0, map: { a: { list: list.slice(1), n: 0 }, b: { list: other, n: 0 } }, deep: [{ rows: other.slice(1) }, { rows: list.slice(2) }] }), options)) as [StateTracker<Any>, StateTracker<Any>];
      for (const one of [tracker, twin]) {
        one.update((draft) => {
          if (beside.includes("before")) draft.n++;
          for (const [name, how, index, value] of steps) {
            const [holder, key] = name === "deep" ? [draft.deep[index % 2], "rows"] : beside.includes("map") ? [draft.map[index % 3 ? "a" : "b"], "list"] : [draft, name];
            const at = holder[key];
            if (how === "edit" && at.length > 0 && typeof at[index % at.length]?.id === "number") at[index % at.length].id = index;
            else if (how === "set" && at.length > 0) at[index % at.length] = structuredClone(value);
            else if (how === "carry" && at.length > 0) [beside.includes("map") ? draft.map.b.list : draft.list, draft.deep[0].rows, draft.deep[1].rows][index % 3].splice(index % 2, 0, ...at.splice(index % at.length, 1));
            else if (how === "again" && at.length > 0) [at, draft.list, draft.other][index % 3].splice(index % 5, 0, at[index % at.length]);
            else if (how === "carry" || how === "again" || how === "filter") holder[key] = at.filter((_: Any, k: number) => k !== index && k !== 1);
            else if (how === "at the end") holder[key] = [...at, structuredClone(value)];
            else if (how === "in front") holder[key] = [structuredClone(value), ...at];
            else if (how === "between") holder[key] = [...at.slice(0, index), structuredClone(value), index, ...at.slice(index)];
            else if (how === "copy" && at.length > 0) draft.list.push(structuredClone(current(at)[index % at.length]));
            else shift(at, [[], index, how, value]);
          }
          for (const what of beside) {
            if (what === "after") draft.n++;
            else if (what === "deep") draft.deep[0].count = draft.deep[1].count = draft.map.a.n = 7;
            else if (what === "new") draft.fresh = "what came";
            else if (what === "gone") delete draft.map.b.n;
            else if (what === "text") draft.map.n = "a text that is longer than that of most numbers are";
          }
        });
      }
      const dialect = extended ? "extended" : "rfc6902";
      expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
    }),
    asked(4000),
  );
}, 90_000);

test("any two things that are done to a short list are told as by the core", () => {
  const start = ["a", "b", "c", "d"].map((id) => ({ id, text: `a text of ${id}` }));
  const indexes = [0, 1, 2, 3];
  const pairs = indexes.flatMap((i) => indexes.map((j) => [i, j] as const));
  const one: ((list: Any[], other: Any[]) => unknown)[] = [
    ...indexes.map((i) => (list: Any[]) => list.splice(i, 1)),
    ...indexes.map((i) => (list: Any[]) => list.splice(i, 0, { id: "e" })),
    ...indexes.map((i) => (_: Any[], other: Any[]) => other.splice(i, 1)),
    ...pairs.map(([i, j]) => (list: Any[]) => list[j] && list.splice(i, 0, list[j])),
    ...pairs.map(([i, j]) => (list: Any[]) => list[j] && (list[i] = list[j])),
    ...pairs.map(([i, j]) => (list: Any[], other: Any[]) => list[j] && other.splice(i, 0, list[j])),
    ...pairs.map(([i, j]) => (list: Any[]) => list[i] && list[j] && ([list[i], list[j]] = [list[j], list[i]])),
  ];
  for (const [i, first] of one.entries()) {
    for (const [j, second] of one.entries()) {
      const [tracker, twin] = [1, 2].map(() => new StateTracker<Any>(structuredClone({ list: start, other: start.slice(2) }))) as [StateTracker<Any>, StateTracker<Any>];
      for (const each of [tracker, twin]) {
        each.update(({ list, other }) => {
          first(list, other);
          second(list, other);
        });
      }
      expect(tracker.getPatchText(), `${i}, ${j}`).toBe(asks(twin));
    }
  }
}, 90_000);

// Whether its members are told or the whole object is decided by how long both are.
const text = fc.tuple(fc.constantFrom("x", "é", "\"", "😀", "\ud83d", "\n"), fc.nat(160)).map(([unit, length]) => unit.repeat(length));
const member = fc.oneof({ weight: 4, arbitrary: text }, { weight: 2, arbitrary: fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom<Json>(true, null, -0, "", [1, 2], [3], { a: 1 })) });
const nested = fc.letrec<{ value: Json }>((tie) => ({ value: fc.oneof({ depthSize: "small", withCrossShrink: true }, member, fc.dictionary(fc.constantFrom("a", "b", "x", "y", "m~n"), tie("value"), { maxKeys: 3, noNullPrototype: true })) })).value;
const objects = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "id", "key", "m~n", "x/y", "é", "\ud83d", "__proto__", "0"), nested, { minKeys: 1, maxKeys: 7, noNullPrototype: true });
const others = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e", "id", "m~n", "\ud83d"), fc.oneof({ weight: 4, arbitrary: nested }, { weight: 1, arbitrary: fc.constant(undefined) }), { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** With other values for some of what is in there, each of which a number chooses. */
function touched(value: Any, chosen: number[], at = { i: 0 }): Any {
  if (typeof value !== "object" || value === null) return chosen.includes(at.i++) ? fresh[at.i % fresh.length] : value;
  if (Array.isArray(value)) return value.map((item) => touched(item, chosen, at));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, touched(item, chosen, at)]));
}
const fresh: Json[] = [7, "y", "another text of some length", false, null, { a: 2 }];

test("of an object that takes another one's place the same is told as by the core", () => {
  fc.assert(
    fc.property(objects, others, fc.array(fc.nat(12), { maxLength: 5 }), fc.constantFrom("box", "list", "deep"), fc.constantFrom(...modes), fc.boolean(), fc.constantFrom("new", "with", "touched", "touched"), (before, members, chosen, where, options, extended, how) => {
      const other = how === "new" ? { ...members } : how === "with" ? { ...before, ...members } : touched(before, chosen);
      const dialect = extended ? "extended" : "rfc6902";
      const start = { box: before, list: [{ id: 1 }, before, { id: 3, text: "x".repeat(40) }], deep: { list: [before] } };
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(start), options), new StateTracker<Any>(structuredClone(start), options)];
      for (const one of [tracker, twin]) {
        one.update((draft) => {
          if (where === "box") draft.box = structuredClone(other);
          else if (where === "list") draft.list[1] = structuredClone(other);
          else draft.deep.list = draft.deep.list.map(() => structuredClone(other));
        });
      }
      expect(tracker.getRFC6902Patches({ dialect })).toEqual(JSON.parse(asks(twin, dialect)));
      expect(tracker.getPatchText()).toBe(twin.getPatchText());
    }),
    asked(3000),
  );
}, 90_000);

const hit = fc.record({ id: fc.oneof(fc.nat(30), fc.constantFrom<Json>("a", "b", "c", "1", true, null)), _id: fc.nat(9), key: fc.constantFrom("k", "l", "m", "n", "o"), text: fc.constantFrom("", "x", "a text of some length"), tags: fc.constantFrom<Json>([], ["a"], { id: 1 }), by: fc.record({ name: fc.constantFrom("x", "a name of some length", "a name of some length, and more of it"), age: fc.nat(3), of: fc.record({ id: fc.nat(3), at: fc.constantFrom("", "a place of some length") }) }, { requiredKeys: [] }) }, { requiredKeys: [] });
const hits = fc.oneof({ weight: 4, arbitrary: fc.array(hit, { maxLength: 6 }) }, { weight: 3, arbitrary: fc.tuple(fc.nat(3), fc.array(hit, { minLength: 1, maxLength: 6 })).map(([from, list]) => list.map((one, i) => ({ ...one, id: `${from}${i}` }))) }, { weight: 1, arbitrary: fc.array(fc.oneof(hit, json), { maxLength: 4 }) });

test("of a list that takes another one's place the same is told as by the core, whatever names its items have", () => {
  fc.assert(
    fc.property(hits, hits, fc.constantFrom("box", "list"), fc.constantFrom(...modes), fc.boolean(), (before, after, where, options, extended) => {
      const dialect = extended ? "extended" : "rfc6902";
      const start = { box: before, list: [[1], before, { text: "x".repeat(40) }] };
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(start), options), new StateTracker<Any>(structuredClone(start), options)];
      for (const one of [tracker, twin]) one.update((draft) => void (where === "box" ? (draft.box = structuredClone(after)) : (draft.list[1] = structuredClone(after))));
      expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
    }),
    asked(4000),
  );
}, 90_000);

const scalar = fc.oneof(fc.nat(9), fc.nat(99), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ maxLength: 6, unit: "binary" }), fc.constantFrom<Json>("w".repeat(45), "w".repeat(46), "x".repeat(30), `${"x".repeat(30)} and more`, true, null, -0));
const scalars = fc.array(scalar, { maxLength: 24, size: "max" });

test("a list of numbers and strings that takes another one's place is told as by the core, however many are in both", () => {
  fc.assert(
    fc.property(scalars, scalars, fc.nat(24), fc.nat(24), fc.constantFrom("box", "list", "item"), scalar, fc.constantFrom(...modes), fc.boolean(), (before, fresh, from, kept, where, beside, options, extended) => {
      const dialect = extended ? "extended" : "rfc6902";
      const after = [...fresh.slice(0, from), ...before.slice(from, from + kept), ...fresh.slice(from)];
      const start = { box: before, list: [[1], before, { text: "x".repeat(40) }], beside: before[0] ?? 1 };
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(start), options), new StateTracker<Any>(structuredClone(start), options)];
      for (const one of [tracker, twin]) {
        one.update((draft) => {
          if (where === "list") draft.list[1] = [...after];
          else draft.box = [...after];
          if (where === "item") draft.beside = beside;
        });
      }
      expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
    }),
    asked(4000),
  );
}, 90_000);

test("a list of which some go at its ends, and to which some come, is told as by the core", () => {
  const wide = fc.oneof({ weight: 8, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) }, { weight: 2, arbitrary: fc.integer({ min: 1e9, max: 1e9 + 40 }) }, { weight: 1, arbitrary: scalar }, { weight: 1, arbitrary: fc.nat(1e9).map((n) => `a line of the log, the one with the number ${n}`) });
  const few = fc.array(fc.oneof({ weight: 12, arbitrary: wide }, { weight: 1, arbitrary: json }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(wide, { minLength: 6, maxLength: 60, size: "max" }), few, few, fc.nat(3), fc.nat(3), fc.constantFrom("box", "list"), fc.constantFrom("all", "front", "back"), fc.constantFrom(...modes), fc.boolean(), (before, front, back, start, end, where, at, options, extended) => {
      const dialect = extended ? "extended" : "rfc6902";
      const kept = before.slice(at === "back" ? 0 : start, at === "front" ? undefined : before.length - end);
      const after = [...(at === "front" ? [] : front), ...kept, ...(at === "back" ? [] : back)];
      const begin = { box: before, list: [[1], before, { text: "x".repeat(40) }] };
      const [tracker, twin] = [new StateTracker<Any>(structuredClone(begin), options), new StateTracker<Any>(structuredClone(begin), options)];
      for (const one of [tracker, twin]) one.update((draft) => void (where === "list" ? (draft.list[1] = structuredClone(after)) : (draft.box = structuredClone(after))));
      expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
    }),
    asked(4000),
  );
}, 90_000);

const exchanges: [name: string, before: object, members: object][] = [
  ["two numbers", { a: 1, b: 2 }, { a: 10, b: 20 }],
  ["a long name and a text with a quote", { "a name that is long": 1, b: "x" }, { "a name that is long": 2, b: 'a "quote"' }],
  ["names with escapes", { "m~n": 1, "x/y": 2, "é\n": 3 }, { "m~n": 4, "x/y": 5, "é\n": 6 }],
  ["emoji, and half of one", { a: "", "\ud83d": 1 }, { a: "😀\n", "\ud83d": 2 }],
  ["half of an emoji", { a: "", b: 1 }, { a: "\ud83d", b: 2 }],
  ["two that came", {}, { a: true, b: null }],
  ["a list that came, and one changed", { a: 1 }, { a: 2, list: [1, "b", { c: 1.5 }] }],
  ["two that went", { a: 1, bb: [1, 2] }, { a: undefined, bb: undefined }],
  ["one that went, one changed", { a: 1, b: 1e21 }, { a: undefined, b: 1e-7 }],
  ["one that went, one that came", { a: 1, b: 2 }, { a: undefined, c: 1 }],
  ["one that went, one that came with what it had", { a: "a text of some length, which may move to another place", b: 2 }, { a: undefined, c: "a text of some length, which may move to another place" }],
];

test.each(exchanges)("at every length of what stays, the same is told as by the core: %s", (_, before, members) => {
  for (let length = 0; length < 500; length++) {
    const [was, is] = [{ ...before, rest: "r".repeat(length) }, { ...before, rest: "r".repeat(length), ...members }];
    const [tracker, twin] = [new StateTracker<Any>({ at: was }), new StateTracker<Any>({ at: was })];
    for (const one of [tracker, twin]) one.update((draft) => void (draft.at = structuredClone(is)));
    expect(tracker.getRFC6902Patches()).toEqual(JSON.parse(asks(twin)));
  }
});

test("what is told may be changed by whoever gets it", () => {
  const tracker = new StateTracker<Any>({ list: [] }, { arrayDeltaMode: "precise" });
  tracker.update((draft) => { draft.list.push({ tags: ["a"] }); });
  const [operation] = tracker.getRFC6902Patches() as [Any];
  operation.value.tags.push("b");
  expect(tracker.getState()).toEqual({ list: [{ tags: ["a"] }] });
});

const field = fc.constantFrom("phase", "step", "memo", "stack", "note", "more");
const slot = fc.constantFrom("a", "b", "id", "c", "k");
const part = fc.constantFrom<Json | undefined>(1, "text", undefined, undefined, [], { deep: 1 }, "a text that is long enough to be worth moving to another place", { id: 7, text: "an object that is long enough to be worth moving to another place" });
const act = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("set"), name: field, from: slot, value: fc.oneof(fc.constantFrom<Json>(1, 2, "act", null, [], {}, { a: 1 }), json) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("spread"), name: field, from: slot, value: fc.dictionary(slot, part, { maxKeys: 3, noNullPrototype: true }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("push", "delete", "carry", "adopt", "dig", "dig"), name: field, from: slot, value: fc.constantFrom<Json>(1, "x", { at: 1 }) }) },
);
const memo = fc.dictionary(slot, fc.oneof(part.map((one) => one ?? 0), fc.constantFrom<Json>([1], { deep: 2 }, { id: 7, text: "an object that is long enough to be worth moving to another place" })), { minKeys: 1, noNullPrototype: true });
const machine = fc.record({ phase: fc.constantFrom("plan", "act"), step: fc.nat(3), memo, stack: fc.array(fc.constantFrom<Json>(1, { at: 0 }), { maxLength: 2 }), note: memo });

test("several objects that take others' places beside other changes are told as by the core", () => {
  fc.assert(
    fc.property(machine, fc.array(act, { minLength: 1, maxLength: 6 }), fc.constantFrom("", "deep", "list"), fc.constantFrom(...modes), fc.boolean(), (start, acts, where, options, extended) => {
      const dialect = extended ? "extended" : "rfc6902";
      const whole = where === "list" ? { deep: [start, { z: "z" }] } : where === "deep" ? { deep: start, more: 1 } : start;
      const trackers = [0, 1].map(() => new StateTracker<Any>(structuredClone(whole), options));
      for (const tracker of trackers) {
        tracker.update((draft) => {
          const at = where === "list" ? draft.deep[0] : where === "deep" ? draft.deep : draft;
          for (const { kind, name, from, value } of structuredClone(acts)) {
            const there = at[name];
            const isObject = typeof there === "object" && there !== null && !Array.isArray(there);
            if (kind === "set") at[name] = value;
            else if (kind === "spread") at[name] = isObject ? { ...there, ...(value as object) } : value;
            else if (kind === "push" && Array.isArray(there)) there.push(value);
            else if (kind === "carry" && at.memo?.[from] !== undefined) at[name] = JSON.parse(JSON.stringify(at.memo[from]));
            else if (kind === "adopt" && isObject && at.note?.[from] !== undefined) at[name] = { ...there, x: at.note[from] };
            else if (kind === "dig" && isObject && typeof there[from] === "object" && there[from] !== null) there[from][Array.isArray(there[from]) ? 0 : "deep"] = value;
            else if (kind === "delete") delete at[name];
          }
        });
      }
      expect(trackers[0]!.getPatchText({ dialect })).toBe(asks(trackers[1]!, dialect));
    }),
    asked(4000),
  );
}, 90_000);

test("an addition that changes nothing is none, whoever makes it", () => {
  const tracker = new StateTracker({ n: 1e300, m: 0 });
  const before = tracker.getState();
  tracker.increment("/n", 1);
  tracker.increment("/m", 0);
  tracker.apply([{ op: "inc", path: "/n", inc: 1 }]);
  tracker.apply([{ op: "inc", path: "/m", inc: 0 }]);
  for (const dialect of ["extended", "rfc6902"] as const) expect(tracker.getRFC6902Patches({ dialect })).toEqual([]);
  expect([tracker.getState(), tracker.undo()]).toEqual([before, false]);
});

test("a list that is made anew with the same items, some edited, is told as by the core", () => {
  const content = fc.record({ title: fc.constantFrom("", "x", "a text of some length", "é".repeat(20), "a text that is worth moving to another place, since it is long"), done: fc.boolean(), n: fc.double({ noNaN: true, min: -9, max: 9 }), meta: fc.oneof(json, fc.record({ at: fc.nat(3), by: fc.constantFrom("a", "b") })), tags: fc.array(fc.nat(3), { maxLength: 3 }) }, { requiredKeys: [] });
  const name = fc.constantFrom("id", "id", "id", "_id", "key", "name");
  const edits = fc.array(fc.tuple(fc.nat(9), fc.oneof({ weight: 3, arbitrary: content }, { weight: 1, arbitrary: fc.constantFrom({ gone: true }, { id: 4 }, { _id: 4 }, { done: undefined }) })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 9 }), name, edits, fc.constantFrom("map", "clone", "fetched", "all"), fc.constantFrom("box", "list", "deep"), fc.boolean(), fc.constantFrom(...modes), fc.boolean(), (contents, name, edits, how, where, beside, options, extended) => {
      const rows = contents.map((one, i) => ({ [name]: name === "key" ? `k${i}` : i, ...one }));
      const start = { n: 0, box: rows, list: [[1], rows, "x".repeat(40)], deep: { box: rows, other: 1 } };
      const [tracker, twin] = [0, 1].map(() => new StateTracker<Any>(structuredClone(start), options)) as [StateTracker<Any>, StateTracker<Any>];
      for (const one of [tracker, twin]) {
        one.update((draft) => {
          const [holder, key] = where === "list" ? [draft.list, 1] : where === "deep" ? [draft.deep, "box"] : [draft, "box"];
          const there = holder[key];
          const edited = (row: Any, i: number): Any => {
            const all = Object.assign({}, ...edits.filter(([at]) => at === i || how === "all").map(([, members]) => members));
            return Object.keys(all).length === 0 && how !== "all" ? row : { ...row, ...structuredClone(all) };
          };
          if (how === "clone") holder[key] = structuredClone(current(there)).map(edited);
          else if (how === "fetched") holder[key] = structuredClone(rows).map(edited);
          else holder[key] = there.map(edited);
          if (beside) draft.n++;
        });
      }
      const dialect = extended ? "extended" : "rfc6902";
      expect(tracker.getPatchText({ dialect })).toBe(asks(twin, dialect));
    }),
    asked(4000),
  );
}, 90_000);
