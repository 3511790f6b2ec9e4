// A component with a client of its own, by the hook of docs/react.md.
import { useSyncedState, useSyncStatus } from 'patchwire/react';
import { useSession } from './useSession.jsx';

function Count({ client }) {
  const status = useSyncStatus(client);
  const count = useSyncedState(client, (state) => state?.notes.length ?? 0);
  return <p>{`a session, ${status}: ${count}`}</p>;
}

export function Session({ id }) {
  const client = useSession(id);
  return client ? <Count client={client} /> : null;
}
