import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Values } from "../../../pkg/dist/bridge/host.js";
import { reading } from "../../../pkg/dist/bridge/engine.js";
import { Plan } from "../../../pkg/dist/tables/plan.js";
import * as client from "../../../pkg/dist/wasm/client.js";
import * as patchwire from "../../../pkg/dist/wasm/patchwire.js";
import { asked, seed } from "../support/runs.ts";

// Every function that a module exports, called in random order with whatever its types admit: it returns, or throws
// a coded error. A trap would end the instance for everyone in it. What to pass is read from the declarations, so a new
// export is called as soon as there is one; a parameter of a new type fails here until `argument` knows it.

const built = new URL("../../../pkg/dist/wasm/", import.meta.url);

// mulberry32: small, seeded, good enough to choose with.
let state = seed >>> 0;
function below(n: number): number {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
}
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;

interface Callable {
  name: string;
  owner?: string;
  isStatic: boolean;
  parameters: { name: string; type: string }[];
}

type Handle = { free(): void };

/** No limits of one's own. */
const NONE = new Float64Array();

const codes = /^\{"code":"(INVALID_JSON|NOT_JSON|INVALID_POINTER|INVALID_PATCH|PATH_NOT_FOUND|INDEX_OUT_OF_RANGE|TEST_FAILED|CONFLICT|LIMIT_EXCEEDED|STALE_STATE|CLOSED|FORBIDDEN_PATH|VALIDATION_FAILED|STREAM_TRUNCATED|NOT_FOUND)","message":"/;

const seeds = new URL("../../../fuzz/seeds/", import.meta.url);
const texts = readdirSync(seeds).flatMap((target) => readdirSync(new URL(`${target}/`, seeds)).map((name) => readFileSync(new URL(`${target}/${name}`, seeds))));
/** A document and a patch or writes for it, as the seeds have them. */
const pairs = texts.map((text) => text.toString("latin1").split("\0").map((part) => Buffer.from(part, "latin1"))).filter(({ length }) => length === 2);
/** What every kind of reader takes one of, however many seeds there are. */
const smallest = ["[]", "{}", "[[]]", "[\"/a\"]"].map((text) => Buffer.from(text));
const parts = texts.flatMap((text) => text.toString("latin1").split("\0").map((part) => Buffer.from(part, "latin1")));

/** A part of a seed, or something like it. */
function bytes(): Buffer {
  return altered(pick(below(4) === 0 ? smallest : parts));
}

function altered(original: Buffer): Buffer {
  const chosen = Buffer.from(original);
  switch (below(6)) {
    case 0: if (chosen.length > 0) chosen[below(chosen.length)] = below(256); return chosen;
    case 1: return chosen.subarray(0, below(chosen.length + 1));
    case 2: return Buffer.concat([chosen, pick(parts)]);
    case 3: return Buffer.from(Array.from({ length: below(40) }, () => below(256)));
    default: return chosen;
  }
}

const numbers = [0, 1, 2, 3, 7, 100, 4_096, 8_192, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 41, 2 ** 53, 2 ** 64, 1e300, -1, -0.5, 0.5, NaN, Infinity, -Infinity];
const strings = (): string => pick([() => bytes().toString(), () => pick(["", "/", "/a", "/a/0", "/n", "/a/1/b", "/t", "session", "\ud83d", "/~2"])])();

const states = texts.flatMap((text) => {
  try {
    return [JSON.parse(text.toString().split("\0")[0]!) as unknown];
  } catch {
    return [];
  }
});

/** Plain values that the core reads, of the seeds or none that a state may be; some fail while they are read. */
function values(count: number): Values {
  const hostile = { get failing() { throw new Error("no"); }, list: [1, { get also() { throw new Error("no"); } }], n: 1, t: "x" };
  const one = (): unknown => [() => pick(states), () => pick(states), () => anything(), () => ({ a: [1, { b: "text" }, []], n: 1.5, t: "é" }), () => hostile, () => new Proxy(hostile, {})][below(6)]!();
  return new Values(Array.from({ length: count }, one));
}

function anything(depth = 0): unknown {
  switch (below(depth > 2 ? 6 : 8)) {
    case 0: return pick(numbers);
    case 1: return strings();
    case 2: return pick([true, false, null, undefined]);
    case 3: return pick([10n, Symbol("s"), () => 1, new Date(0), new Map(), new Uint8Array(3)]);
    case 4: case 5: return undefined;
    case 6: return Array.from({ length: below(4) }, () => anything(depth + 1));
    default: {
      const names = ["granularity", "arrayDelta", "counters", "texts", "history", "__proto__"];
      return Object.fromEntries(Array.from({ length: below(5) }, () => [pick(names), anything(depth + 1)]));
    }
  }
}

describe.each([["patchwire", patchwire], ["client", client]] as [string, typeof patchwire][])("every export of the module %s", (module, wasm) => {
  const { memory } = wasm.initSync({ module: readFileSync(new URL(`${module}.wasm`, built)) });

  /** What its .d.ts declares: `Class.method`, `new Class`, `function`. */
  function declared(): Map<string, Callable> {
    const found = new Map<string, Callable>();
    const source = readFileSync(new URL(`${module}.d.ts`, built), "utf8").replace(/\/\*[^]*?\*\//g, "");
    const parametersOf = (list: string): Callable["parameters"] =>
      list.split(", ").filter((one) => one !== "").map((one) => ({ name: one.slice(0, one.indexOf(":")).replace("?", ""), type: one.slice(one.indexOf(":") + 2) }));
    for (const [, owner, body] of source.matchAll(/export class (\w+) \{([^]*?)\n\}/g)) {
      for (const [, isStatic, name, list] of body!.matchAll(/^ {4}(static )?(\w+)\((.*?)\)(?:: .*)?;/gm)) {
        const isNew = name === "constructor";
        found.set(isNew ? `new ${owner}` : `${owner}.${name}`, { name: name!, owner: owner!, isStatic: isNew || isStatic !== undefined, parameters: parametersOf(list!) });
      }
      for (const [, name] of body!.matchAll(/^ {4}readonly (\w+):/gm)) found.set(`${owner}.${name}`, { name: name!, owner: owner!, isStatic: false, parameters: [] });
    }
    for (const [, name, list] of source.matchAll(/^export function (\w+)\((.*?)\):/gm)) found.set(name!, { name: name!, isStatic: true, parameters: parametersOf(list!) });
    return found;
  }

  /** What the module has, by reflection. */
  function exported(): string[] {
    const members = (owner: string, of: object): string[] =>
      Object.getOwnPropertyNames(of).filter((name) => !/^(length|name|prototype|constructor|__\w+)$/.test(name)).map((name) => `${owner}.${name}`);
    return Object.entries(wasm).flatMap(([name, value]) => {
      if (typeof value !== "function") return [];
      const isClass = "prototype" in value && "free" in value.prototype;
      return isClass ? [name, ...members(name, value), ...members(name, value.prototype)] : [name];
    });
  }

  const callables = declared();
  // These start, stop and replace the module itself.
  for (const lifecycle of ["initSync", "__wbg_reset_state"]) callables.delete(lifecycle);

  test("the declarations name all that is exported", () => {
    const classes = new Set([...callables.values()].flatMap(({ owner }) => owner ?? []));
    const known = [...callables.keys()].filter((name) => !name.startsWith("new ")).concat([...classes]);
    expect(exported().filter((name) => !["default", "initSync", "__wbg_reset_state"].includes(name)).sort()).toEqual(known.sort());
  });

  const live = new Map<string, Handle[]>();

  /** A live object of a class; the first is made of something that works. */
  function handle(owner: string): Handle {
    const known = live.get(owner);
    if (known !== undefined && known.length > 0) return pick(known);
    const made = make[owner];
    if (made === undefined) throw new Error(`nobody knows how to make a ${owner}`);
    return keep(made());
  }

  const something = Buffer.from('{"a":[1,{"b":"text"},[]],"n":1.5,"t":"\u00e9"}');
  const make: { [owner: string]: () => Handle } = {
    Arena: () => new wasm.Arena(),
    DocumentHandle: () => patchwire.DocumentHandle.parse(filled(something), something.length, NONE),
    TrackerCore: () => new patchwire.TrackerCore(handle("DocumentHandle") as patchwire.DocumentHandle, ["path", false, [], [], undefined], NONE),
    SessionHandle: () => patchwire.SessionHandle.create("session", handle("DocumentHandle") as patchwire.DocumentHandle, NONE, tables([]), new Plan()),
    ClientHandle: () => new client.ClientHandle(NONE, false, 1),
    ReducersHandle: () => {
      const [state, values] = [Buffer.from('{"scratch":{"n":1},"artifacts":{},"visitedNodes":[],"iteration":0}'), Buffer.from('[{"scratch":{"n":2},"artifacts":{}}]')];
      const reducers = new patchwire.ReducersHandle([["/scratch/n", "sum"]]);
      reducers.read(filled(state, values), state.length, state.length + values.length);
      return reducers;
    },
    MergeHandle: () => new patchwire.MergeHandle(values(1), filled(Buffer.from("[]")), 2, false, NONE),
    ChangeHandle: () => new patchwire.ChangeHandle(filled(something, Buffer.from("{}")), something.length, something.length + 2, true, NONE),
  };

  /** A string and a number where pointers lead. */
  function place(target: unknown): void {
    const patch = Buffer.from('[{"op":"replace","path":"","value":{"n":1,"t":"x","a":[1]}}]');
    (target as patchwire.TrackerCore).apply(filled(patch), patch.length, false);
  }

  /** The stream or the checkpoint that was made last: no two have one number. */
  let lastMade = 0;

  function begin(target: unknown, text = ""): void {
    const tracker = target as patchwire.TrackerCore;
    const root = Buffer.from(text);
    lastMade = tracker.stream(filled(Buffer.from("")), 0);
    tracker.write(lastMade, filled(root), root.length);
  }

  /** What some calls need first, and chance hardly ever brings. */
  const first: { [name: string]: (target: unknown) => void } = {
    "TrackerCore.append": place,
    "TrackerCore.increment": place,
    "TrackerCore.stream": place,
    "TrackerCore.write": begin,
    "TrackerCore.end": (target) => begin(target, "[1]"),
    "TrackerCore.abort": (target) => begin(target, "[1"),
    "TrackerCore.restore": (target) => (lastMade = (target as patchwire.TrackerCore).checkpoint()),
  };

  function keep(made: Handle): Handle {
    const known = live.get(made.constructor.name) ?? [];
    live.set(made.constructor.name, known);
    known.push(made);
    if (known.length > 6) known.splice(below(known.length), 1)[0]!.free();
    return made;
  }

  function filled(...contents: Buffer[]): patchwire.Arena {
    const arena = handle("Arena") as patchwire.Arena;
    const all = Buffer.concat(contents);
    const start = arena.reserve(all.length) >>> 0;
    new Uint8Array(memory.buffer).set(all, start);
    return arena;
  }

  type Written = readonly (string | number | Uint8Array)[];

  /** What a session writes. Chance doesn't find its hashes. */
  function written(): Written[] {
    const patch = Buffer.from('[{"op":"replace","path":"","value":"what no document is"}]');
    const plan = new Plan();
    const session = patchwire.SessionHandle.create("session", handle("DocumentHandle") as patchwire.DocumentHandle, NONE, tables([]), plan);
    const tracker = session.tracker();
    tracker.apply(filled(patch), patch.length, false);
    // Nothing is committed where the state was that already.
    session.commit(handle("Arena") as patchwire.Arena, 0, plan);
    tracker.free();
    session.free();
    return plan.rows;
  }

  const views = (): string => (below(4) === 0 ? strings() : pick(["{}", '{"exclude":["/a"]}', '{"include":["/a/*/b","/n"],"exclude":["/a/*/b/c"]}', '{"include":[]}']));

  /** Some of the rows are lost, or something is changed in them. */
  function damaged(rows: Written[]): Written[] {
    const left = rows.filter(() => below(12) > 0);
    return left.map((row) => (below(12) > 0 ? row : row.map((field, i) => (i === 0 || below(3) > 0 ? field : typeof field === "number" ? pick(numbers) : strings()))));
  }

  /** Tables with these rows, as the core reads them. */
  function tables(rows: Written[]): object {
    const of = (statement: string) => rows.filter(([written]) => written === statement);
    const bytes = (numbers: unknown[], text: unknown) => Buffer.concat([Buffer.from(`${numbers.join(",")}\n`), Buffer.from(text as string)]);
    const one = (statement: string, id: number) => of(statement).filter(([, known]) => known === id).map(([, , hash, text]) => bytes([hash], text))[0] ?? new Uint8Array();
    const ids = (statement: string) => of(statement).map(([, id]) => Number(id)).sort((a, b) => a - b);
    return {
      meta: () => of("putMeta").map(([, format, session, tail, folding]) => bytes([format, tail, folding], session)).at(-1) ?? new Uint8Array(),
      chunk: (id: number) => one("putChunk", id),
      left: (given: Float64Array) => given.filter((id) => ids("putChunk").includes(id)),
      hashes: (from: number) => Float64Array.from(of("putChunk").filter(([, id]) => (id as number) >= from).flatMap(([, id, hash]) => [Number(id), Number(hash)])),
      roots: () => Float64Array.from(ids("putRoot")),
      root: (revision: number) => one("putRoot", revision),
      log: (from: number) => of("putLog").filter(([, id]) => (id as number) >= from).map(([, id, last, hash, patch]) => bytes([id, last, hash], patch))[0] ?? new Uint8Array(),
      logged: (from: number, before: number, most: number) => Float64Array.from(ids("putLog").filter((id) => id >= from && id < before).reverse().slice(0, most)),
      pinned: () => below(2) === 0,
      now: () => pick(numbers),
      failed: () => {},
    };
  }

  function argumentsFor({ name: called, owner, parameters }: Callable): unknown[] {
    // What begins with a pointer, which no seed is.
    const isPointer = /^(get|stream|append|increment)$/.test(called) && below(2) === 0;
    const isView = called === "filter_patch" && below(4) > 0;
    const isGraph = called === "graph_patch" && below(4) === 0;
    const fitting = isGraph ? ['{"scratch":{"n":1}}', '{"state":{"scratch":{"n":2}}}'].map((text) => Buffer.from(text)) : below(2) === 0 ? pick(pairs) : [bytes(), below(3) === 0 ? Buffer.alloc(0) : bytes()];
    const [first, second] = [isPointer ? Buffer.from(pick(["/t", "/n", "/a/0", "/a/1/b"])) : fitting[0]!, isPointer ? Buffer.from("more") : isView ? Buffer.from('{"exclude":["/a"]}') : fitting[1]!];
    const splits = parameters.some(({ name }) => name === "split");
    return parameters.map(({ name, type }) => {
      if ((name === "stream" || name === "checkpoint") && below(2) === 0) return lastMade;
      if (name === "split" && below(8) > 0) return first.length;
      if ((name === "length" || name === "end") && below(8) > 0) return first.length + (splits ? second.length : 0);
      switch (type) {
        case "Arena": return filled(first, ...(splits ? [second] : []));
        // Room is asked for texts that exist. What happens where there is none: engine-lost.test.ts.
        case "number": return name === "length" ? below(1_000) : below(3) === 0 ? pick(numbers) : below(4);
        case "number | null": return below(3) === 0 ? undefined : below(1_000);
        case "string": return name === "view" ? views() : strings();
        case "string | null":
        case "string | null | undefined": return below(3) === 0 ? undefined : name === "view" ? views() : strings();
        case "boolean": return below(2) === 0;
        // The only ones of any type that aren't values.
        case "any": return name === "plan" ? new Plan() : name === "table" ? tables(below(2) === 0 ? written() : damaged(written())) : name === "key" ? anything() : values(called === "diff" ? 2 : 1 + below(3));
        case "any | null | undefined": return below(2) === 0 ? undefined : values(1);
        case "Array<any>": return name === "options" ? Array.from({ length: below(7) }, anything) : [];
        case "Float64Array | number[]": return below(4) > 0 ? NONE : Float64Array.from({ length: below(8) }, () => pick(numbers));
        case "Uint32Array | number[]": return Uint32Array.from({ length: below(4) }, () => below(6));
        default: return handle(type);
      }
    });
  }

  function attemptFirst(name: string, target: unknown): void {
    try {
      first[name]!(target);
    } catch (error) {
      if (typeof error !== "string" || !codes.test(error)) throw error;
    }
  }

  /** Calls it; returns whether it did what was asked, or said why not. */
  function attempt(name: string): "returned" | "refused" {
    const callable = callables.get(name)!;
    const owner = callable.owner === undefined ? undefined : (wasm as unknown as { [owner: string]: new (...args: unknown[]) => Handle })[callable.owner]!;
    const target = owner === undefined ? wasm : callable.isStatic ? owner : handle(callable.owner!);
    const consumed = name === "MergeHandle.run" || name === "ChangeHandle.run" || callable.name === "free";
    if (below(2) === 0 && name in first) attemptFirst(name, target);
    const args = argumentsFor(callable);
    if (consumed) live.set(callable.owner!, live.get(callable.owner!)!.filter((one) => one !== target));
    reading.failure = null;
    try {
      const member = callable.name === "constructor" ? new owner!(...args) : (target as unknown as { [name: string]: unknown })[callable.name];
      const result: unknown = typeof member === "function" ? Reflect.apply(member, target, args) : member;
      // What was made of values that can't be read is thrown away.
      if (reading.failure !== null) return "refused";
      if (typeof result === "object" && result !== null && result.constructor.name in make) keep(result as Handle);
      return "returned";
    } catch (error) {
      if (typeof error === "string" && codes.test(error)) return "refused";
      throw new Error(`${name}(${args.map((arg) => (typeof arg === "object" ? arg?.constructor.name : String(arg))).join(", ")})`, { cause: error });
    }
  }

  test("returns or throws a coded error, whatever it is called with", () => {
    const names = [...callables.keys()];
    const outcomes = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
    for (let run = 0; run < asked(2000).numRuns * 100; run++) {
      const name = pick(names);
      outcomes.get(name)!.add(attempt(name));
    }
    for (const [name, seen] of outcomes) expect(seen, `${name} never did anything`).toContain("returned");
  });

  test("leaves an engine that still works", () => {
    if (module === "client") {
      const handle = new client.ClientHandle(NONE, false, 1);
      expect(handle.start(0)).toBe("[[0,1]]");
      expect(JSON.parse(handle.opened(1, 0))).toEqual([[1, expect.stringContaining("hello")]]);
    } else {
      const text = Buffer.from('{"a":[1]}');
      const document = patchwire.DocumentHandle.parse(filled(text), text.length, NONE);
      const patch = Buffer.from('[{"op":"add","path":"/a/-","value":2}]');
      expect(document.apply(filled(patch), patch.length).text()).toBe('{"a":[1,2]}');
    }
  });
});
