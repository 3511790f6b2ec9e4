import { StateTracker } from 'patchwire';
import { connect } from 'patchwire/client';

interface State {
  count: number;
  notes: string[];
}

export const initial: State = { count: 0, notes: ['a'] };

export function change(draft: State) {
  draft.count += 1;
  draft.notes.push('b');
}

/** What a tracker tells of the change. */
export function patches() {
  const tracker = new StateTracker(initial);
  tracker.update((draft) => {
    change(draft);
    // @ts-expect-error: the package's types reach whoever installs it.
    draft.missing = undefined;
  });
  return JSON.stringify(tracker.getRFC6902Patches());
}

/** What a client that watched the change holds. */
export async function watched(url: string) {
  const session = `${url}/${crypto.randomUUID()}`;
  const client = connect<State>({ url: session });
  const arrives = (pointer: string) => new Promise<void>((resolve) => client.subscribe(pointer, () => resolve()));
  await arrives('/count');
  const arrived = arrives('/notes/1');
  await fetch(session, { method: 'POST' });
  await arrived;
  client.close();
  return JSON.stringify([client.getState(), client.revision]);
}
