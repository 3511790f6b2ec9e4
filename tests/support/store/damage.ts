// Each row of each table of a store, damaged in each way: who reads is told what is damaged, or reads what was there before;
// and what is done afterwards is refused, or leads to what it leads to otherwise, as far as that can be read.
import { expect, vi } from "vitest";
import { DurableStateStore, type StorePlace, type StoreStorage } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { append, begun, initial, set, user, type Notes } from "./contract.ts";
import { operations } from "./faults.ts";
import { isAlike, type Look, type Row, type Rows, type Tabled } from "./tables.ts";

/** The custom states have a version, which is stored. */
const VERSIONED = { version: 1, migrate: (state: unknown) => state };

/** Longer than a row holds. */
const LONG = "x".repeat(300_001);

/** Two sessions with something of everything, and long texts of each kind in one of them; ids of checkpoints. */
async function filled(place: StorePlace): Promise<string[]> {
  const store = await begun(place, VERSIONED);
  await store.createSession("other", { customState: initial() });
  const checkpoints: string[] = [];
  for (const [id, long, output] of [["s", LONG, ""], ["other", "", LONG]] as const) {
    const runs = ["run", "run a", "run b"].map((run) => (id === "s" ? run : `${run} of another`));
    await store.appendMessages(id, [user("a"), user(`b${long}`), user("c")]);
    for (const run of runs) await store.createRun(id, run, { turn: 1 });
    await store.updateRunStatus(runs[1]!, "failed", { error: long });
    await store.addSubSessionRefs(id, ["c", "k"].map((subSessionId) => ({ subSessionId, agentType: "w", parentToolCallId: "t", startedAt: 1 })));
    checkpoints.push(await store.createCheckpoint(id), await store.createCheckpoint(id, { messageCount: 1 }));
    await store.saveState(id, { output });
    checkpoints.push(await store.createCheckpoint(id, { messageCount: 1 }));
    await store.stageChanges(id, "step", { toolCallId: "c", index: 0, writes: append(`c${long}`) });
    await store.stageChanges(id, "step", { toolCallId: "d", index: 1, writes: set("title", "d") });
    await store.stageChanges(id, "step 2", { toolCallId: "c", writes: append("c") });
  }
  return checkpoints;
}

/** All that can be asked. */
function readings(checkpoints: readonly string[]): Record<string, (store: DurableStateStore) => Promise<unknown>> {
  const of = (id: string): [string, (store: DurableStateStore) => Promise<unknown>][] => [
    ["loadState", (store) => store.loadState(id)],
    ["sessionExists", (store) => store.sessionExists(id)],
    ["getMessages", (store) => store.getMessages(id)],
    ["getMessages from 1", (store) => store.getMessages(id, { offset: 1, limit: 1 })],
    ["getMessageCount", (store) => store.getMessageCount(id)],
    ["getSubSessionRefs", (store) => store.getSubSessionRefs(id)],
    ["listRuns", (store) => store.listRuns(id)],
    ["getCurrentRun", (store) => store.getCurrentRun(id)],
    ["listCheckpoints", (store) => store.listCheckpoints(id)],
    ["listCheckpoints from 1", (store) => store.listCheckpoints(id, { offset: 1, limit: 1 })],
    ["getLatestCheckpoint", (store) => store.getLatestCheckpoint(id)],
    ["getStaged", (store) => store.getStaged(id, "step")],
    ["getStaged of another step", (store) => store.getStaged(id, "step 2")],
    ["pins", async (store) => store.synced(id).pins],
  ];
  const named = ["s", "other", "new"].flatMap((id) => of(id).map(([name, read]) => [`${name} of ${id}`, read] as const));
  return Object.fromEntries([...named, ...checkpoints.map((id, i) => [`getCheckpoint ${i}`, (store: DurableStateStore) => store.getCheckpoint(id)] as const)]);
}

/** What was answered, as text; or why nothing was. */
interface Outcome {
  answer?: string | undefined;
  code?: string;
  message?: string;
}

const outcomeOf = (answer: Promise<unknown>): Promise<Outcome> =>
  answer.then((answer) => ({ answer: JSON.stringify(answer) }), ({ code = "none", message }: { code?: string; message: string }) => ({ code, message }));

const isSame = (one: Outcome, other: Outcome): boolean => one.answer === other.answer && one.code === other.code && one.message === other.message;

const opened = (storage: StoreStorage): DurableStateStore => new DurableStateStore(backend(storage).reopened(), VERSIONED);

/** What is answered by processes that know nothing, and what each has read for that. */
class Answers {
  readonly outcomes = new Map<string, Outcome>();
  private readonly looks = new Map<string, readonly Look[]>();

