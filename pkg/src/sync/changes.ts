import { PatchwireError } from "../errors.js";
import type { StateTracker } from "../tracker/tracker.js";
import type { Limits } from "../types.js";

/** A recipe that waits for the server's answer. */
interface Change {
  recipe: (draft: never) => unknown;
  resolve: (revision: number) => void;
  reject: (error: unknown) => void;
}

/** What changes need of the client. */
interface Server {
  /** The state that it has of the server's, and the revision of that. */
  readonly state: unknown;
  readonly revision: number;
  /** Whether something may be sent now. */
  readonly isLive: boolean;
  /** Sends a patch that was made of that state; false where that wasn't possible after all. */
  send(patch: string, insists: boolean): boolean;
  /** The state that is shown is another one, because something was taken back. */
  changed(): void;
  /** A change wasn't made. */
  refused(error: unknown): void;
}

/** After so many attempts in a row that others were faster than, a change writes over what they wrote, and after so many it is given up. */
const PATIENT = 3;
const MOST = 12;

/**
 * What a client changes. It is shown at once, over whatever the server's state is by then: recipes run again on each state that comes, until
 * the server has answered. One message is on its way at a time, and what is changed meanwhile goes together with the next.
 */
export class Changes {
  /** In order: those that were sent, as one patch, and those that will be. */
  private sent: Change[] = [];
  private waiting: Change[] = [];
  /** How often others were faster. */
  private attempts = 0;
  /** How many go in one message at most: not all of those in one that was refused need be wrong, and halving finds those that are. */
  private most = Infinity;
  /** What there was to say when the client was closed, which a recipe may have done. */
  private ended: PatchwireError | undefined = undefined;
  private isFlushing = false;
  /** All of them carried out on a state of the server's. */
  private carried: { on: unknown; tracker: StateTracker<unknown> } | undefined = undefined;

  constructor(
    private readonly Tracker: typeof StateTracker,
    private readonly limits: Limits | undefined,
    private readonly server: Server,
  ) {}

  /** Whether something isn't answered. */
  get isPending(): boolean {
    return this.sent.length + this.waiting.length > 0;
  }

  /** The state as it is to be. */
  get state(): unknown {
    const tracker = this.isPending ? this.tracker() : undefined;
    return tracker !== undefined && this.isPending ? tracker.getState() : this.server.state;
  }

  /** Throws what the recipe throws. */
  add(recipe: (draft: never) => unknown): Promise<number> {
    this.tracker().update(recipe as never);
    if (this.ended !== undefined) throw this.ended;
    return new Promise((resolve, reject) => {
      this.waiting.push({ recipe, resolve, reject });
      this.flush();
    });
  }

  /** Sends what waits, if that can be now. */
  flush(): void {
    // What is sent may be refused at once.
    if (this.isFlushing) return;
    this.isFlushing = true;
    try {
      while (this.sent.length === 0 && this.waiting.length > 0 && this.server.isLive) if (!this.send()) return;
    } finally {
      this.isFlushing = false;
    }
  }

  /** Sends as many as may go together; false where nothing can be sent after all. */
  private send(): boolean {
    const isPart = this.waiting.length > this.most;
    // What is shown is what is sent: a recipe that makes an id has made it once.
    const tracker = isPart ? this.over(this.server.state) : this.tracker();
    if (isPart) this.sent = this.waiting.splice(0, this.carryOut(tracker, this.most));
    else [this.sent, this.waiting, this.most] = [this.waiting, [], Infinity];
    // All failed on what the state has become, or one of them has closed the client.
    if (this.sent.length === 0) return true;
    let patch = "";
    const failure = attempt(() => (patch = tracker.getPatchText({ dialect: "extended" })));
    if (failure !== undefined) for (const change of this.sent.splice(0)) this.give(change, failure.error);
    else if (patch === "[]") this.settle(this.sent.splice(0), this.server.revision);
    else if (!this.server.send(patch, this.attempts >= PATIENT)) {
      this.waiting.unshift(...this.sent.splice(0));
      return false;
    }
    return true;
  }

  /** The server has made what was sent: the state has it. */
  written(revision: number): void {
    this.settle(this.sent.splice(0), revision);
    this.flush();
  }

  /** The server hasn't made it. */
  refused(error: PatchwireError): void {
    const refused = this.sent.splice(0);
    if (refused.length === 0) return;
    this.carried = undefined;
    if (error.code === "STALE_STATE" && ++this.attempts < MOST) this.waiting.unshift(...refused);
    else if (refused.length > 1 && error.code !== "CLOSED" && error.code !== "STALE_STATE") {
      this.waiting.unshift(...refused);
      this.most = Math.ceil(refused.length / 2);
    } else {
      this.attempts = 0;
      const told = error.code === "STALE_STATE" ? new PatchwireError("CONFLICT", "others kept changing the same place") : error;
      for (const change of refused) this.give(change, told);
    }
    this.server.changed();
    // Without a connection there is nothing to send it by.
    if (error.code !== "CLOSED") this.flush();
  }

  /** Nothing is sent any more. */
  end(error: PatchwireError): void {
    this.ended = error;
    for (const change of [...this.sent.splice(0), ...this.waiting.splice(0)]) change.reject(error);
    this.carried = undefined;
  }

  private settle(changes: readonly Change[], revision: number): void {
    this.attempts = 0;
    this.most *= 2;
    this.carried = undefined;
    for (const { resolve } of changes) resolve(revision);
  }

  /** Later: it may be found out while somebody reads the state. */
  private give(change: Change, error: unknown): void {
    change.reject(error);
    queueMicrotask(() => this.server.refused(error));
  }

  private over(state: unknown): StateTracker<unknown> {
    const tracker = new this.Tracker(state, { own: true, limits: this.limits, history: 0 });
    // A state that was published is taken as it is by the next one: of a large one the first look takes 5 ms for 600 KB.
    tracker.getState();
    return tracker;
  }

  private tracker(): StateTracker<unknown> {
    const { carried } = this;
    const on = this.server.state;
    if (carried !== undefined && carried.on === on) return carried.tracker;
    const tracker = this.over(on);
    this.carried = { on, tracker };
    for (const { recipe } of [...this.sent]) attempt(() => tracker.update(recipe as never));
    this.carryOut(tracker);
    return tracker;
  }

  /** Carries out what waits, or the first of it, and says how many of them it was. One that fails on what the state has become is given up. */
  private carryOut(tracker: StateTracker<unknown>, most?: number): number {
    const changes = this.waiting.slice(0, most);
    const failed = new Set<Change>();
    for (const change of changes) {
      const failure = attempt(() => tracker.update(change.recipe as never));
      if (this.ended !== undefined) return 0;
      if (failure === undefined) continue;
      failed.add(change);
      this.give(change, failure.error);
    }
    if (failed.size > 0) this.waiting = this.waiting.filter((change) => !failed.has(change));
    return changes.length - failed.size;
  }
}

/** Runs it; what it throws, if it does. */
function attempt(run: () => void): { error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}
