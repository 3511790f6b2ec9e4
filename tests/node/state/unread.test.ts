import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StateDocument, StateTracker, type StateTrackerOptions } from "patchwire";

// What is read of a document when a tracker stands over it: crossings and characters are counted, not milliseconds.

interface Item {
  id: number;
  content: string;
  tags: string[];
}
interface State {
  title: string;
  count: number;
  settings: { theme: string; sizes: number[] };
  items: Item[];
  byId: Record<string, Item>;
  log: string[];
  copy?: unknown;
}

const SIZE = 5_000;
const item = (id: number): Item => ({ id, content: `what item ${id} says`, tags: ["a", "b"] });
const items = Array.from({ length: SIZE }, (_, id) => item(id));
const state: State = {
  title: "a session",
  count: 3,
  settings: { theme: "dark", sizes: [1, 2] },
  items,
  byId: Object.fromEntries(items.map((one) => [`k${one.id}`, one])),
  log: Array.from({ length: SIZE }, (_, i) => `line ${i}`),
};
const text = JSON.stringify(state);

const handles = Object.getPrototypeOf(StateDocument.parse("0").handle) as Record<string, (...given: unknown[]) => string>;
const originals = { ...handles, open: handles.open!, read: handles.read!, text: handles.text!, bytes: handles.bytes!, get: handles.get!, free: handles.free! };
const counted = { crossings: 0, characters: 0, freed: 0 };

beforeEach(() => {
  Object.assign(counted, { crossings: 0, characters: 0, freed: 0 });
  for (const name of ["open", "read", "text", "bytes", "get"] as const) {
    handles[name] = function (...given) {
      const answer = originals[name].apply(this, given);
      counted.crossings++;
      counted.characters += answer.length;
      return answer;
    };
  }
  handles.free = function () {
    counted.freed++;
    return originals.free.apply(this);
  };
});

afterEach(() => void Object.assign(handles, originals));

function open(options: StateTrackerOptions = { arrayDeltaMode: "precise" }): StateTracker<State> {
  const document = StateDocument.parse(text);
  const tracker = new StateTracker<State>(document, options);
  document.free();
  counted.freed = 0;
  return tracker;
}

/** Far less than any list has. */
const little = 1_000;

describe("a recipe reads what it touches", () => {
  const recipes: [string, (draft: State) => void, string][] = [
    ["a push", (draft) => void draft.items.push(item(7)), '[{"op":"add","path":"/items/-","value":{"id":7,"content":"what item 7 says","tags":["a","b"]}}]'],
    ["a member", (draft) => void draft.count++, '[{"op":"replace","path":"/count","value":4}]'],
    ["a leaf", (draft) => void (draft.items[2500]!.tags[1] = "c"), '[{"op":"replace","path":"/items/2500/tags/1","value":"c"}]'],
    ["a pop", (draft) => void draft.items.pop(), '[{"op":"remove","path":"/items/4999"}]'],
    ["a shift", (draft) => void draft.items.shift(), '[{"op":"remove","path":"/items/0"}]'],
    ["a splice", (draft) => void draft.items.splice(100, 1), '[{"op":"remove","path":"/items/100"}]'],
    ["a long list cut off", (draft) => void (draft.items.length = 4999), '[{"op":"remove","path":"/items/4999"}]'],
    ["a list emptied", (draft) => void (draft.log.length = 0), expect.stringContaining("/log") as unknown as string],
    ["an item replaced", (draft) => void (draft.items[9] = item(1)), expect.stringContaining("/items/9") as unknown as string],
    ["an item that stays what it is", (draft) => void (draft.log[9] = "line 9"), "[]"],
    ["a member deleted", (draft) => void delete (draft as Partial<State>).items, '[{"op":"remove","path":"/items"}]'],
    ["a list moved", (draft) => {
      draft.copy = draft.items;
      delete (draft as Partial<State>).items;
    }, '[{"op":"move","from":"/items","path":"/copy"}]'],
    ["a list in two places", (draft) => void (draft.copy = { list: draft.items }), expect.stringContaining('"path":"/copy"') as unknown as string],
    ["an item turned round", (draft) => void draft.log.reverse().reverse(), "[]"],
    ["a question", (draft) => void ("items" in draft && draft.items.length), "[]"],
    ["a look at the names", (draft) => void Object.keys(draft).forEach((name) => Object.hasOwn(draft, name)), "[]"],
  ];

  test.each(recipes)("%s", (_, recipe, patch) => {
    const tracker = open();
    tracker.update((draft) => void recipe(draft as State));
    expect(counted.crossings).toBeLessThan(8);
    expect(counted.characters).toBeLessThan(little);
    expect(tracker.getPatchText()).toEqual(patch);
    expect(counted.characters).toBeLessThan(little);
    const expected = (JSON.parse(text) as State);
    recipe(expected);
    expect(tracker.getState()).toEqual(expected);
    expect(tracker.document().toJSON()).toEqual(expected);
  });

  test("pointers and patches", () => {
    const tracker = open();
    tracker.append("/items/40/content", "!");
    tracker.increment("/items/41/id", 5);
    tracker.apply([{ op: "move", from: "/log/17", path: "/log/4000" }, { op: "add", path: "/items/0/tags/-", value: "new" }]);
    expect(counted.crossings).toBeLessThan(12);
    expect(counted.characters).toBeLessThan(little);
    const expected = (JSON.parse(text) as State);
    expected.items[40]!.content += "!";
    expected.items[41]!.id += 5;
    expected.log.splice(4000, 0, ...expected.log.splice(17, 1));
    expected.items[0]!.tags.push("new");
    expect(tracker.getState()).toEqual(expected);
  });

  test("walking through a list reads it in bulk, here and there one by one", () => {
    const tracker = open();
    tracker.update((draft) => {
      for (let i = 0; i < SIZE; i += 500) expect(draft.items[i]!.id).toBe(i);
      expect(counted.crossings).toBe(2 + SIZE / 500);
    });
    counted.crossings = 0;
    tracker.update((draft) => {
      expect(draft.items.reduce((sum, one) => sum + one.id, 0)).toBe((SIZE * (SIZE - 1)) / 2);
      expect(counted.crossings).toBeLessThan(80);
      counted.crossings = 0;
      expect(draft.log.findLastIndex((line) => line === "line 0")).toBe(0);
      expect(Object.values(draft.byId).length).toBe(SIZE);
      expect(counted.crossings).toBeLessThan(60);
    });
    expect(tracker.getState()).toEqual(state);
  });
});

