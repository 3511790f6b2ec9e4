// The note: text that grows at its end, so only its last block is ever drawn again.
import { byId, bytes, element, setText } from './dom.ts';
import type { Snapshot } from './snapshot.ts';

const BLOCK = '\n\n';

export function notePanel(): (state: Snapshot) => void {
  const prose = byId('note');
  const caret = element('span', 'caret');
  let shown = '';
  /** Where the last block begins; what is before it stays as it is. */
  let settled = 0;

  return ({ note, run }) => {
    const isWriting = run.status === 'running' && note !== '';
    byId('welcome').hidden = run.status !== 'idle';
    if (note !== shown) {
      if (!note.startsWith(shown)) {
        prose.replaceChildren();
        settled = 0;
      }
      shown = note;
      const blocks = note.slice(settled).split(BLOCK);
      prose.lastElementChild?.remove();
      prose.append(...blocks.filter((block) => block !== '').map(draw));
      settled = note.length - blocks[blocks.length - 1].length;
      setText(byId('note-size'), note === '' ? '' : bytes(note.length));
    }
    if (isWriting) prose.lastElementChild?.append(caret);
    else caret.remove();
  };
}

function draw(block: string): HTMLElement {
  if (block.startsWith('##')) return element('h3', '', block.slice(2).trim());
  const [about, ...sentences] = block.split('\n');
  const colon = about.indexOf(': ');
  const key = colon < 0 ? about : about.slice(0, colon);
  const title = colon < 0 ? '' : about.slice(colon + 1);
  const told = sentences.length > 0 ? [element('br'), sentences.join(' ')] : [];
  return element('p', '', element('b', '', key), title, ...told);
}