  constructor(
    private readonly reads: ReturnType<typeof readings>,
    private readonly damageable: Tabled,
  ) {}

  /** Reads what is asked for. */
  async read(names: readonly string[] = Object.keys(this.reads)): Promise<this> {
    const { storage, watch } = this.damageable;
    for (const name of names) {
      const looks = watch();
      this.outcomes.set(name, await outcomeOf(this.reads[name]!(opened(storage))));
      this.looks.set(name, looks);
    }
    return this;
  }

  /** Those that would find something else in a table by now. The others would be told the same at each of their steps. */
  concerned(table: string): string[] {
    const isConcerned = (look: Look): boolean => look.table === table && !isAlike(look.again(), look.found);
    return [...this.looks].filter(([, looks]) => looks.some(isConcerned)).map(([name]) => name);
  }
}

/** Whether an outcome says that this table has a row that is damaged or missing. */
function tells({ code, message = "" }: Outcome, table: string): boolean {
  const what = code === "VALIDATION_FAILED" ? "the storage is damaged" : "the storage lacks a row";
  return (code === "VALIDATION_FAILED" || code === "STREAM_TRUNCATED") && message.startsWith(`${code}: ${what}: row [`) && message.endsWith(`] of ${table}`);
}

const shown = (outcome: Outcome | undefined): string => JSON.stringify(outcome).slice(0, 200);

/** One row damaged: how, and all rows of its table then. */
interface Damage {
  what: string;
  rows: Row[];
}

function* damages({ key }: Rows, rows: Row[]): Generator<Damage, void, undefined> {
  const other = (value: string | number) => (typeof value === "number" ? value + 1_000 : value === "" ? "x" : value.slice(0, value.length >> 1));
  const contents = (row: Row) => Object.fromEntries(Object.entries(row).filter(([column]) => !key.includes(column)));
  for (const [i, row] of rows.entries()) {
    const instead = (...given: Row[]): Row[] => [...rows.slice(0, i), ...given, ...rows.slice(i + given.length)];
    yield { what: `row ${i} is missing`, rows: rows.toSpliced(i, 1) };
    for (const column of key) yield { what: `row ${i} is there twice, with another ${column}`, rows: [...rows, { ...row, [column]: other(row[column]!) }] };
    for (const [column, value] of Object.entries(row)) yield { what: `row ${i} has another ${column}`, rows: instead({ ...row, [column]: other(value) }) };
    const next = rows[i + 1];
    if (next === undefined) continue;
    yield { what: `rows ${i} and ${i + 1} are exchanged`, rows: instead({ ...row, ...contents(next) }, { ...next, ...contents(row) }) };
    const [{ hash: one }, { hash: another }] = [row, next];
    yield { what: `rows ${i} and ${i + 1} are exchanged, but not their hashes`, rows: instead({ ...row, ...contents(next), hash: one! }, { ...next, ...contents(row), hash: another! }) };
  }
}

/** The tables of a store, which are damaged, and what custom states have there; not the tables of the states themselves. */
const tablesOf = ({ tables }: Tabled): Rows[] => tables().filter(({ name }) => name.startsWith("sessions:") || ["states", "pins"].includes(name));

/** Reads after each damage; says how many there were. */
export async function tryReading(damageable: Tabled): Promise<number> {
  const { storage } = damageable;
  const reads = readings(await filled(backend(storage).place));
  const before = await new Answers(reads, damageable).read();
  let count = 0;
  for (const table of tablesOf(damageable)) {
    const rows = table.read();
    expect(rows.length, table.name).toBeGreaterThan(0);
    for (const [i, damage] of [...damages(table, rows)].entries()) {
      const what = `${table.name}, ${damage.what}`;
      table.replace(rows, damage.rows);
      // Those that are not concerned are asked once.
      const { outcomes } = await new Answers(reads, damageable).read(i === 0 ? undefined : before.concerned(table.name));
      const told = [...outcomes].filter(([, outcome]) => tells(outcome, table.name)).map(([name]) => name);
      for (const [name, outcome] of outcomes) {
        if (!told.includes(name) && !isSame(outcome, before.outcomes.get(name)!)) expect.fail(`${name}: ${what}: ${shown(outcome)}`);
      }
      // No reading needs these; and a row that is there a second time may be where nobody looks.
      const isRead = !["sessions:numbers", "sessions:run_pages"].includes(table.name) && !damage.what.includes("twice");
      if (isRead && !isAlike(damage.rows, rows)) expect(told, `${what}: nobody was told`).not.toEqual([]);
      // The number of the format is written again where it is lost.
      const left = table.read();
      table.replace(isAlike(left, damage.rows) ? damage.rows : left, rows);
      count++;
    }
  }
  expect((await new Answers(reads, damageable).read()).outcomes).toEqual(before.outcomes);
  return count;
}

