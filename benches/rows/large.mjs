// States of 100 MB and the small changes that are made in them: in a file by stalls.mjs, in workerd by ../workerd/commits.mjs.

export const note = (id) => ({ id, title: `Note ${id}`, text: 'x'.repeat(160) });

/** So many notes have 100 MB of text. */
export const count = Math.floor(100e6 / JSON.stringify(note(400_000)).length);

export const nameOf = (i) => `record ${(i * 7_919) % count}`;

/** Each makes one small change, its number given; of a state whose notes are in a list, or have names in an object. */
export const changes = {
  set: (draft, n) => void (draft.n = n),
  push: (draft, n) => void draft.notes.push(note(n)),
  'edit of a note anywhere': (draft, n) => void (draft.notes[(n * 7_919) % count].title = `Edited ${n}`),
  'edit of a late note': (draft, n) => void (draft.notes[count - 1 - (n % 200)].title = `Edited ${n}`),
  'edit of a record by its name': (draft, n) => void (draft.records[nameOf(n)].title = `Edited ${n}`),
  'a record of a new name': (draft, n) => void (draft.records[`new ${n}`] = note(n)),
  'deletion of a record': (draft, n) => void delete draft.records[nameOf(n)],
};

export const kindOf = (change) => (change.includes('record') ? 'records' : 'notes');
