// Each row of each table of a store, damaged in each way: who reads is told what is damaged, or reads what was there before;
// and what is done afterwards is refused, or leads to what it leads to otherwise, as far as that can be read.
import { expect } from "vitest";
import { DurableStateStore, type StorePlace, type StoreStorage, type TableStorage } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { append, begun, initial, set, user, type Notes } from "./contract.ts";
import { operations } from "./faults.ts";

type Row = Record<string, string | number>;

/** The rows of a table as they are stored. */
interface Rows {
  name: string;
  key: string[];
  read(): Row[];
  write(rows: Row[]): void;
}

/** A storage, and the tables that were made in it. */
interface Damageable {
  storage: StoreStorage;
  tables(): Rows[];
}

/** A storage of tables, which remembers which ones there are. */
export function plain(inner: TableStorage): Damageable {
  const shapes = new Map<string, Parameters<TableStorage["table"]>[0]>();
  const storage: TableStorage = {
    table: (shape) => (shapes.set(shape.name, shape), inner.table(shape)),
    transactionSync: (run) => inner.transactionSync(run),
  };
  const tables = (): Rows[] =>
    [...shapes.values()].map((shape) => {
      const table = inner.table(shape);
      const write = (rows: Row[]): void => {
        table.delete({});
        rows.forEach((row) => table.put(row));
      };
      return { name: shape.name, key: Object.keys(shape.key), read: () => table.rows({}) as Row[], write };
    });
  return { storage, tables };
}

