// A component with a client of its own, by the hook of docs/react.md. Its selector makes a new object each time.
import { useSyncedState, useSyncStatus } from 'patchwire/react';
import { useSession } from './useSession.jsx';

const isEqual = (a, b) => a.count === b.count;

export function Session({ id }) {
  const client = useSession(id);
  const status = useSyncStatus(client);
  const selected = useSyncedState(client, (state) => ({ count: state?.notes.length ?? 0 }), isEqual);
  return <p>{`a session, ${status}: ${selected.count}`}</p>;
}
