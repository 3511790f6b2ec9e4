import type { InterruptContext, SessionStatus } from "../compat/helix/status.js";
import { PatchwireError } from "../errors.js";
import { checkCount, checkFlag, checkObject, checkOneOf, checkOptions, checkText, refusal } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import { ExecutorSupersededError, FencingTokenMismatchError, StaleStateError } from "./errors.js";
import { Directory, pagesOf } from "../tables/directory.js";
import { damageOf, type HashedTable } from "../tables/hashed-table.js";
import type { CustomState, CustomStates } from "./opened.js";
import { keyOf, nameOf, type Shape } from "../tables/rows.js";
import type { AgentStatus, SessionFields, UntypedSessionState, WriteOptions } from "./types.js";

/** A session's numbers, one row for each session. */
const SESSIONS = {
  name: "sessions",
  key: { id: "TEXT" },
  columns: {
    number: "INTEGER", changes: "INTEGER", status: "TEXT", steps: "INTEGER", resumes: "INTEGER", fence: "INTEGER",
    messages: "INTEGER", era: "INTEGER", checkpoints: "INTEGER", runs: "INTEGER", children: "INTEGER",
  },
} as const satisfies Shape;

interface SessionRow {
  id: string;
  /** Names its rows, and its custom state. */
  number: number;
  /** How often it was changed otherwise than by its custom state. */
  changes: number;
  status: SessionStatus;
  steps: number;
  resumes: number;
  /** The token that it was last taken over with. */
  fence: number;
  messages: number;
  /** How often messages were truncated. */
  era: number;
  checkpoints: number;
  runs: number;
  children: number;
}

/** The rest of a session, as JSON, in as many rows as it needs. */
const DETAILS = { name: "details", key: { session: "INTEGER", part: "INTEGER" }, columns: { text: "TEXT" } } as const satisfies Shape;

/** The numbers of sessions by their ids: a session whose row is lost isn't one that never was. */
const SESSION_PAGES = pagesOf("session_pages", "TEXT");

/** Numbers of the whole store: in row 1 the last that was given to a session, which must be there, and in row 2 the format of its tables. */
export const NUMBERS = { name: "numbers", key: { id: "INTEGER" }, columns: { last: "INTEGER" } } as const satisfies Shape;

/** Members of a session's state that are kept apart, or are the store's own. */
const APART = ["sessionId", "version", "resumeCount", "subSessionRefs", "messages", "status", "stepCount", "customState"];

/** What is kept of a session as JSON. */
export type Details = Omit<SessionFields, "status" | "stepCount" | "customState">;

/** What the members are that have a meaning; others may be any JSON. */
const CHECKS: Record<string, (what: string, given: unknown) => unknown> = {
  agentType: checkText, streamId: checkText, runId: checkText, error: checkText, parentSessionId: checkText, abortReason: checkText,
  suspendedStepId: checkText, aborted: checkFlag, expiresAt: checkCount, interruptContext: checkObject, pendingClientToolCalls: checkObject,
  suspendedAwaitingChildren: checkObject,
};

/** Refuses members that aren't what they are to be. */
function checkDetails(members: Record<string, unknown>): void {
  for (const [name, check] of Object.entries(CHECKS)) if (members[name] !== undefined) check(`the member ${name}`, members[name]);
}

/** The members of a state that are kept as they are. */
export function detailsOf(sessionId: string, state: Record<string, unknown>): Details {
  checkDetails(state);
  const rest = Object.fromEntries(Object.entries(state).filter(([name, value]) => !APART.includes(name) && value !== undefined));
  return { agentType: "", streamId: sessionId, aborted: false, ...rest };
}

const STATUSES: readonly SessionStatus[] = ["active", "completed", "failed", "interrupted", "paused"];

const WORDS: readonly (SessionStatus | AgentStatus)[] = [...STATUSES, "running", "waiting_tool"];

/** A status in the words of storage, or in those of who runs agents. */
export function statusOf(given: unknown): SessionStatus {
  const status = checkOneOf("a status", given, WORDS);
  return status === "running" || status === "waiting_tool" ? "active" : status;
}

/** One session while an operation lasts: what is changed of it is written when the operation has ended. */
export class Session {
  private written: string;
  private known: { details: Details; text: string } | undefined = undefined;

  constructor(
    private readonly tables: { sessions: HashedTable<typeof SESSIONS>; details: HashedTable<typeof DETAILS> },
    readonly id: string,
    readonly row: SessionRow,
    /** Its custom state. */
    readonly custom: CustomState,
    isNew = false,
  ) {
    this.written = isNew ? "" : JSON.stringify(row);
  }

  get number(): number {
    return this.row.number;
  }

  /** Each change raises it by one: one of the custom state by being its next revision, any other by being counted. */
  get version(): number {
    return this.row.changes + this.custom.revision;
  }

  get details(): Details {
    if (this.known === undefined) {
      const text = this.tables.details.text([this.number]);
      this.known = { details: JSON.parse(text) as Details, text };
    }
    return this.known.details;
  }

  set details(details: Details) {
    const text = jsonOf(details);
    if (text !== this.known?.text) this.tables.details.putText({ session: this.number }, text);
    this.known = { details, text };
  }

  setStatus(status: SessionStatus, context: { interruptContext?: InterruptContext; error?: string }): void {
    const { interruptContext, error } = checkObject("the context", context);
    this.row.status = status;
    if (interruptContext === undefined && error === undefined) return;
    checkDetails({ interruptContext, error });
    this.details = { ...this.details, ...(interruptContext && { interruptContext }), ...(error !== undefined && { error }) };
  }