/** A storage of SQL, whose tables say themselves what they are. */
export function sql(storage: Exclude<StoreStorage, TableStorage>): Damageable {
  const { sql } = storage;
  const tables = (): Rows[] =>
    [...sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchwire:sessions:%'")].map(({ name }) => {
      const key = [...sql.exec(`PRAGMA table_info("${name}")`)].filter(({ pk }) => Number(pk) > 0).map(({ name }) => String(name));
      const write = (rows: Row[]): void => {
        sql.exec(`DELETE FROM "${name}"`);
        for (const row of rows) {
          const columns = Object.keys(row).map((column) => `"${column}"`);
          sql.exec(`INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, ...Object.values(row));
        }
      };
      return { name: String(name).slice("patchwire:".length), key, read: () => [...sql.exec(`SELECT * FROM "${name}"`)] as Row[], write };
    });
  return { storage, tables };
}

/** Longer than a row holds. */
const LONG = "x".repeat(300_001);

/** Two sessions with something of everything, and long texts of each kind in one of them; ids of checkpoints. */
async function filled(place: StorePlace): Promise<string[]> {
  const store = await begun(place);
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
  ];
  const named = ["s", "other", "new"].flatMap((id) => of(id).map(([name, read]) => [`${name} of ${id}`, read] as const));
  return Object.fromEntries([...named, ...checkpoints.map((id, i) => [`getCheckpoint ${i}`, (store: DurableStateStore) => store.getCheckpoint(id)] as const)]);
}

/** What was answered, as text without the ids and times of what is made in a try; or why nothing was. */
interface Outcome {
  answer?: string | undefined;
  code?: string;
  message?: string;
}

const outcomeOf = (answer: Promise<unknown>): Promise<Outcome> =>
  answer.then(
    (answer) => ({ answer: JSON.stringify(answer)?.replace(/"cpv1-[^"]*"|"(timestamp|startedAt)":\d+/g, "") }),
    ({ code = "none", message }: { code?: string; message: string }) => ({ code, message }),
  );

const isSame = (one: Outcome, other: Outcome): boolean => one.answer === other.answer && one.code === other.code && one.message === other.message;

/** What is answered by a process that knows nothing. */
async function outcomes(reads: ReturnType<typeof readings>, storage: StoreStorage): Promise<Record<string, Outcome>> {
  const found: Record<string, Outcome> = {};
  const store = new DurableStateStore(backend(storage).reopened());
  for (const [name, read] of Object.entries(reads)) found[name] = await outcomeOf(read(store));
  return found;
}

/** Whether an outcome says that this table has a row that is damaged or missing. */
function tells({ code, message = "" }: Outcome, table: string): boolean {
  const what = code === "VALIDATION_FAILED" ? "the storage is damaged" : "the storage lacks a row";
  return (code === "VALIDATION_FAILED" || code === "STREAM_TRUNCATED") && message.startsWith(`${code}: ${what}: row [`) && message.endsWith(`] of ${table}`);
}

const shown = (outcome: Outcome): string => JSON.stringify(outcome).slice(0, 200);

/** One row damaged: how, and all rows of its table then. */
interface Damage {
  what: string;
  rows: Row[];
  /** Whether the row isn't where it is looked for, and nothing else is. */
  isLost: boolean;
}

function* damages({ key }: Rows, rows: Row[]): Generator<Damage, void, undefined> {
  const other = (value: string | number) => (typeof value === "number" ? value + 1_000 : value.slice(0, value.length >> 1));
  const contents = (row: Row) => Object.fromEntries(Object.entries(row).filter(([column]) => !key.includes(column)));
  for (const [i, row] of rows.entries()) {
    const instead = (...given: Row[]): Row[] => [...rows.slice(0, i), ...given, ...rows.slice(i + given.length)];
    yield { what: `row ${i} is missing`, rows: rows.toSpliced(i, 1), isLost: true };
    for (const column of key) yield { what: `row ${i} is there twice, with another ${column}`, rows: [...rows, { ...row, [column]: other(row[column]!) }], isLost: false };
    for (const [column, value] of Object.entries(row)) {
      yield { what: `row ${i} has another ${column}`, rows: instead({ ...row, [column]: other(value) }), isLost: key.includes(column) };
    }
    const next = rows[i + 1];
    if (next === undefined) continue;
    yield { what: `rows ${i} and ${i + 1} are exchanged`, rows: instead({ ...row, ...contents(next) }, { ...next, ...contents(row) }), isLost: false };
    const [{ hash: one }, { hash: another }] = [row, next];
    yield { what: `rows ${i} and ${i + 1} are exchanged, but not their hashes`, rows: instead({ ...row, ...contents(next), hash: one! }, { ...next, ...contents(row), hash: another! }), isLost: false };
  }
}

/** The tables of a store, which are damaged; not those of custom states. */
const tablesOf = ({ tables }: Damageable): Rows[] => tables().filter(({ name }) => name.startsWith("sessions:"));

/** A session whose row is lost is one that isn't there. */
function isOfNobody(name: string, outcome: Outcome, before: Record<string, Outcome>): boolean {
  const ofNobody = name.startsWith("getCheckpoint ") ? "loadState of new" : name.replace(/ of (s|other)$/, " of new");
  return isSame(outcome, before[ofNobody]!);
}

const isSessionLost = ({ name }: Rows, { isLost }: Damage): boolean => isLost && name === "sessions:sessions";

/** Reads after each damage; says how many there were. */
export async function tryReading(damageable: Damageable): Promise<number> {
  const { storage } = damageable;
  const reads = readings(await filled(backend(storage).place));
  const before = await outcomes(reads, storage);
  let count = 0;
  for (const table of tablesOf(damageable)) {
    const rows = table.read();
    expect(rows.length, table.name).toBeGreaterThan(0);
    for (const damage of damages(table, rows)) {
      const what = `${table.name}, ${damage.what}`;
      table.write(damage.rows);
      const after = await outcomes(reads, storage);
      const told = Object.keys(reads).filter((name) => tells(after[name]!, table.name) || (isSessionLost(table, damage) && isOfNobody(name, after[name]!, before)));
      for (const name of Object.keys(reads)) {
        if (!told.includes(name) && !isSame(after[name]!, before[name]!)) expect.fail(`${name}: ${what}: ${shown(after[name]!)}`);
      }
      // No reading needs these; and a row that is there a second time may be where nobody looks.
      const isRead = !["sessions:numbers", "sessions:run_ids"].includes(table.name) && !damage.what.includes("twice");
      if (isRead && JSON.stringify(damage.rows) !== JSON.stringify(rows)) expect(told, `${what}: nobody was told`).not.toEqual([]);
      count++;
    }
    table.write(rows);
  }
  expect(await outcomes(reads, storage)).toEqual(before);
  return count;
}

const writes: typeof operations = {
  ...operations,
  "discardStaging of a step": (store) => store.discardStaging("s", "step"),
  parallel: (store) => store.parallel<Notes>("s", "step", ["d", "e"].map((toolCallId) => ({ toolCallId, run: (tool) => tool.increment("/count") }))),
};

interface Writer {
  damages: readonly (Damage & { table: Rows })[];
  operations: readonly string[];
  /** Does one of the operations after one of the damages. */
  write(damage: Damage & { table: Rows }, operation: string): Promise<void>;
}

/** What writes after damage. */
export async function writer(damageable: Damageable): Promise<Writer> {
  const { storage, tables } = damageable;
  const checkpoints = await filled(backend(storage).place);
  const reads = readings(checkpoints);
  const before = await outcomes(reads, storage);
  const whole = new Map(tables().map(({ name, read }) => [name, read()]));
  const all = tablesOf(damageable).flatMap((table) => [...damages(table, table.read())].map((damage) => ({ ...damage, table })));
  const run = async (name: string): Promise<{ outcome: Outcome; after: Record<string, Outcome> }> => {
    const outcome = await outcomeOf(writes[name]!(new DurableStateStore(backend(storage).reopened()), checkpoints[0]!));
    return { outcome, after: await outcomes(reads, storage) };
  };
  const restore = (): void => tables().forEach(({ name, write }) => write(whole.get(name) ?? []));
  const stored = (): Row[][] => tables().map(({ read }) => read()).filter((rows) => rows.length > 0);
  /** What an operation does where nothing is damaged. */
  const known = new Map<string, Awaited<ReturnType<typeof run>>>();

  const write: Writer["write"] = async (damage, name) => {
    const { table } = damage;
    const what = `${name}: ${table.name}, ${damage.what}`;
    if (!known.has(name)) known.set(name, await run(name));
    restore();
    const fine = known.get(name)!;
    expect(fine.outcome.code).toBeUndefined();
    table.write(damage.rows);
    const damaged = stored();
    const { outcome, after } = await run(name);
    if (outcome.code === undefined) expect(isSame(outcome, fine.outcome), `${what}: ${shown(outcome)}`).toBe(true);
    else {
      const isUnknown = damage.isLost && ["sessions:sessions", "sessions:run_ids"].includes(table.name) && outcome.code === "NOT_FOUND";
      expect(isUnknown || tells(outcome, table.name), `${what}: ${shown(outcome)}`).toBe(true);
      expect(stored(), `${what}: something has changed`).toEqual(damaged);
    }
    for (const read of Object.keys(reads)) {
      const isFine = isSame(after[read]!, (outcome.code === undefined ? fine.after : before)[read]!) || tells(after[read]!, table.name);
      if (!isFine && !(isSessionLost(table, damage) && isOfNobody(read, after[read]!, before))) expect.fail(`${read} after ${what}: ${shown(after[read]!)}`);
    }
    restore();
  };
  return { damages: all, operations: Object.keys(writes), write };
}
