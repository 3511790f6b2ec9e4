'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { connect } from 'patchwire/client';
import { useSyncStatus } from 'patchwire/react';
import { track } from '../../program.js';

// As it would be written: at the top of the module, which the server runs as well.
const client = connect({ url: '/session/demo' });

export default () => {
  const state = useSyncExternalStore(client.subscribe, client.getState, () => undefined);
  const status = useSyncStatus(client);
  const [tracked, setTracked] = useState('');
  useEffect(() => setTracked(track()), []);
  return <output>{`${tracked} ${status} ${JSON.stringify(state)}`}</output>;
};
