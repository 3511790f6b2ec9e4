import { jsonOf } from "../json/json.js";
import type { StreamChunk } from "../compat/helix/chunks.js";
import { Directory, pagesOf } from "../tables/directory.js";
import { HashedTable } from "../tables/hashed-table.js";
import { keyOf, tablesOf, type RowOf, type Shape, type StoreStorage } from "../tables/rows.js";
import type { StreamInfo } from "./types.js";

/** What a stream is, one row for each. It is written when a row of chunks begins, and not with each chunk. */
const STREAMS = {
  name: "streams",
  key: { id: "TEXT" },
  columns: { life: "INTEGER", status: "TEXT", tail: "INTEGER", before: "INTEGER", count: "INTEGER", cuts: "INTEGER", cutStep: "INTEGER", cutAt: "INTEGER" },
} as const satisfies Shape;

/** A stream as it is stored. */
export interface StreamRow {
  id: string;
  /** Another number for each stream that an id has ever named. */
  life: number;
  status: StreamInfo["status"];
  /** The number of the last row of chunks; 0 where there is none. Thereby a last row that is lost is known. */
  tail: number;
  /** The highest sequence that was given before that row; no row need have it any more. */
  before: number;
  /** The chunks of all rows but the last. */
  count: number;
  /** How often chunks were removed, behind which step the last time, and the highest sequence then. */
  cuts: number;
  cutStep: number;
  cutAt: number;
}

/**
 * Chunks with their sequences, as `[[sequence, chunk], …]`: as many as fit into a row, whose number is the sequence that it began
 * with. Each row says which one is before it, so that a lost one is known.
 */
const CHUNKS = {
  name: "chunks",
  key: { stream: "TEXT", number: "INTEGER", part: "INTEGER" },
  columns: { previous: "INTEGER", last: "INTEGER", text: "TEXT" },
} as const satisfies Shape;

type ChunkRow = RowOf<typeof CHUNKS>;

/** What streams ended or failed with. */
const OUTCOMES = { name: "outcomes", key: { stream: "TEXT", part: "INTEGER" }, columns: { text: "TEXT" } } as const satisfies Shape;

/** What there must be, because a stream whose row is lost isn't one that never was. */
const STREAM_PAGES = pagesOf("stream_pages", "TEXT");

const FORMATS = { name: "format", key: { id: "INTEGER" }, columns: { version: "INTEGER" } } as const satisfies Shape;

/** The version of what the rows mean. */
const FORMAT = 1;

/** Characters of a row of chunks, beyond which another one begins: all of it is written with each chunk. A longer chunk has a row of its own. */
const FULL = 1_500;

/** A chunk with its number. */
export type Entry = readonly [sequence: number, chunk: StreamChunk];

/** The streams of one manager, in their tables. */
export class StreamTables {
  private readonly streams: HashedTable<typeof STREAMS>;
  private readonly chunks: HashedTable<typeof CHUNKS>;
  private readonly outcomes: HashedTable<typeof OUTCOMES>;
  private readonly formats: HashedTable<typeof FORMATS>;
  private readonly ids: Directory<string, number>;

  constructor(storage: StoreStorage, name: string) {
    const tables = tablesOf(storage);
    const table = <S extends Shape>(shape: S): HashedTable<S> => new HashedTable(tables, { ...shape, name: `${name}:${shape.name}` });
    this.streams = table(STREAMS);
    this.chunks = table(CHUNKS);
    this.outcomes = table(OUTCOMES);
    this.ids = new Directory(table(STREAM_PAGES), "");
    this.formats = table(FORMATS);
    const format = this.formats.row([1])?.version;
    if (format !== undefined && format !== FORMAT) throw this.formats.unknown([1]);
    if (format !== undefined) return;
    this.ids.begin();
    this.formats.put({ id: 1, version: FORMAT });
  }

  /** Whether the tables are there, which were made in a transaction. */
  get areThere(): boolean {
    try {
      return this.formats.row([1]) !== undefined;
    } catch {
      return false;
    }
  }

  find(id: string): StreamRow | undefined {
    const key = keyOf(id);
    const row = this.streams.row([key]);
    if (row === undefined && this.ids.find(key) !== undefined) throw this.streams.missing([key]);
    return row && { ...row, status: row.status as StreamInfo["status"] };
  }

  create(id: string): StreamRow {
    const life = Math.floor(Math.random() * 2 ** 48);
    const row: StreamRow = { id: keyOf(id), life, status: "active", tail: 0, before: 0, count: 0, cuts: 0, cutStep: 0, cutAt: 0 };
    this.ids.set(row.id, 1);
    this.streams.put({ ...row });
    return row;
  }

