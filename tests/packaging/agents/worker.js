import { getAgentByName, routeAgentRequest } from 'agents';
import { Research as Shown } from './research.ts';

/** The example of docs/live.md, and something that changes both of its states. */
export class Research extends Shown {
  initialState = { count: 0 };

  add(text) {
    this.live.update((draft) => draft.notes.push(text));
    this.setState({ count: this.state.count + 1 });
  }
}

export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return routeAgentRequest(request, env);
    const agent = await getAgentByName(env.Research, 'one');
    await agent.add(await request.text());
    return new Response('added');
  },
};
