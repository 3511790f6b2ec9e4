// What a commit of a small change costs in a Durable Object, timed inside of it: with SyncedState, as the bare insert of
// the same bytes, with Immer and one row, and with the Agents SDK's setState. Clients are sockets of another object.
import { DurableObject } from 'cloudflare:workers';
import { produce } from 'immer';
import { SyncedState } from 'patchwire/durable-objects';
import { changes as large, nameOf, note as largeNote } from '../rows/large.mjs';
import { Agent, getAgentByName } from '../../.tools/peers/agents/node_modules/agents/dist/index.js';

/** A state of about so many bytes: an agent's notes, an answer that grows, and a count. */
function initial(bytes) {
  const notes = Array.from({ length: Math.ceil(bytes / 100) }, (_, id) => ({ id, content: `note ${id} ${'x'.repeat(50)}`, tags: ['a', 'b'] }));
  return { notes, answer: '', count: 0 };
}

const note = (i) => ({ id: i, content: `note ${i} ${'y'.repeat(50)}`, tags: ['a', 'b'] });

/** Each change as a recipe, as what setState is given, and as the patch that it is. */
const changes = {
  set: {
    recipe: (i) => (draft) => void (draft.notes[i % draft.notes.length].content = `changed ${i}`),
    next: (state, i) => ({ ...state, notes: state.notes.map((one, at) => (at === i % state.notes.length ? { ...one, content: `changed ${i}` } : one)) }),
    patch: (i) => `[{"op":"replace","path":"/notes/${i % 10}/content","value":"changed ${i}"}]`,
  },
  push: {
    recipe: (i) => (draft) => void draft.notes.push(note(i)),
    next: (state, i) => ({ ...state, notes: [...state.notes, note(i)] }),
    patch: (i) => `[{"op":"add","path":"/notes/-","value":${JSON.stringify(note(i))}}]`,
  },
  token: {
    recipe: () => (draft) => void (draft.answer += 'token '),
    next: (state) => ({ ...state, answer: `${state.answer}token ` }),
    patch: (i) => `[{"op":"str_ins","path":"/answer","pos":${i * 6},"str":"token "}]`,
  },
};

/** So that every change changes something. */
let count = 0;

/** Steps in batches, each from a state of the same size. A clock of whole milliseconds is right on average. */
function timed(begin, step, { batch, milliseconds }) {
  let [steps, spent] = [0, 0];
  const until = performance.now() + milliseconds;
  do {
    begin();
    const started = performance.now();
    for (let i = 0; i < batch; i++) step(count++);
    spent += performance.now() - started;
    steps += batch;
  } while (performance.now() < until);
  return { steps, spent };
}

const upgraded = (ctx) => {
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server);
  return new Response(null, { status: 101, webSocket: client });
};

export class Ours extends DurableObject {
  state = new SyncedState(this.ctx, { initial: null });
  fetch(request) { return this.state.fetch(request); }
  webSocketMessage(socket, message) { this.state.webSocketMessage(socket, message); }
  webSocketClose(socket) { this.state.webSocketClose(socket); }

  run({ change, bytes, ...pace }) {
    const { recipe } = changes[change];
    const { notes } = initial(bytes);
    if (this.state.getState()?.notes.length !== notes.length) this.state.apply([{ op: 'replace', path: '', value: { notes, answer: '', count: 0 } }]);
    const begin = () =>
      this.state.update((draft) => {
        draft.notes.length = notes.length;
        draft.answer = '';
      });
    const step = change === 'token' ? () => this.state.append('/answer', 'token ') : (i) => this.state.update(recipe(i));
    return timed(begin, step, pace);
  }
}

/** An object whose statements are told. */
function overheard(ctx, tell) {
  const exec = (text, ...values) => {
    tell([text, ...values]);
    return ctx.storage.sql.exec(text, ...values);
  };
  const storage = { sql: { exec }, transactionSync: (work) => ctx.storage.transactionSync(work) };
  const get = (from, name) => (name === 'storage' ? storage : typeof from[name] === 'function' ? from[name].bind(from) : from[name]);
  return new Proxy(ctx, { get });
}

const apart = (text) => text.replaceAll(/\bpatchwire(?=[_:])/g, 'bare');

/** Of texts their lengths are enough: to keep them all would make garbage collections longer, in the midst of the commits. */
const lengthOf = (value) => (typeof value === 'string' ? { length: value.length } : value);
const asLong = (value) => (typeof value === 'object' && value !== null ? 'x'.repeat(value.length) : value);

/** A state of 100 MB: notes in a list, or records in an object by their names. */
export class Large extends DurableObject {
  /** What the last commits have written. */
  statements = [];
  state = new SyncedState(overheard(this.ctx, (one) => this.statements.push(one)), { initial: { n: 0, notes: [], records: {} }, limits: { document: 256e6 } });

