// A state that sleeps in a Durable Object's storage, woken for one push: with SyncedState, and as it is done without.
import { DurableObject } from 'cloudflare:workers';
import { create } from 'mutative';
import { SyncedState } from 'patchwire/durable-objects';
import { shapes } from '../shapes.mjs';

/** Storage takes 2 MB a row; one of ours is at most 1 MB. */
const ROW = 1_000_000;

class Sleeper extends DurableObject {
  seed(shape, entries) {
    this.fill(shapes[shape].initial(entries));
  }

  /** What comes next finds a new object, which has read nothing. */
  sleep() {
    this.ctx.abort('asleep');
  }

  push(shape, i) {
    const { list, make } = shapes[shape];
    this.change((draft) => void draft[list].push(make(i)));
  }
}

export class Synced extends Sleeper {
  state = new SyncedState(this.ctx, { initial: null });

  fill(value) {
    this.state.apply([{ op: 'replace', path: '', value }]);
  }

  change(recipe) {
    this.state.update(recipe);
  }

  read() {
    return this.state.getState();
  }
}

export class Stringified extends Sleeper {
  sql = this.ctx.storage.sql;

  fill(value) {
    this.sql.exec('CREATE TABLE IF NOT EXISTS state (part INTEGER PRIMARY KEY, text TEXT)');
    this.save(value);
  }

  change(recipe) {
    const [next, patches] = create(this.read(), recipe, { enablePatches: true });
    this.patch = JSON.stringify(patches);
    this.save(next);
  }

  read() {
    return JSON.parse([...this.sql.exec('SELECT text FROM state ORDER BY part')].map(({ text }) => text).join(''));
  }

  save(value) {
    const text = JSON.stringify(value);
    this.ctx.storage.transactionSync(() => {
      this.sql.exec('DELETE FROM state');
      for (let part = 0; part * ROW < text.length; part++) {
        this.sql.exec('INSERT INTO state VALUES (?, ?)', part, text.slice(part * ROW, (part + 1) * ROW));
      }
    });
  }
}
