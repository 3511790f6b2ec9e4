import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, PatchwireError, StateDocument, StateTracker } from "patchwire";
import { json, type Json } from "../support/program.ts";
import { onTracker, wayIn } from "../support/ways-in.ts";
import { asked } from "../support/runs.ts";

// JSON that arrives in chunks: the view is the document and the text parsed so far, whatever happens meanwhile.

const runs = asked(3000);
const timeout = 90_000;

/** The text cut anywhere, between the halves of a pair too. */
function chunksOf(text: string, cuts: number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => text.slice(places[i], end));
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof PatchwireError ? error.code : String(error);
  }
  return undefined;
}

const spelled = fc.tuple(json, fc.constantFrom(undefined, 1, "\t")).map(([value, space]) => JSON.stringify(value, null, space));
const cuts = fc.array(fc.nat(10_000), { maxLength: 12 });

test("the value is JSON.parse's, the view is the document, and patches lead to both after every chunk", () => {
  fc.assert(
    fc.property(spelled, cuts, fc.constantFrom(false, true, "precise" as const), fc.boolean(), wayIn, (text, cuts, arrayDeltaMode, reads, way) => onTracker(way, { list: [1, { old: [true] }, [[]]] }, { arrayDeltaMode }, (tracker) => {
      const wire = tracker.cursor();
      let follower: unknown = { list: [1, { old: [true] }, [[]]] };
      const stream = tracker.stream("/list/1");
      for (const chunk of chunksOf(text, cuts)) {
        stream.write(chunk);
        if (!reads) continue;
        expect(tracker.getState()).toEqual(tracker.document().toJSON());
        follower = applyPatch(follower, wire.patches({ dialect: "extended" }));
        wire.advance();
        expect(follower).toEqual(tracker.getState());
      }
      stream.end();
      const whole = { list: [1, JSON.parse(text) as Json, [[]]] };
      expect(tracker.document().toJSON()).toEqual(whole);
      expect(tracker.getState()).toEqual(whole);
      expect(applyPatch(follower, wire.patches())).toEqual(whole);
    })),
    runs,
  );
}, timeout);

test("other changes go on meanwhile, and the value arrives where its place has gone", () => {
  const other = fc.record({ what: fc.nat(6), at: fc.nat(9) });
  fc.assert(
    fc.property(spelled, cuts, fc.array(other, { maxLength: 8 }), fc.boolean(), wayIn, (text, cuts, others, aborts, way) => onTracker(way, { list: [["a"], ["here"], ["z"]], text: "", n: 0 }, {}, (tracker) => {
      const oracle = { list: [["a"], aborts ? ["here"] : (JSON.parse(text) as Json), ["z"]] as Json[], text: "", n: 0 };
      const stream = tracker.stream("/list/1");
      const chunks = chunksOf(text, cuts);
      let place = 1;
      for (const { what, at } of others) {
        stream.write(chunks.shift() ?? "");
        const index = at % oracle.list.length;
        const both = (change: (state: { list: Json[]; n: number }) => void): void => {
          tracker.update((draft) => change(draft as unknown as { list: Json[]; n: number }));
          change(oracle);
        };
        if (what === 0) both((state) => void state.list.splice(index, 0, { at }));
        else if (what === 1 && index !== place) both((state) => void state.list.splice(index, 1));
        else if (what === 2) both((state) => void state.list.reverse());
        else if (what === 3) both((state) => void state.n++);
        else if (what === 4) {
          tracker.append("/text", "é");
          oracle.text += "é";
        } else if (what === 5) {
          tracker.apply([{ op: "add", path: `/list/${index}`, value: at }]);
          oracle.list.splice(index, 0, at);
        } else continue;
        if (what === 2) place = oracle.list.length - 1 - place;
        if ((what === 0 || what === 5) && index <= place) place++;
        if (what === 1 && index < place) place--;
        expect((tracker.getState() as { n: number }).n).toBe(oracle.n);
      }
      for (const chunk of chunks) stream.write(chunk);
      if (aborts) stream.abort();
      else stream.end();
      expect(tracker.getState()).toEqual(oracle);
      expect(tracker.document().toJSON()).toEqual(oracle);
    })),
    runs,
  );
}, timeout);

