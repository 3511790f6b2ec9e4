import { StateTracker } from 'patchwire';

export function patches() {
  const tracker = new StateTracker({ count: 0, notes: ['a'] });
  tracker.update((draft) => {
    draft.count += 1;
    // @ts-expect-error: the package's types reach whoever installs it.
    draft.missing = undefined;
    draft.notes.push('b');
  });
  return JSON.stringify(tracker.getRFC6902Patches());
}