  /** Saves what the session's own rows have of a state. */
  save(state: UntypedSessionState): void {
    const { sessionId = this.id, status, stepCount, resumeCount } = checkObject("the state", state);
    if (sessionId !== this.id) throw refusal("the state is another session's");
    this.details = detailsOf(this.id, state as Record<string, unknown>);
    if (status !== undefined) this.row.status = statusOf(status);
    if (stepCount !== undefined) this.row.steps = checkCount("the count of steps", stepCount);
    if (resumeCount !== undefined) this.row.resumes = Math.max(this.row.resumes, checkCount("the count of resumes", resumeCount));
  }

  /** Refuses a writer who knows another version, or to whom the session doesn't belong any more. */
  check(options: WriteOptions, ...others: string[]): void {
    const { expectedVersion, fencingToken } = checkOptions(options, ["expectedVersion", "fencingToken", ...others]);
    if (fencingToken !== undefined) {
      checkCount("the fencing token", fencingToken);
      if (fencingToken < this.row.fence) throw new ExecutorSupersededError(this.id);
      if (fencingToken > this.row.fence) throw new FencingTokenMismatchError(this.id, this.row.fence);
    }
    if (expectedVersion !== undefined && checkCount("the expected version", expectedVersion) !== this.version) {
      throw new StaleStateError(this.id, expectedVersion, this.version);
    }
  }

  /** Writes the session's row, where it isn't as it was. */
  write(version: number): void {
    this.row.changes += version - this.version;
    const row = JSON.stringify(this.row);
    if (row !== this.written) this.tables.sessions.put({ ...this.row });
    this.written = row;
  }
}

/** The version of what the rows of a store mean. */
const FORMAT = 4;

/** All sessions of a store. */
export class Sessions {
  private readonly tables: { sessions: HashedTable<typeof SESSIONS>; details: HashedTable<typeof DETAILS>; numbers: HashedTable<typeof NUMBERS> };
  private readonly ids: Directory<string, number>;

  constructor(
    table: <S extends Shape>(shape: S) => HashedTable<S>,
    private readonly states: CustomStates,
  ) {
    this.tables = { sessions: table(SESSIONS), details: table(DETAILS), numbers: table(NUMBERS) };
    this.ids = new Directory(table(SESSION_PAGES), "");
  }

  /** Whether there has never been anything. */
  get isNew(): boolean {
    const { sessions, numbers } = this.tables;
    return this.ids.isMissing && [sessions, numbers].every((table) => table.unchecked({}, { limit: 1 }).length === 0);
  }

  /**
   * Whether the tables say that they have the present format. Those that don't say so are new, or lost the number.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where they say that it is another one.
   */
  get isPresent(): boolean {
    const { numbers } = this.tables;
    let format: unknown;
    damageOf(() => (format = numbers.row([2])?.last));
    if (format !== undefined && format !== FORMAT) throw numbers.unknown([2]);
    return format === FORMAT;
  }

  /** The tables have the present format from now on. */
  setPresent(): void {
    this.tables.numbers.put({ id: 2, last: FORMAT });
  }

  /** Writes what must be there from then on. */
  begin(): void {
    this.tables.numbers.put({ id: 1, last: 0 });
    this.ids.begin();
  }

  /** The last number that was given to a session: given once more, it would make two sessions share their rows. */
  get last(): number {
    const row = this.tables.numbers.row([1]);
    if (row === undefined) throw this.tables.numbers.missing([1]);
    return row.last;
  }

  /** All of them, each of which must be whole. */
  all(): Session[] {
    return this.ids.entries().map(([id]) => this.require(nameOf(id)));
  }

  /** Makes anew what is damaged of the ids and of the last number, from the rows of sessions; says what it was. */
  repair(): PatchwireError | undefined {
    const ofIds = damageOf(() => this.ids.entries());
    if (ofIds !== undefined) this.ids.replace(this.tables.sessions.rows({}).map(({ id, number }) => [id, number]));
    const ofLast = damageOf(() => this.last);
    if (ofLast !== undefined) this.tables.numbers.put({ id: 1, last: this.ids.entries().reduce((last, [, number]) => Math.max(last, number), 0) });
    return ofIds ?? ofLast;
  }

  find(id: string): Session | undefined {
    const key = keyOf(checkText("the session's id", id));
    const row = this.tables.sessions.row([key]);
    if (row === undefined && this.ids.find(key) !== undefined) throw this.tables.sessions.missing([key]);
    return row && new Session(this.tables, id, { ...row, status: row.status as SessionStatus }, this.states.get(row.number));
  }

  require(id: string): Session {
    const session = this.find(id);
    if (session === undefined) throw new PatchwireError("NOT_FOUND", "there is no such session");
    return session;
  }

  /** A new session; its row is written by the operation that makes it. */
  create(id: string, customState: unknown): Session {
    if (this.find(id) !== undefined) throw new PatchwireError("CONFLICT", "there is a session with this id");
    const number = this.states.create(this.last, customState);
    this.tables.numbers.put({ id: 1, last: number });
    this.ids.set(keyOf(id), number);
    const counts = { steps: 0, resumes: 0, fence: 0, messages: 0, era: 0, checkpoints: 0, runs: 0, children: 0 };
    return new Session(this.tables, id, { id: keyOf(id), number, changes: 0, status: "active", ...counts }, this.states.get(number), true);
  }

  delete(session: Session): void {
    this.tables.sessions.delete({ prefix: [keyOf(session.id)] });
    this.ids.remove(keyOf(session.id));
    this.tables.details.delete({ prefix: [session.number] });
  }
}