test("lone surrogates stay what they are, and pairs are never told by halves", () => {
  for (const text of ['"a😀b"', '"\\ud83d\\ude00"', '"\\ud83dx"', `"${"\ud83d"}"`, `"${"\ude00"}x${"\ud83d"}"`]) {
    const tracker = new StateTracker<Json>("");
    const wire = tracker.cursor();
    const stream = tracker.stream("");
    const seen: string[] = [];
    for (let i = 0; i < text.length; i++) {
      stream.write(text[i]!);
      seen.push(wire.patchText({ dialect: "extended" }));
      wire.advance();
    }
    stream.end();
    expect(tracker.getState()).toBe(JSON.parse(text));
    expect(tracker.document().get("")).toBe(JSON.parse(text));
    if (text.includes("😀") || text.includes("\\ude00")) expect(seen.join("")).not.toMatch(/\\ud/);
  }
});

test("bytes may be cut within a character", () => {
  const value = { "é😀": ["ü", "\u0000"] };
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const tracker = new StateTracker<Json>(null);
  const stream = tracker.stream("");
  for (const byte of bytes) stream.write(Uint8Array.of(byte));
  stream.end();
  expect(tracker.getState()).toEqual(value);
});

test("half a pair at the end of a chunk is there for bytes that follow", () => {
  const tracker = new StateTracker<Json>(null);
  const stream = tracker.stream("");
  stream.write('"\ud83d');
  expect(codeOf(() => stream.end())).toBe("INVALID_JSON");
  stream.write(new TextEncoder().encode('x"'));
  stream.end();
  expect(tracker.getState()).toBe("\ud83dx");
});

