import { DurableObject } from 'cloudflare:workers';
import { SyncedState } from 'patchwire/durable-objects';
import { track } from './program.js';

export class Session extends DurableObject {
  state = new SyncedState(this.ctx, { initial: { notes: [], draft: '' } });

  fetch(request) {
    return this.state.fetch(request);
  }

  webSocketMessage(socket, message) {
    this.state.webSocketMessage(socket, message);
  }

  webSocketClose(socket, ...rest) {
    this.state.webSocketClose(socket, ...rest);
  }
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    return pathname === '/track' ? new Response(track()) : env.SESSION.getByName(pathname).fetch(request);
  },
};
