import { AgentClient } from 'agents/client';
import { connect } from 'patchwire/client';

// One object, and a client of each kind: each hears of its own state alone, also after the other's has ended.
const { URL: url } = process.env;
const agent = { host: new URL(url).host, agent: 'research', name: 'one' };
const until = async (condition) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
};
const add = (text) => fetch(url, { method: 'POST', body: text });

let count;
const theirs = new AgentClient({ ...agent, onStateUpdate: (state) => (count = state.count) });
const ours = connect({ url: `${url}/agents/research/one/live` });
await until(() => ours.status === 'live' && count === 0);
await add('a');
await until(() => ours.revision === 1 && count === 1);
const second = connect({ url: `${url}/agents/research/one/live` });
await until(() => second.status === 'live');
second.close();
await add('b');
await until(() => ours.revision === 2 && count === 2);
theirs.close();
await add('c');
await until(() => ours.revision === 3);
console.log(`${JSON.stringify(ours.getState())} ${count} ${ours.stats.snapshots} ${ours.stats.resyncs}`);
ours.close();
