// The demo's server: a Durable Object per session that carries the agent's run out, and the routes to it.
import { DurableObject } from 'cloudflare:workers';
import { SyncedState } from 'patchwire/durable-objects';
import * as run from './run.ts';
import { initialState } from './triage.ts';
import type { TriageState } from './triage.ts';

interface Env {
  SESSIONS: DurableObjectNamespace<TriageSession>;
}

/** How long one alarm works before it hands over to the next. */
const SLICE = 5_000;
/** When the run is to be taken up again if nobody does so before; longer than a slice and its last step. */
const WATCHDOG = 20_000;
const SLOWEST = 2_000;
/** An event says more than a token, so it stays on screen for longer. */
const TOKENS_PER_EVENT = 4;
/** Steps at full speed between two looks at what came in from outside. */
const BURST = 16;

export class TriageSession extends DurableObject<Env> {
  state = new SyncedState<TriageState>(this.ctx, { initial: initialState() });
  #working = false;

  async fetch(request: Request): Promise<Response> {
    // The first page to come back after a crash need not wait for the watchdog.
    if (this.#isRunning() && !this.#working) await this.#wake();
    return this.state.fetch(request);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) {
    this.state.webSocketMessage(socket, message);
  }

  webSocketClose(socket: WebSocket) {
    this.state.webSocketClose(socket);
  }

  webSocketError(socket: WebSocket) {
    this.state.webSocketError(socket);
  }

  async start(pace: number) {
    this.state.update(run.start(pace));
    await this.#wake();
    return this.#report();
  }

  async restart(pace: number) {
    this.state.update(run.restart(pace));
    await this.#wake();
    return this.#report();
  }

  pause() {
    this.state.update(run.pause);
    return this.#report();
  }

  /** A slice of the run. Alarms are on disk, so a killed object is woken by the watchdog and goes on where its state says. */
  async alarm() {
    if (!this.#isRunning()) return;
    await this.ctx.storage.setAlarm(Date.now() + WATCHDOG);
    this.#working = true;
    try {
      await this.#work(Date.now() + SLICE);
    } finally {
      this.#working = false;
    }
    await (this.#isRunning() ? this.#wake() : this.ctx.storage.deleteAlarm());
  }

  async #work(until: number) {
    let burst = 0;
    for (const step of run.steps(() => this.state.getState())) {
      if ('append' in step) this.state.append('/note', step.append);
      else this.state.update(step.update);
      const { pace } = this.state.getState().run;
      if (pace > 0) await scheduler.wait('append' in step ? pace : pace * TOKENS_PER_EVENT);
      else if (++burst % BURST === 0) await scheduler.wait(0);
      if (!this.#isRunning() || Date.now() >= until) return;
    }
  }

  #isRunning() {
    return this.state.getState().run.status === 'running';
  }

  #wake() {
    return this.ctx.storage.setAlarm(Date.now());
  }

  #report() {
    return { revision: this.state.revision, run: { ...this.state.getState().run } };
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const [, name, verb] = /^\/session\/([\w-]{1,64})(?:\/(start|restart|pause))?$/.exec(url.pathname) ?? [];
    if (name === undefined) return new Response('Not found\n', { status: 404 });
    const session = env.SESSIONS.get(env.SESSIONS.idFromName(name));
    if (verb === undefined) return session.fetch(request);
    if (request.method !== 'POST') return new Response('Use POST\n', { status: 405, headers: { Allow: 'POST' } });
    const pace = Math.min(Math.max(Number(url.searchParams.get('pace')) || 0, 0), SLOWEST);
    if (verb === 'pause') return Response.json(await session.pause());
    return Response.json(await (verb === 'start' ? session.start(pace) : session.restart(pace)));
  },
} satisfies ExportedHandler<Env>;
