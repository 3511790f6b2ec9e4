// What toolchains run in: the packed package, a Durable Object to follow, a browser, and a place each.
import { pack, open } from './place.mjs';
import { Pages } from './page.mjs';
import { startSession } from './session.mjs';

export class World {
  #sessions = 0;
  #server;
  #prepared = new Map();
  pages = new Pages();

  static async begin() {
    const world = new World();
    world.tarball = await pack();
    world.#server = await startSession(world.tarball);
    return world;
  }

  /** Runs a row, or throws what is wrong; `version` is the toolchain's, and `size()` what was built, in bytes. */
  async run(row) {
    const { tarball, pages } = this;
    const session = `${this.#server.url}/session/${++this.#sessions}`;
    const place = await this.#place(row, session);
    const built = await row.run(place, { tarball, pages, session });
    const version = row.isOfBrowser ? await pages.version() : place.version(row.package);
    return { version, size: () => built && place.size(built) };
  }

  /** Rows of a group share what one of them prepares. */
  async #place({ folder, also, group, prepare }, session) {
    const make = async () => {
      const place = await open([...(also ? [also] : []), folder], this.tarball, { SESSION: session });
      await prepare?.(place);
      return place;
    };
    if (group === undefined) return make();
    const key = `${folder} ${group}`;
    if (!this.#prepared.has(key)) this.#prepared.set(key, make());
    return this.#prepared.get(key);
  }

  async end() {
    await this.pages.close();
    await this.#server.stop();
  }
}