describe("the whole state", () => {
  test("is read at once, once, and then the document's memory is given back", () => {
    const tracker = open();
    tracker.update((draft) => void draft.items.push(item(1)));
    expect(counted.freed).toBe(0);
    const read = tracker.getState();
    expect(counted.crossings).toBeLessThan(30);
    expect(counted.characters).toBeLessThan(text.length * 1.2);
    expect(counted.freed).toBe(1);
    counted.crossings = 0;
    tracker.update((draft) => void draft.count++);
    expect(tracker.getState().items).toBe(read.items);
    expect(tracker.getState().byId).toBe(read.byId);
    expect(counted.crossings).toBe(0);
    expect([Object.isFrozen(read.byId), Object.isFrozen(read.items), Object.isFrozen(read.items[3]!.tags)]).toEqual([true, true, true]);
  });

  test("of a small document is read when it is opened", () => {
    const document = StateDocument.parse('{"a":[1]}');
    const tracker = new StateTracker<{ a: number[] }>(document);
    tracker.update((draft) => void draft.a.push(2));
    expect([counted.crossings, counted.freed]).toEqual([1, 1]);
    expect(tracker.getState()).toEqual({ a: [1, 2] });
  });
});

test("an older version keeps what has been deleted since", () => {
  const tracker = open();
  tracker.update((draft) => void draft.count++);
  const before = tracker.getState();
  tracker.update((draft) => {
    delete (draft as Partial<State>).byId;
    draft.items.reverse();
  });
  const after = tracker.getState();
  expect(after.items[0]).toEqual(items.at(-1));
  expect(before.byId).toEqual(state.byId);
  expect(before.items).toEqual(items);
  expect(before.items[0]).toBe(after.items.at(-1));
});

test("reading that fails fails what needed it, and nothing else", () => {
  const tracker = open();
  tracker.update((draft) => void draft.count++);
  tracker.update((draft) => void (draft.log.reverse(), delete (draft as Partial<State>).items));
  const { read } = handles;
  handles.read = () => {
    throw new Error("no");
  };
  expect(() => tracker.update((draft) => void (draft.count++, draft.log.sort()))).toThrow("no");
  expect(() => tracker.getState()).toThrow("no");
  handles.read = read!;
  tracker.update((draft) => void draft.settings.sizes.push(3));
  const { items: _, ...rest } = state;
  expect(tracker.getState()).toEqual({ ...rest, count: 4, settings: { theme: "dark", sizes: [1, 2, 3] }, log: state.log.toReversed() });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});

test("a draft of another tracker is read when it is taken in", () => {
  const [ours, theirs] = [open(), new StateTracker<{ taken?: unknown }>({})];
  ours.update((draft) => theirs.update((other) => void (other.taken = draft.items)));
  expect(theirs.getState()).toEqual({ taken: items });
});

test("a member that hasn't been read can be described, and read and written by its description", () => {
  const tracker = open();
  tracker.update((draft) => {
    const described = Object.getOwnPropertyDescriptor(draft, "items")!;
    expect(described).toMatchObject({ enumerable: true, configurable: true });
    expect(described.get!()).toBe(draft.items);
    expect(Object.getOwnPropertyDescriptor(draft, "items")!.value).toBe(draft.items);
    Object.getOwnPropertyDescriptor(draft, "log")!.set!.call(draft, ["new"]);
  });
  expect(tracker.getState()).toEqual({ ...state, log: ["new"] });
});

test("names that mean something else elsewhere, and names with half a character", () => {
  const names = ["__proto__", "constructor", "length", "\ud83d", "10", "2", "toJSON"];
  const source = `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(items)}`).join()},"n":1}`;
  const tracker = new StateTracker<Record<string, Item[]>>(StateDocument.parse(source));
  tracker.update((draft) => names.forEach((name, i) => void (Object.getOwnPropertyDescriptor(draft, name)!.get!() as Item[])[i]!.tags.pop()));
  expect(counted.characters).toBeLessThan(little);
  const expected = JSON.parse(source) as Record<string, Item[]>;
  names.forEach((name, i) => void (Object.getOwnPropertyDescriptor(expected, name)!.value as Item[])[i]!.tags.pop());
  expect(JSON.stringify(tracker.getState())).toBe(JSON.stringify(expected));
  expect(tracker.document().toJSON()).toEqual(expected);
});

test("a patch can be the first thing that happens", () => {
  const tracker = open();
  tracker.apply([{ op: "add", path: "/log/-", value: "last" }]);
  expect(tracker.getState().log.slice(-2)).toEqual([`line ${SIZE - 1}`, "last"]);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