describe("bad input", () => {
  test("the chunk that has a fault changes nothing, and says where in the whole text it is", () => {
    const tracker = new StateTracker<Json>({ x: "old" });
    const stream = tracker.stream("/x");
    stream.write('{"é":');
    const before = tracker.getState();
    for (let again = 0; again < 2; again++) {
      expect(() => stream.write(' "more" ] ')).toThrow(expect.objectContaining({ code: "INVALID_JSON", offset: 14 }));
      expect(() => stream.end()).toThrow(expect.objectContaining({ code: "INVALID_JSON", offset: 14 }));
      expect(tracker.getState()).toBe(before);
    }
    stream.abort();
    expect(tracker.getState()).toEqual({ x: "old" });
    expect(tracker.getPatchText()).toBe("[]");
    expect([() => stream.write(""), () => stream.end(), () => stream.abort()].map(codeOf)).toEqual(["CLOSED", "CLOSED", "CLOSED"]);
  });

  test("a text that isn't finished may go on", () => {
    const tracker = new StateTracker<Json>({});
    const stream = tracker.stream("/x");
    stream.write("[1");
    expect(() => stream.end()).toThrow(expect.objectContaining({ code: "INVALID_JSON", offset: 2 }));
    stream.write("2]");
    stream.end();
    expect(tracker.getState()).toEqual({ x: [12] });
    expect(codeOf(() => stream.write(" "))).toBe("CLOSED");
  });

  test("a place that is gone closes the stream", () => {
    const tracker = new StateTracker<{ list: Json[] }>({ list: [1] });
    const stream = tracker.stream("/list/-");
    stream.write('{"a":[');
    tracker.update((draft) => void draft.list.pop());
    expect(codeOf(() => stream.write("1"))).toBe("PATH_NOT_FOUND");
    expect(codeOf(() => stream.write("1"))).toBe("CLOSED");
    expect(tracker.getState()).toEqual({ list: [1] });
  });

  test("places that can't be written to", () => {
    const tracker = new StateTracker<Json>({ list: [1], text: "t" });
    const at = (pointer: string): string | undefined => codeOf(() => tracker.stream(pointer));
    expect(["/a/b", "/text/0", "/list/x", "/list/1", "list", "/list/-/a"].map(at)).toEqual([
      "PATH_NOT_FOUND", "PATH_NOT_FOUND", "PATH_NOT_FOUND", "INDEX_OUT_OF_RANGE", "INVALID_POINTER", "PATH_NOT_FOUND",
    ]);
  });

  test("a recipe that is running keeps streams out", () => {
    const tracker = new StateTracker<Json>({ x: 1 });
    const stream = tracker.stream("/x");
    tracker.update(() => {
      const tries = [() => tracker.stream("/x"), () => stream.write("2"), () => stream.end(), () => stream.abort(), () => tracker.undo(), () => tracker.redo()];
      expect(tries.map(codeOf)).toEqual(tries.map(() => "TRACKER_BUSY"));
    });
    stream.write("2");
    stream.end();
    expect(tracker.getState()).toEqual({ x: 2 });
  });

  test.each([
    ["depth", { depth: 4 }, "[[[[", 3],
    ["string", { string: 10 }, '"12345678901', 12],
    ["document", { document: 40 }, `[${" ".repeat(50)}`, undefined],
  ])("over the %s limit", (_, limits, text, offset) => {
    const tracker = new StateTracker<Json>({ x: 1 }, { limits });
    const stream = tracker.stream("/x");
    const before = tracker.getState();
    const error = expect.objectContaining({ code: "LIMIT_EXCEEDED", ...(offset === undefined ? {} : { offset }) });
    expect(() => stream.write(text)).toThrow(error);
    expect(tracker.getState()).toBe(before);
    stream.abort();
  });

  test("member names that mean something to JavaScript are members", () => {
    const text = '{"__proto__":{"polluted":1},"constructor":[{"__proto__":"x"}],"__proto__":{"twice":{}}}';
    for (const size of [1, 5, 1000]) {
      const tracker = new StateTracker<Json>({ x: 1 });
      const stream = tracker.stream("/x");
      for (let i = 0; i < text.length; i += size) {
        stream.write(text.slice(i, i + size));
        tracker.getState();
      }
      stream.end();
      expect(JSON.stringify(tracker.getState())).toBe(JSON.stringify({ x: JSON.parse(text) as Json }));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }
  });
});

test("a document that nobody has read is streamed into, and then read", () => {
  const tracker = new StateTracker<Json>(StateDocument.parse('{"a":[1],"b":"x"}'));
  const stream = tracker.stream("/a/-");
  stream.write('{"c":"d');
  expect(tracker.getState()).toEqual({ a: [1, { c: "d" }], b: "x" });
  stream.write('"}');
  stream.end();
  expect(tracker.getState()).toEqual({ a: [1, { c: "d" }], b: "x" });
});

test("two streams at once", () => {
  const tracker = new StateTracker<Json>({ list: [] });
  const streams = [tracker.stream("/list/-"), tracker.stream("/list/-")] as const;
  for (const piece of ["[", "1", ",2]"]) {
    streams[0].write(piece);
    streams[1].write(piece.replace("1", '"a"'));
  }
  streams[0].end();
  streams[1].end();
  expect(tracker.getState()).toEqual({ list: [[1, 2], ["a", 2]] });
});

test("what hasn't changed stays the same object, and what is returned stays what it was", () => {
  const tracker = new StateTracker({ kept: { a: [1] }, x: null as Json, n: 0 });
  const { kept } = tracker.getState();
  const stream = tracker.stream("/x");
  stream.write('{"a":"b');
  tracker.update((draft) => void draft.n++);
  const version = tracker.getState();
  stream.write('c"}');
  expect(tracker.getState().kept).toBe(kept);
  expect(version).toEqual({ kept, x: { a: "b" }, n: 1 });
  expect(tracker.getState().x).toEqual({ a: "bc" });
});
