// The rows of a storage as they are stored, whatever it is, for tests that change them behind a store's back.
import type { StoreStorage, TableStorage } from "patchwire/durable-objects";

export type Row = Record<string, string | number>;

/** The rows of a table as they are stored. */
export interface Rows {
  name: string;
  key: string[];
  read(): Row[];
  /** Makes rows that are there others. What both have isn't written again. */
  replace(present: readonly Row[], next: readonly Row[]): void;
  /** Takes the table away, and makes it anew. */
  drop(): void;
  make(): void;
}

/** What was read of a table at once, and the same read again. */
export interface Look {
  table: string;
  found: readonly Row[];
  again(): readonly Row[];
}

/** A storage, and the tables that were made in it. */
export interface Tabled {
  storage: StoreStorage;
  tables(): Rows[];
  /** What is read of tables from now on. */
  watch(): Look[];
}

type Replacing = Pick<Rows, "key"> & { remove(key: Row[string][]): void; add(row: Row): void };

function replace({ key, remove, add }: Replacing, present: readonly Row[], next: readonly Row[]): void {
  const [before, after] = [new Set(present), new Set(next)];
  for (const row of before) if (!after.has(row)) remove(key.map((column) => row[column]!));
  for (const row of after) if (!before.has(row)) add(row);
}

/** A storage of tables, which remembers which ones there are. */
export function plain(inner: TableStorage): Tabled {
  const shapes = new Map<string, Parameters<TableStorage["table"]>[0]>();
  let looks: Look[] | undefined;
  const table: TableStorage["table"] = (shape) => {
    shapes.set(shape.name, shape);
    const table = inner.table(shape);
    const rows: typeof table.rows = (...range) => {
      const again = (): Row[] => table.rows(...range) as Row[];
      const found = again();
      looks?.push({ table: shape.name, found, again });
      return found;
    };
    return { rows, put: (row) => table.put(row), delete: (range) => table.delete(range) };
  };
  const tables = (): Rows[] =>
    [...shapes.values()].map((shape) => {
      const table = inner.table(shape);
      const key = Object.keys(shape.key);
      const replacing: Replacing = { key, remove: (key) => table.delete({ prefix: key }), add: (row) => table.put(row) };
      return { name: shape.name, key, read: () => table.rows({}) as Row[], replace: (...rows) => replace(replacing, ...rows), drop: () => table.delete({}), make() {} };
    });
  return { storage: { table, transactionSync: (run) => inner.transactionSync(run) }, tables, watch: () => (looks = []) };
}

/** A storage of SQL, whose tables say themselves what they are. */
export function sql(inner: Exclude<StoreStorage, TableStorage>): Tabled {
  const { sql } = inner;
  let looks: Look[] | undefined;
  const exec: typeof sql.exec = (query, ...bindings) => {
    const table = /^SELECT .* FROM "patchwire:([^"]*)"/.exec(query)?.[1];
    if (table === undefined || looks === undefined) return sql.exec(query, ...bindings);
    const again = (): Row[] => [...sql.exec(query, ...bindings)] as Row[];
    const found = again();
    looks.push({ table, found, again });
    return found;
  };
  const tables = (): Rows[] =>
    [...sql.exec("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchwire%'")].map(({ name, sql: definition }) => {
      const key = [...sql.exec(`PRAGMA table_info("${name}")`)].filter(({ pk }) => Number(pk) > 0).map(({ name }) => String(name));
      const replacing: Replacing = {
        key,
        remove: (values) => void sql.exec(`DELETE FROM "${name}" WHERE ${key.map((column) => `"${column}" = ?`).join(" AND ")}`, ...values),
        add(row) {
          const columns = Object.keys(row).map((column) => `"${column}"`);
          sql.exec(`INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, ...Object.values(row));
        },
      };
      const read = (): Row[] => [...sql.exec(`SELECT * FROM "${name}"`)] as Row[];
      const [drop, make] = [`DROP TABLE "${name}"`, String(definition)].map((query) => () => void sql.exec(query)) as [() => void, () => void];
      return { name: String(name).replace("patchwire:", ""), key, read, replace: (...rows) => replace(replacing, ...rows), drop, make };
    });
  return { storage: { sql: { exec }, transactionSync: (run) => inner.transactionSync(run) }, tables, watch: () => (looks = []) };
}

/** What all tables have now: whether they have it later, and a way to give it back to them. */
export function snapshot({ tables }: Tabled): { isThere(): boolean; restore(): void } {
  const kept = new Map(tables().map((table) => [table.name, { table, rows: table.read() }]));
  const present = (): Map<string, Rows> => new Map(tables().map((table) => [table.name, table]));
  const isThere = (): boolean => {
    const now = present();
    return [...new Set([...kept.keys(), ...now.keys()])].every((name) => isAlike(now.get(name)?.read() ?? [], kept.get(name)?.rows));
  };
  const restore = (): void => {
    const now = present();
    for (const [name, table] of now) if (!kept.has(name)) table.drop();
    for (const [name, { table, rows }] of kept) {
      if (!now.has(name)) table.make();
      const found = table.read();
      if (!isAlike(found, rows)) table.replace(found, rows);
    }
  };
  return { isThere, restore };
}

/** Whether two tables have the same rows. */
export function isAlike(rows: readonly Row[], others: readonly Row[] = []): boolean {
  return rows.length === others.length && rows.every((row, i) => row === others[i] || Object.entries(row).every(([column, value]) => others[i]![column] === value));
}
