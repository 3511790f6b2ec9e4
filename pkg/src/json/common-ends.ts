// What two strings have in common at their ends, cut between characters.

/** How many characters both begin with. Engines compare slices without copying them, many characters at a time. */
export function sharedHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  const head = furthest(most, (from, to) => a.slice(from, to) === b.slice(from, to));
  return isSurrogate(a, head - 1, 0xd800) ? head - 1 : head;
}

/** How many characters of what comes after the head both end with. */
export function sharedTail(a: string, b: string, head: number): number {
  const most = Math.min(a.length, b.length) - head;
  const tail = furthest(most, (from, to) => a.slice(a.length - to, a.length - from) === b.slice(b.length - to, b.length - from));
  return isSurrogate(a, a.length - tail, 0xdc00) ? tail - 1 : tail;
}

/** The largest number up to which all is the same; each half that is told apart is looked at once. */
function furthest(most: number, isSame: (from: number, to: number) => boolean): number {
  let same = 0;
  for (let end = most; same < end; ) {
    const middle = (same + end + 1) >> 1;
    if (isSame(same, middle)) same = middle;
    else end = middle - 1;
  }
  return same;
}

/** Halves of a pair are encoded together. */
function isSurrogate(text: string, at: number, first: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code < first + 0x400;
}
