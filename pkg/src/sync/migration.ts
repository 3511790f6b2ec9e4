import { PatchwireError } from "../errors.js";
import { keyOf, tablesOf, type Shape, type StoreStorage } from "../store/rows.js";

/** The shape that the states of an object have, by their names. */
const VERSIONS: Shape = { name: "versions", key: { state: "TEXT" }, columns: { version: "INTEGER" } };

/** How a state of an earlier version of the application becomes one of the present version. */
export interface Migration<T> {
  /** The version of the state's shape, from 1 on; a state that was stored without one has 0. */
  version?: number;
  /** Makes a state of an earlier version one of the present version, when it is first opened. Its result must be JSON. */
  migrate?: (state: any, fromVersion: number) => T;
}

/** The state in the shape of the present version. */
export function migrated<T>(state: unknown, from: number, { version = 0, migrate }: Migration<T>): unknown {
  if (from === version) return state;
  if (from > version) throw new PatchwireError("VALIDATION_FAILED", `the state has version ${from}, which is later than ${version}: a later version of the application wrote it`);
  return migrate === undefined ? state : migrate(state, from);
}

/** The version of a state's shape, as it is stored. */
export class StoredVersion {
  private readonly key: string;

  constructor(
    private readonly storage: StoreStorage,
    name: string,
  ) {
    this.key = keyOf(name);
  }

  /** 0 where none was stored. */
  read(): number {
    return Number(this.table.rows({ prefix: [this.key] })[0]?.["version"] ?? 0);
  }

  write(version: number): void {
    this.table.put({ state: this.key, version });
  }

  delete(): void {
    this.table.delete({ prefix: [this.key] });
  }

  /** Made where it isn't there: all that the storage holds may have been deleted. */
  private get table() {
    return tablesOf(this.storage).table(VERSIONS);
  }
}
