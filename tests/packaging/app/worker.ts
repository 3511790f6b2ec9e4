import { SyncedState } from 'patchwire/durable-objects';
import { change, initial, patches } from './use.ts';

type Context = ConstructorParameters<typeof SyncedState>[0];
type Socket = Parameters<SyncedState<unknown>['webSocketMessage']>[0];

export class Session {
  state;

  constructor(ctx: Context) {
    this.state = new SyncedState(ctx, { initial });
  }

  fetch(request: Request) {
    if (request.method !== 'POST') return this.state.fetch(request);
    return Response.json(this.state.update(change));
  }

  webSocketMessage(socket: Socket, message: string | ArrayBuffer) {
    this.state.webSocketMessage(socket, message);
  }

  webSocketClose(socket: Socket) {
    this.state.webSocketClose(socket);
  }
}

interface Env {
  SESSION: { get(id: unknown): { fetch(request: Request): Promise<Response> }; idFromName(name: string): unknown };
}

export default {
  /** A session's name is its address; a POST to it changes it. */
  async fetch(request: Request, env: Env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response(patches());
    const response = await env.SESSION.get(env.SESSION.idFromName(pathname)).fetch(request);
    if (request.method !== 'POST') return response;
    return new Response(response.body, { headers: { 'Access-Control-Allow-Origin': '*' } });
  },
};
