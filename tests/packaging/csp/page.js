import { StateTracker } from 'patchwire';
import { connect, ready } from 'patchwire/client';

const said = [];
const note = (what) => (error) => said.push(`${what}: ${error.name} ${error.message}`);
try {
  new StateTracker({ n: 0 }).document();
  said.push('a tracker: works');
} catch (error) {
  note('a tracker')(error);
}
await ready().then(() => said.push('ready: works'), note('ready'));
const client = connect({ url: new URLSearchParams(location.search).get('session'), onError: note('connect') });
const settled = () => client.status === 'live' || said.some((text) => text.startsWith('connect'));
while (!settled()) await new Promise((later) => setTimeout(later, 10));
said.push(client.status);
document.querySelector('output').textContent = said.join('\n');
