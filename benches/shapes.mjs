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

function list(name, make, { nested, place }) {
  return {
    list: name,
    make,
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
  };
}

/** 1,000 members, every tenth an object. */
const wide = {
  initial: () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member${i}`, i % 10 ? i : { value: i, label: short(i) }])),
  shrink(draft) {
    for (const key of Object.keys(draft).slice(1000)) delete draft[key];
  },
  set: { recipe: (draft, i) => (draft.member501 = i + 0.5), place: ['member501'], value: (i) => i + 0.5 },
  push: { recipe: (draft, i) => (draft[`new${i}`] = i), place: [], key: (i) => `new${i}`, value: (i) => i, grows: true },
  nested: { recipe: (draft, i) => (draft.member500.value = i + 0.5), place: ['member500', 'value'], value: (i) => i + 0.5 },
  three: {
    recipe(draft, i) {
      draft.member1 = i + 0.5;
      draft.member500.value = i + 0.5;
      draft.member990.value = i + 0.5;
    },
  },
};

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
  wide,
  deep,
  matrix: list('rows', row, { nested: (it, i) => (it[5] = i + 0.5), place: { path: [5], value: (i) => i + 0.5 } }),
};

/** Where a change of a shape with n entries happens. */
export function placeOf(change, n) {
  return typeof change.place === 'function' ? change.place(n) : change.place;
}

/** How many entries make about so many bytes of JSON. */
export function entriesFor(shape, bytes) {
  const size = (n) => JSON.stringify(shapes[shape].initial(n)).length;
  const guess = Math.round((bytes / size(1000)) * 1000);
  return Math.round((guess * bytes) / size(guess));
}
