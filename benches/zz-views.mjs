import { DatabaseSync } from 'node:sqlite';
import { nodeStorage, SyncedState } from 'patchwire/durable-objects';
const N = 100;
class Socket { constructor(view) { this.kept = view === undefined ? '' : ['', JSON.stringify(view)]; this.bytes = 0; } send(t) { this.bytes += t.length; } close() {} serializeAttachment(v) { this.kept = v; } deserializeAttachment() { return this.kept; } }
function make(views) {
  const sockets = Array.from({ length: N }, (_, i) => new Socket(views === 0 ? undefined : { exclude: ['/keys', `/private${i % views}`, '/rows/*/cost'] }));
  const ctx = { storage: nodeStorage(new DatabaseSync(':memory:')), acceptWebSocket() {}, getWebSockets: () => sockets, getWebSocketAutoResponse: () => '', setWebSocketAutoResponse() {} };
  const state = new SyncedState(ctx, { initial: { keys: { a: 1 }, n: 0, rows: Array.from({ length: 1000 }, (_, id) => ({ id, title: `row ${id}`, cost: id })) }, ...(views > 0 && { view: () => ({}) }) });
  state.getState();
  return { state, sockets };
}
const med = (l) => l.sort((a, b) => a - b)[l.length >> 1];
const all = [0, 1, 10, 100].map((views) => ({ views, ...make(views), set: [], push: [] }));
await new Promise((r) => setTimeout(r, 50));
for (const { state, sockets } of all) for (const s of sockets) state.webSocketMessage(s, JSON.stringify({ type: 'hello', version: 1, session: null, revision: null, dialect: 'extended' }));
for (let i = 0; i < 600; i++) for (const one of all) {
  let t = performance.now(); one.state.update((d) => void (d.rows[i].title = `t ${i}`)); one.set.push(performance.now() - t);
  t = performance.now(); one.state.update((d) => void d.rows.push({ id: i, title: 'new', cost: i })); one.push.push(performance.now() - t);
}
for (const { views, set, push } of all) console.log(views, 'views: set', (med(set) * 1e3).toFixed(1), 'push', (med(push) * 1e3).toFixed(1), 'us');
