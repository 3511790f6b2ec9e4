import { hasObjects } from "../bridge/core.js";
import { PatchwireError } from "../errors.js";
import { CHECKPOINTS, CHECKPOINT_TEXTS, Checkpoints } from "./checkpoints.js";
import { CHILDREN, Children } from "./children.js";
import { Directory } from "../tables/directory.js";
import { HashedTable } from "../tables/hashed-table.js";
import { MESSAGES, Messages } from "./messages.js";
import type { CustomStates } from "./opened.js";
import { tablesOf, type Shape, type StoreStorage } from "../tables/rows.js";
import { RUNS, RUN_PAGES, Runs, type RunIds } from "./runs.js";
import { Sessions, type Session } from "./sessions.js";
import { STAGING, STEPS, Staging } from "./staging.js";
import type { UntypedSessionState } from "./types.js";

/** The tables of one store, by what they are about. */
export class Rooms {
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly staging: Staging;
  readonly runs: Runs;
  readonly children: Children;
  readonly checkpoints: Checkpoints;

  constructor(storage: StoreStorage, name: string, states: CustomStates) {
    if (!hasObjects) throw new PatchwireError("CLOSED", "a DurableStateStore needs Workers or Node");
    const tables = tablesOf(storage);
    const table = <S extends Shape>(shape: S): HashedTable<S> => new HashedTable(tables, { ...shape, name: `${name}:${shape.name}` });
    this.sessions = new Sessions(table, states);
    this.messages = new Messages(table(MESSAGES));
    this.staging = new Staging(table(STAGING), table(STEPS));
    const runIds: RunIds = new Directory(table(RUN_PAGES), "");
    this.runs = new Runs(table(RUNS), runIds);
    this.children = new Children(table(CHILDREN));
    this.checkpoints = new Checkpoints(table(CHECKPOINTS), table(CHECKPOINT_TEXTS), this.messages, this.children);
    if (this.sessions.isPresent) return;
    if (runIds.isMissing && this.sessions.isNew) {
      this.sessions.begin();
      runIds.begin();
    }
    this.sessions.setPresent();
  }

  /** Makes anew what says where sessions and runs are; says what of it was damaged. */
  repair(): PatchwireError | undefined {
    const ofSessions = this.sessions.repair();
    return this.runs.repair(() => this.sessions.all()) ?? ofSessions;
  }

  /** Saves all of a state but messages and custom state. */
  save(session: Session, state: UntypedSessionState): void {
    session.save(state);
    this.children.addNew(session, state.subSessionRefs);
  }

  /** Deletes a session with all that is kept of it. */
  delete(session: Session): void {
    for (const room of [this.messages, this.staging, this.runs, this.children, this.checkpoints, this.sessions]) room.delete(session);
  }
}
