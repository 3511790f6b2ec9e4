import { PatchwireError, StateTracker } from 'patchwire';
import { connect } from 'patchwire/client';

/** What a tracker tells of a change and of a bad patch: every toolchain must print it. */
export function track() {
  const tracker = new StateTracker({ notes: ['a'], done: 0 });
  tracker.update((draft) => {
    draft.notes.push('b');
    draft.done++;
  });
  let code;
  try {
    tracker.apply([{ op: 'remove', path: '/missing' }]);
  } catch (error) {
    code = error instanceof PatchwireError ? error.code : `${error}`;
  }
  return `${JSON.stringify(tracker.getState())} ${tracker.getRFC6902Patches().length} ${code}`;
}

/** The Durable Object's state once it is live; where there is no WebSocket, what the client says then. */
export async function follow(url) {
  const client = connect({ url });
  const { subscribe, getState } = client;
  if (typeof WebSocket !== 'undefined') await new Promise((live) => subscribe(() => client.status === 'live' && live()));
  const followed = `${client.status} ${JSON.stringify(getState())}`;
  client.close();
  return followed;
}

export async function program(url) {
  return `${track()} ${await follow(url)}`;
}