  /** Gives a stream another status, and forgets what it ended with. */
  setStatus(row: StreamRow, status: StreamInfo["status"], outcome?: { output?: unknown; error?: string }): void {
    if (outcome === undefined) this.outcomes.delete({ prefix: [row.id] });
    else this.outcomes.putText({ stream: row.id }, jsonOf(outcome));
    if (row.status !== status) this.streams.put({ ...row, status });
  }

  info(row: StreamRow): StreamInfo {
    const ofTail = row.tail === 0 ? 0 : this.entries(this.row(row, row.tail)).length;
    const hasEnded = row.status === "ended" || row.status === "failed";
    const outcome = hasEnded ? (JSON.parse(this.outcomes.text([row.id])) as { output?: unknown; error?: string }) : {};
    return { status: row.status, latestSequence: this.latest(row), chunkCount: row.count + ofTail, ...outcome };
  }

  /** The highest sequence that a chunk was ever given. */
  latest(row: StreamRow): number {
    return row.tail === 0 ? row.before : Math.max(row.before, this.row(row, row.tail).last);
  }

  append(row: StreamRow, chunk: string): void {
    const tail = row.tail === 0 ? undefined : this.row(row, row.tail);
    const latest = Math.max(row.before, tail?.last ?? 0);
    const entry = `[${latest + 1},${chunk}]`;
    if (tail !== undefined && tail.text.length + entry.length < FULL) {
      return this.chunks.put({ ...tail, last: latest + 1, text: `${tail.text.slice(0, -1)},${entry}]` });
    }
    this.chunks.addText({ stream: row.id, number: latest + 1, previous: row.tail, last: latest + 1 }, `[${entry}]`);
    this.streams.put({ ...row, tail: latest + 1, before: latest, count: row.count + (tail === undefined ? 0 : this.entries(tail).length) });
  }

  /** The next chunks behind a sequence: those of one row; none where there are no more. */
  after(row: StreamRow, sequence: number): Entry[] {
    const [at] = this.chunks.rows({ prefix: [row.id], below: sequence + 1 }, { backwards: true, limit: 1 });
    if (at !== undefined && at.last > sequence) return this.entries(this.whole(row, at)).filter(([number]) => number > sequence);
    const next = this.next(row, at?.number ?? 0);
    return next === undefined ? [] : this.entries(next);
  }

  /** Removes the chunks of steps after one, or all; gives the stream as it is then. */
  cut(row: StreamRow, step: number | undefined): StreamRow {
    const cutAt = this.latest(row);
    let [previous, count, ofTail] = [0, 0, 0];
    let isCut = false;
    for (let at = this.next(row, 0); at !== undefined; ) {
      const { number } = at;
      const next = this.next(row, number);
      const entries = this.entries(at);
      const kept = entries.filter(([, chunk]) => step !== undefined && !(chunk.step! > step));
      isCut ||= kept.length < entries.length;
      if (kept.length === 0) {
        this.chunks.delete({ prefix: [row.id, number] });
      } else {
        const key = { stream: row.id, number };
        if (kept.length < entries.length || at.previous !== previous) this.chunks.putText({ ...key, previous, last: kept.at(-1)![0] }, JSON.stringify(kept));
        [previous, count, ofTail] = [number, count + ofTail, kept.length];
      }
      at = next;
    }
    if (!isCut) return row;
    const cut = { ...row, tail: previous, before: cutAt, count, cuts: row.cuts + 1, cutStep: step ?? 0, cutAt };
    this.streams.put({ ...cut });
    return cut;
  }

  delete(row: StreamRow): void {
    for (const table of [this.chunks, this.outcomes, this.streams]) table.delete({ prefix: [row.id] });
    this.ids.remove(row.id);
  }

  /** A row of chunks with all of its text, which must be there. */
  private row({ id }: StreamRow, number: number): ChunkRow {
    const [found] = this.chunks.texts({ prefix: [id, number] });
    if (found === undefined) throw this.chunks.missing([id, number, 0]);
    return { ...found.row, text: found.text };
  }

  /** The row of chunks after another one, or the first after 0. */
  private next(row: StreamRow, number: number): ChunkRow | undefined {
    if (number === row.tail) return undefined;
    const [next] = this.chunks.rows({ prefix: [row.id], from: number + 1 }, { limit: 1 });
    if (next === undefined) throw this.chunks.missing([row.id, row.tail, 0]);
    if (next.previous !== number) throw this.chunks.missing([row.id, next.previous, 0]);
    return this.whole(row, next);
  }

  /** What a row of chunks is part of. */
  private whole(row: StreamRow, found: ChunkRow): ChunkRow {
    return found.part === 0 && found.text.length < FULL ? found : this.row(row, found.number);
  }

  private entries({ text }: ChunkRow): Entry[] {
    return JSON.parse(text) as Entry[];
  }
}
