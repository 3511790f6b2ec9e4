// The documents that are measured. Each shape says how to build it and which changes stand for a row; `place` is
// where such a change happens, for the copy made by hand. Texts come from a fixed pool, so that making them isn't
// measured.

const words = 'the agent reads every open issue, groups them by what they have in common and writes down what it found — briefly'.split(' ');

function* random(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** A text of about `length` characters, the same for the same seed. */
export function text(length, seed) {
  const numbers = random(seed + 1);
  let out = '';
  while (out.length < length) out += `${words[Math.floor(numbers.next().value * words.length)]} `;
  // Written once, read often: flat, as a string that came in from outside is.
  return JSON.parse(JSON.stringify(out));
}

/** As a model streams them: words with the space before them, about five characters each. */
export function tokens(count) {
  const numbers = random(7);
  return Array.from({ length: count }, () => ` ${words[Math.floor(numbers.next().value * words.length)]}`.slice(0, 6));
}

const pool = Array.from({ length: 64 }, (_, i) => ({ short: `content of item ${i}, in a few words`, long: text(1000, i) }));
const short = (i) => pool[i % 64].short;
const long = (i) => pool[i % 64].long;

const item = (i) => ({ id: i, content: short(i), tags: ['alpha', 'beta'] });
const message = (i) => ({ id: i, role: i % 2 ? 'assistant' : 'user', content: long(i), tokens: 200 + (i % 50) });
const row = (i) => Array.from({ length: 10 }, (_, column) => i + column / 4);

/** As embeddings are, and computed fractions: 16 or 17 digits each. */
const fractions = random(11);
const vectors = Array.from({ length: 64 }, () => Array.from({ length: 16 }, () => ((fractions.next().value + fractions.next().value / 2 ** 32) * 2 - 1) / 3));
const chunk = (i) => ({ id: i, source: `page-${i}`, vector: vectors[i % 64].map((value) => value + i / 1024) });

/** Chats of other scripts; each with characters that JavaScript keeps in two bytes, or in two pairs of them. */
const scripts = {
  cjk: '知识就是力量，团结就是胜利。学而时习之，不亦说乎？有朋自远方来，不亦乐乎？',
  cyrillic: 'Агент читает каждую открытую задачу и записывает то, что нашёл. ',
  emoji: 'Fine 👍🏽 so far 😀, next comes the report 📈 and then a break 🍵! ',
};
const scriptText = (script, length, seed) => JSON.parse(JSON.stringify((scripts[script].slice(seed % 16) + scripts[script].repeat(Math.ceil(length / 16))).slice(0, length).toWellFormed()));
const scriptNames = Object.keys(scripts);
const otherTexts = Array.from({ length: 63 }, (_, i) => scriptText(scriptNames[i % 3], 400, i));
const other = (i) => otherTexts[i % 63];
const otherMessage = (i) => ({ id: i, role: i % 2 ? 'assistant' : 'user', content: other(i) });

/** What GitHub sends, as it was recorded. In Node alone: workerd has no files. */
const deliveries = () => {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const file = new URL('../node_modules/@octokit/webhooks-examples/api.github.com/index.json', import.meta.url);
  return (deliveries.read ??= JSON.parse(readFileSync(file, 'utf8')).flatMap(({ name, examples }) => examples.map((payload) => ({ event: name, seen: 0, payload }))));
};
const delivery = (i) => structuredClone(deliveries()[i % deliveries().length]);

function list(name, make, { nested, place }) {
  return {
    list: name,
    make,
    added: (i) => ({ op: 'add', path: `/${name}/-`, value: make(i) }),
    initial: (n) => ({ title: 'a session', count: 0, [name]: Array.from({ length: n }, (_, i) => make(i)) }),
    shrink: (draft, n) => draft[name].splice(n),
    set: { recipe: (draft, i) => (draft.count = i + 1), place: ['count'], value: (i) => i + 1 },
    push: { recipe: (draft, i) => draft[name].push(make(i)), place: [name], value: make, grows: true },
    nested: { recipe: (draft, i, n) => nested(draft[name][n >> 1], i), place: (n) => [name, n >> 1, ...place.path], value: place.value },
    three: {
      recipe(draft, i, n) {
        draft.count = i + 1;
        nested(draft[name][n >> 2], i);
        draft[name].push(make(i));
      },
      grows: true,
    },
    bounded: {
      recipe(draft, i) {
        draft[name].push(make(i));
        draft[name].shift();
      },
    },
    between: { recipe: (draft, i, n) => (draft[name].length > n ? draft[name].splice(n >> 1, 1) : draft[name].splice(n >> 2, 0, make(i))) },
    spread: { recipe: (draft, i, n) => (draft[name] = draft[name].length > n ? draft[name].filter((_, at) => at !== n >> 1) : [...draft[name], make(i)]) },
    moved: { recipe: (draft, _, n) => draft[name].splice(n >> 1, 0, ...draft[name].splice(1, 1)) },
    counted: {
      recipe(draft, i, n) {
        draft[name].splice(n >> 1, 0, ...draft[name].splice(1, 1));
        draft.moves = i;
      },
    },
    edited: { recipe: (draft, i) => draft[name].forEach((row) => (row.done = i % 2 === 0)) },
    capped: {
      recipe(draft, i, n) {
        draft[name].push(make(i));
        draft[name] = draft[name].slice(-n);
      },
    },
    refilled: {
      recipe(draft, i, n) {
        draft[name].length = 0;
        draft[name].push(...Array.from({ length: n }, (_, at) => make(i * n + at)));
      },
    },
    series: { recipe: (draft, i) => (draft.series = [...(draft.series ?? []), i * 1.37].slice(-60)) },
    swapped: { recipe: ({ [name]: rows }) => void ([rows[1], rows[2]] = [rows[2], rows[1]]) },
    exchanged: { recipe: (draft, i) => (draft.selected = { at: i, from: { row: i, column: 2 }, to: { row: i + 1, column: 3 }, by: 'the user' }) },
  };
}

/** So many members, every tenth an object; `name` gives their keys, in order. */
const members = (count, name) => ({
  initial: () => Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), i % 10 ? i : { value: i, label: short(i) }])),
  shrink(draft) {
    for (const key of Object.keys(draft).slice(count)) delete draft[key];
  },
  added: (i) => ({ op: 'add', path: `/${name(count + i)}`, value: i }),
  set: { recipe: (draft, i) => (draft[name(501)] = i + 0.5), place: [name(501)], value: (i) => i + 0.5 },
  push: { recipe: (draft, i) => (draft[name(count + i)] = i), place: [], key: (i) => name(count + i), value: (i) => i, grows: true },
  nested: { recipe: (draft, i) => (draft[name(500)].value = i + 0.5), place: [name(500), 'value'], value: (i) => i + 0.5 },
  three: {
    recipe(draft, i) {
      draft[name(1)] = i + 0.5;
      draft[name(500)].value = i + 0.5;
      draft[name(990)].value = i + 0.5;
    },
  },
});

