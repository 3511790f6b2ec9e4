import { StateTracker } from 'patchwire';
import { StateManager } from 'patchwire/agentos';
import { connect } from 'patchwire/client';
import type { SyncedState } from 'patchwire/durable-objects';

interface State {
  notes: { text: string }[];
  draft: string;
}

/** What a tracker tells of a change. */
export function patches() {
  const tracker = new StateTracker<State>({ notes: [], draft: '' });
  tracker.update((draft) => {
    draft.notes.push({ text: 'b' });
    // @ts-expect-error: the package's types reach whoever installs it.
    draft.missing = undefined;
  });
  return JSON.stringify(tracker.getRFC6902Patches());
}

/** A graph's state after a visit. */
export function visited() {
  const manager = new StateManager({ 'scratch.notes': 'concat' });
  return manager.recordNodeVisit(manager.initialize({ prompt: 'a' }), 'plan').visitedNodes;
}

export function note(state: SyncedState<State>, text: string) {
  // @ts-expect-error: a note has a text.
  state.update((draft) => void draft.notes.push({ txt: text }));
  state.update((draft) => void draft.notes.push({ text }));
  return state.getState().notes;
}

/** What a client that watched a note come in holds. */
export async function watched(url: string) {
  const client = connect<State>({ url });
  const arrives = (pointer: string) => new Promise<void>((resolve) => client.subscribe(pointer, () => resolve()));
  await arrives('/notes');
  const arrived = arrives('/notes/0');
  await fetch(url, { method: 'POST', body: 'b' });
  await arrived;
  client.close();
  return JSON.stringify([client.getState(), client.revision]);
}
