// The module for Node and Workers reads and prints numbers without asking JavaScript: what it does is what JavaScript does.
import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { seed } from "../support/runs.ts";

const COUNT = 1_000_000;
const PORTION = 50_000;

const view = new DataView(new ArrayBuffer(8));

/** Doubles of any bits, of few, between 0 and 1, and integers around the last that is exact. */
function* doubles(): Generator<number> {
  let state = seed;
  const bits = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) ^ (state >>> 15);
  for (;;) {
    view.setUint32(0, bits());
    view.setUint32(4, bits());
    const any = view.getFloat64(0);
    if (Number.isFinite(any)) yield any;
    const unit = (view.getUint32(0) * 2 ** 21 + (view.getUint32(4) >>> 11)) / 2 ** 53;
    yield unit * 2 - 1;
    yield unit * 10 ** ((bits() % 50) - 25);
    yield (bits() % 2 ** 20) / 10 ** (bits() % 12);
    yield 2 ** 53 + (bits() % 2000) - 1000;
    view.setUint32(0, bits());
    view.setUint32(4, 0);
    if (Number.isFinite(view.getFloat64(0))) yield view.getFloat64(0);
  }
}

const edges = [
  5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308, 1e21, 1e20, 123456789012345680000, 1e-6, 1e-7,
  1.5e-7, 0.000001234567890123456, 9007199254740991, 9007199254740992, 9007199254740994, 2 ** 63, 2 ** 64, 1e23, 9.5e-7, 4.35, 0.1 + 0.2, 1 / 3,
  2 ** -1074 * 3, 2 ** 52 + 0.5, 2 ** -25, 8.41e21, 2.0919495182368195e19, 5e22, 4.4501477170144023e-308, 1e15, 1e16, 1e17,
];

function same(given: string, expected: string): void {
  // A list of so many would be told whole.
  if (given === expected) return;
  const [a, b] = [given.slice(1, -1).split(","), expected.slice(1, -1).split(",")];
  const at = a.findIndex((text, i) => text !== b[i]);
  expect([a[at], b[at]]).toEqual([b[at], b[at]]);
}

const decoder = new TextDecoder();
const printed = (text: string) => {
  const document = StateDocument.parse(text);
  const bytes = document.toBytes();
  document.free();
  return decoder.decode(bytes);
};

test("numbers are printed as JavaScript prints them, and read as it reads them", () => {
  const source = doubles();
  for (let done = 0; done < COUNT; done += PORTION) {
    const list = done === 0 ? edges : Array.from({ length: PORTION }, () => source.next().value as number);
    const text = JSON.stringify(list);
    const tracker = new StateTracker<{ list: number[] }>({ list: [] });
    // As doubles, which the core prints.
    tracker.update((draft) => void (draft.list = list));
    const document = tracker.document();
    same(decoder.decode(document.toBytes()).slice(8, -1), text);
    document.free();
    // As text that is known to be what would be printed, and as text that is read and printed.
    same(printed(text), text);
    same(printed(` ${text}`), text);
  }
}, 120_000);

test("a number that is written otherwise is printed as JavaScript prints what it reads", () => {
  const source = doubles();
  for (let done = 0; done < COUNT; done += PORTION) {
    const texts: string[] = [];
    while (texts.length < PORTION) {
      const text = String(source.next().value);
      const digit = String(texts.length % 10);
      texts.push(/e/.test(text) ? text.replace("e", `${digit}e`) : `${text}${/\./.test(text) ? digit : `.${digit}`}`);
      texts.push(text.replace(/\d(?=$|e)/, digit));
      if (/\d\d$/.test(text)) texts.push(text.slice(0, -1));
    }
    const list = texts.filter((text) => Number.isFinite(Number(text)) && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/.test(text));
    const text = `[${list.join(",")}]`;
    same(printed(text), JSON.stringify(JSON.parse(text)));
  }
}, 120_000);