const { "repair of a store": _, "repair of a custom state": __, ...others } = operations;

/** What mends damage isn't among them. */
const writes: typeof operations = {
  ...others,
  // What is long of a custom state has several chunks, and is written as a whole at once: no longer than that takes.
  createSession: (store) => store.createSession("new", { customState: { title: "x".repeat(200_000) }, output: LONG }),
  mergeCustomState: (store) => store.mergeCustomState("s", append("e".repeat(200_000))),
  "discardStaging of a step": (store) => store.discardStaging("s", "step"),
  parallel: (store) => store.parallel<Notes>("s", "step", ["d", "e"].map((toolCallId) => ({ toolCallId, run: (tool) => tool.increment("/count") }))),
};

/** Runs something to which no time passes and nothing is random: it leads to the rows that it led to before. */
async function repeatably<R>(run: () => Promise<R>): Promise<R> {
  let number = 0;
  const spies = [
    vi.spyOn(Date, "now").mockReturnValue(4_000_000_000_000),
    vi.spyOn(crypto, "randomUUID").mockImplementation(() => `${++number}-0-0-0-0`),
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array),
    vi.spyOn(Math, "random").mockReturnValue(0),
  ];
  try {
    return await run();
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

type Found = Damage & { table: Rows };

interface Writer {
  damages: readonly Found[];
  operations: readonly string[];
  /** Does one of the operations after one of the damages. */
  write(damage: Found, operation: string): Promise<void>;
}

/** What writes after damage. */
export async function writer(damageable: Tabled): Promise<Writer> {
  const { storage, tables } = damageable;
  const checkpoints = await filled(backend(storage).place);
  const reads = readings(checkpoints);
  const before = await new Answers(reads, damageable).read();
  const stored = (): Map<string, Row[]> => new Map(tables().map(({ name, read }) => [name, read()]));
  const whole = stored();
  const all = tablesOf(damageable).flatMap((table) => [...damages(table, table.read())].map((damage) => ({ ...damage, table })));
  const restore = (): void => tables().forEach(({ name, read, replace }) => replace(read(), whole.get(name) ?? []));
  const run = (name: string): Promise<Outcome> => repeatably(() => outcomeOf(writes[name]!(opened(storage), { checkpoint: checkpoints[0]!, pinned: 0 })));

  /** What an operation does where nothing is damaged. */
  const known = new Map<string, { outcome: Outcome; rows: Map<string, Row[]>; answers: Answers }>();
  const isNew = new Set(Object.keys(writes));
  const fineOf = async (name: string) => {
    let fine = known.get(name);
    if (fine === undefined) {
      const outcome = await run(name);
      expect(outcome.code, `${name}: ${shown(outcome)}`).toBeUndefined();
      known.set(name, (fine = { outcome, rows: stored(), answers: await new Answers(reads, damageable).read() }));
      restore();
    }
    return fine;
  };

  const compare = (answers: Answers, fine: Answers, table: string, what: string): void => {
    for (const [read, outcome] of answers.outcomes) {
      if (!isSame(outcome, fine.outcomes.get(read)!) && !tells(outcome, table)) expect.fail(`${read} after ${what}: ${shown(outcome)}`);
    }
  };

  const write: Writer["write"] = async (damage, name) => {
    const { table } = damage;
    const what = `${name}: ${table.name}, ${damage.what}`;
    const fine = await fineOf(name);
    table.replace(whole.get(table.name)!, damage.rows);
    const damaged = stored();
    const outcome = await run(name);
    const rows = stored();
    if (outcome.code !== undefined) {
      expect(tells(outcome, table.name), `${what}: ${shown(outcome)}`).toBe(true);
      // What is told after damage alone is tried above.
      for (const [other, given] of rows) expect(isAlike(given, damaged.get(other)), `${what}: ${other} has changed`).toBe(true);
    } else {
      expect(isSame(outcome, fine.outcome), `${what}: ${shown(outcome)}`).toBe(true);
      for (const [other, given] of rows) {
        if (other !== table.name) expect(isAlike(given, fine.rows.get(other)), `${what}: ${other} is another`).toBe(true);
      }
      // The other tables are what they are after the operation where nothing is damaged.
      const answers = await new Answers(reads, damageable).read(isNew.delete(name) ? undefined : fine.answers.concerned(table.name));
      compare(answers, fine.answers, table.name, what);
    }
    restore();
  };
  return { damages: all, operations: Object.keys(writes), write };
}