  run({ make, from, count, change, bare, copy, sleeps, other }) {
    if (sleeps) this.ctx.abort();
    // So that garbage is collected at other commits than in another life, of the heap and of buffers. The state doesn't wake for it.
    else if (other !== undefined) return (this.other = Array.from({ length: 40_000 * other }, (_, i) => (i % 400 === 0 ? { i: new ArrayBuffer(65_536).byteLength } : { i }))).length;
    else if (copy) this.copy();
    else if (bare) return this.bare(from, count);
    else if (change !== undefined) return this.commits(from, count, large[change]);
    else if (make === undefined) for (let i = 0; i < count; i++) this.state.increment('/n');
    else {
      this.state.update((draft) => {
        for (let i = from; i < from + count; i++) {
          if (make === 'notes') draft.notes.push(largeNote(i));
          else draft.records[nameOf(i)] = largeNote(i);
        }
      });
    }
    this.statements = [];
    return this.state.revision;
  }

  /** What each step takes until the disk has it. */
  async timed(from, count, step) {
    const times = [];
    for (let n = from; n < from + count; n++) {
      const started = performance.now();
      step(n);
      await this.ctx.storage.sync();
      times.push((performance.now() - started) * 1_000);
    }
    return times;
  }

  /** The state's tables once more, for the statements alone. */
  copy() {
    const { sql } = this.ctx.storage;
    for (const { name, sql: text } of sql.exec("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchwire%'").toArray()) {
      sql.exec(apart(text));
      sql.exec(`INSERT INTO "${apart(name)}" SELECT * FROM "${name}"`);
    }
  }

  commits(from, count, change) {
    if (from === 0) this.written = [];
    return this.timed(from, count, (n) => {
      this.statements = [];
      this.state.update((draft) => change(draft, n));
      this.written.push(this.statements.filter(([text]) => /^\s*(INSERT|UPDATE|DELETE)/.test(text)).map(([text, ...values]) => [apart(text), ...values.map(lengthOf)]));
    });
  }

  /** What the commits have written, into a copy of the tables, with nothing around it. */
  bare(from, count) {
    const written = this.written.slice(from, from + count).map((statements) => statements.map(([text, ...values]) => [text, ...values.map(asLong)]));
    return this.timed(from, count, (n) => written[n - from].forEach((statement) => this.ctx.storage.sql.exec(...statement)));
  }
}

export class Insert extends DurableObject {
  fetch() { return upgraded(this.ctx); }

  run({ change, ...pace }) {
    const { sql } = this.ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, parts INTEGER NOT NULL, patch TEXT NOT NULL)');
    const patches = Array.from({ length: 100 }, (_, i) => changes[change].patch(i));
    const sockets = this.ctx.getWebSockets();
    let id = 0;
    const begin = () => void sql.exec('DELETE FROM log');
    return timed(begin, (i) => {
      const patch = patches[i % 100];
      sql.exec('INSERT INTO log (id, parts, patch) VALUES (?, ?, ?)', id++, 1, patch);
      if (sockets.length === 0) return;
      const frame = `{"type":"chunk","sequence":${id},"revision":${id},"chunk":{"type":"state_patch","patches":${patch}}}`;
      for (const socket of sockets) socket.send(frame);
    }, pace);
  }
}

export class OneRow extends DurableObject {
  fetch() { return upgraded(this.ctx); }

  run({ change, bytes, ...pace }) {
    const { sql } = this.ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, text TEXT)');
    const sockets = this.ctx.getWebSockets();
    let state;
    const begin = () => void (state = produce(initial(bytes), () => {}));
    return timed(begin, (i) => {
      state = produce(state, changes[change].recipe(i));
      const text = JSON.stringify(state);
      sql.exec('INSERT OR REPLACE INTO state VALUES (1, ?)', text);
      for (const socket of sockets) socket.send(text);
    }, pace);
  }
}

export class AgentsSdk extends Agent {
  initialState = {};

  run({ change, bytes, ...pace }) {
    return timed(() => this.setState(initial(bytes)), (i) => this.setState(changes[change].next(this.state, i)), pace);
  }
}

/** Holds the clients' ends. */
export class Clients extends DurableObject {
  sockets = [];

  async attend(object, count) {
    const stub = await find(this.env, object);
    for (let i = 0; i < count; i++) {
      const { webSocket } = await stub.fetch('http://object/', { headers: { Upgrade: 'websocket' } });
      webSocket.accept();
      if (object === 'Ours') webSocket.send('{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}');
      this.sockets.push(webSocket);
    }
  }
}

const find = (env, object) => (object === 'AgentsSdk' ? getAgentByName(env.AgentsSdk, 'one') : env[object].getByName('one'));

export default {
  async fetch(request, env) {
    const { object, clients, ...question } = await request.json();
    try {
      if (clients !== undefined) return Response.json((await env.Clients.getByName('one').attend(object, clients)) ?? null);
      return Response.json(await (await find(env, object)).run(question));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