/** 50 objects in one another. */
const levels = 50;
const below = Array(levels - 1).fill('level');
const deep = {
  initial() {
    let state = { count: 0, label: 'innermost', list: [] };
    for (let depth = levels - 1; depth > 0; depth--) state = { count: 0, label: short(depth), level: state };
    return state;
  },
  shrink: (draft) => below.reduce((level, key) => level[key], draft).list.splice(0),
  set: { recipe: (draft, i) => (draft.count = i + 1), place: ['count'], value: (i) => i + 1 },
  push: { recipe: (draft, i) => below.reduce((level, key) => level[key], draft).list.push(i), place: [...below, 'list'], value: (i) => i, grows: true },
  nested: { recipe: (draft, i) => (below.reduce((level, key) => level[key], draft).count = i + 1), place: [...below, 'count'], value: (i) => i + 1 },
  three: {
    recipe(draft, i) {
      let level = draft;
      for (let depth = 1; depth < levels; depth++) {
        level = level.level;
        if (depth === 9 || depth === 29 || depth === 49) level.count = i + 1;
      }
    },
  },
};

export const shapes = {
  items: list('items', item, { nested: (it, i) => (it.content = short(i + 1)), place: { path: ['content'], value: (i) => short(i + 1) } }),
  chat: list('messages', message, { nested: (it, i) => (it.content = long(i + 1)), place: { path: ['content'], value: (i) => long(i + 1) } }),
  wide: members(1000, (i) => `member${i}`),
  deep,
  matrix: list('rows', row, { nested: (it, i) => (it[5] = i + 0.5), place: { path: [5], value: (i) => i + 0.5 } }),
  embeddings: list('chunks', chunk, { nested: (it, i) => (it.vector = chunk(i + 1).vector), place: { path: ['vector'], value: (i) => chunk(i + 1).vector } }),
  scripts: list('messages', otherMessage, { nested: (it, i) => (it.content = other(i + 1)), place: { path: ['content'], value: (i) => other(i + 1) } }),
  webhooks: list('deliveries', delivery, { nested: (it, i) => (it.seen = i + 1), place: { path: ['seen'], value: (i) => i + 1 } }),
  numbered: members(1000, (i) => `${1_000_000 + 7 * i}`),
  huge: members(100_000, (i) => `member${i}`),
};

/** What has lists of any length. */
export const lists = ['items', 'chat', 'matrix', 'embeddings', 'scripts', 'webhooks'];

/** Texts of so many characters, by script. */
export const texts = {
  ascii: (length) => text(length, 3).replace(/[^ -~]/g, '-').slice(0, length),
  latin: (length) => text(length, 3).replace(/e/g, 'é').replace(/—/g, '-').slice(0, length),
  ...Object.fromEntries(scriptNames.map((script) => [script, (length) => scriptText(script, length, 0)])),
};

/** Where a change of a shape with n entries happens. */
export function placeOf(change, n) {
  return typeof change.place === 'function' ? change.place(n) : change.place;
}

/** How many entries make about so many bytes of JSON. */
export function entriesFor(shape, bytes) {
  if (!shapes[shape].list) return 0;
  const size = (n) => JSON.stringify(shapes[shape].initial(n)).length;
  const guess = Math.round((bytes / size(1000)) * 1000);
  return Math.round((guess * bytes) / size(guess));
}
