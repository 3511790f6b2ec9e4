import { EFFECT } from "../bridge/boundary.js";

/** Connections, by their numbers. */
export type Connected = ArrayLike<number> & Iterable<number>;

/** What the core wants done (src/wasm/session.rs). */
export type Effect =
  | [kind: typeof EFFECT.SEND, to: Connected, frame: string]
  | [kind: typeof EFFECT.CLOSE, connection: number, code: number, reason: string]
  | [kind: typeof EFFECT.ATTACH, to: Connected, text: string]
  | [kind: typeof EFFECT.RESYNC, to: Connected, reason: string]
  | [kind: typeof EFFECT.REFUSAL, to: Connected, code: string, message: string]
  | Write;

/** A change that a connection wants made. */
export type Write = [kind: typeof EFFECT.WRITE, connection: number, id: number, patch: string];

/** Statements by name, and what each takes. */
interface Statements {
  putMeta: [format: number, session: string, tail: number, folding: number];
  putRoot: [revision: number, hash: number, text: Uint8Array];
  deleteRoot: [revision: number];
  putChunk: [id: number, hash: number, text: Uint8Array];
  deleteChunk: [id: number];
  putLog: [id: number, last: number, hash: number, patch: string];
  appendLog: [id: number, last: number, hash: number, patch: string];
  deleteLog: [from: number, before: number];
}

type Statement = keyof Statements;

/** One statement of a plan. All write or delete one row but `deleteLog`, which deletes those from one on and before another. */
export type RowOperation = { [S in Statement]: [statement: S, ...parameters: Statements[S]] }[Statement];

/** What the core wants written and sent. It tells it row by row (`Plan` in src/wasm/session.rs); nothing here may throw. */
export class Plan {
  readonly rows: RowOperation[] = [];
  /** The number of the commit; undefined where there is none. */
  revision: number | undefined = undefined;
  /** The size of its patch. */
  bytes = 0;
  readonly sent: Effect[] = [];

  commit(revision: number, bytes: number): void {
    this.revision = revision;
    this.bytes = bytes;
  }

  send(to: Uint32Array, frame: string): void {
    this.sent.push([EFFECT.SEND, to, frame]);
  }

  attach(to: Uint32Array, text: string): void {
    this.sent.push([EFFECT.ATTACH, to, text]);
  }

  effect(effect: Effect): void {
    this.sent.push(effect);
  }

  putMeta(format: number, session: string, tail: number, folding: number): void {
    this.rows.push(["putMeta", format, session, tail, folding]);
  }

  putRoot(revision: number, hash: number, text: Uint8Array): void {
    this.rows.push(["putRoot", revision, hash, text]);
  }

  deleteRoot(revision: number): void {
    this.rows.push(["deleteRoot", revision]);
  }

  putChunk(id: number, hash: number, text: Uint8Array): void {
    this.rows.push(["putChunk", id, hash, text]);
  }

  deleteChunk(id: number): void {
    this.rows.push(["deleteChunk", id]);
  }

  putLog(id: number, last: number, hash: number, patch: string): void {
    this.rows.push(["putLog", id, last, hash, patch]);
  }

  appendLog(id: number, last: number, hash: number, patch: string): void {
    this.rows.push(["appendLog", id, last, hash, patch]);
  }

  putSent(id: number, last: number, hash: number, before: number): void {
    this.putLog(id, last, hash, this.patchSent(before));
  }

  appendSent(id: number, last: number, hash: number, before: number): void {
    this.appendLog(id, last, hash, this.patchSent(before));
  }

  /** The patch that is in the frame that is sent first, so many characters before it and two behind it. */
  private patchSent(before: number): string {
    return String(this.sent[0]![2]).slice(before, -2);
  }

  deleteLog(from: number, before: number): void {
    this.rows.push(["deleteLog", from, before]);
  }
}
