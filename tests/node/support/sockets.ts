import { DatabaseSync } from "node:sqlite";
import { nodeStorage, SyncedState, type StoreStorage, type SyncedStateOptions } from "patchwire/durable-objects";

/** A server's end of a socket, which keeps the frames that it was given, and can be made to fail. */
export class Socket {
  readonly frames: { type: string; revision: number; chunk?: { type: string; patches?: { op: string }[] } }[] = [];
  isClosed = false;
  bufferedAmount = 0;
  private attachment: unknown;

  constructor(private readonly onSend: (frame: string) => void = () => {}) {}

  send(frame: string): void {
    this.onSend(frame);
    this.frames.push(JSON.parse(frame));
  }

  close(): void {
    this.isClosed = true;
  }

  serializeAttachment(value: unknown): void {
    this.attachment = value;
  }

  deserializeAttachment(): unknown {
    return this.attachment;
  }

  /** What it was told of commits, by revision. */
  get revisions(): number[] {
    return this.frames.filter(({ chunk }) => chunk?.type === "state_patch" || chunk?.type === "state_snapshot").map(({ revision }) => revision);
  }
}

/** A state in a database, whose sockets are these. */
export function stateOf<T>(options: SyncedStateOptions<T>, sockets: readonly Socket[], place: DatabaseSync | StoreStorage = new DatabaseSync(":memory:")): SyncedState<T> {
  const storage = place instanceof DatabaseSync ? nodeStorage(place) : place;
  const context = { storage, acceptWebSocket() {}, getWebSockets: () => [...sockets], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  return new SyncedState<T>(context as never, options);
}

export function hello(state: SyncedState<any>, socket: Socket, dialect = "extended", known: { session?: string; revision?: number } = {}): void {
  const { session = null, revision = null } = known;
  state.webSocketMessage(socket as never, JSON.stringify({ type: "hello", version: 1, session, revision, dialect }));
}
