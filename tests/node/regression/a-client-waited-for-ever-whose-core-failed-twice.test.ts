import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import type { PatchwireError } from "patchwire";
import { failAt } from "../../support/faults.ts";

// A core that failed while it was asked again what another one had failed at left the exception to the socket, and no timer: the connection
// was closed, and nothing would have opened another one.

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  failAt(Infinity);
  vi.useRealTimers();
});

class Socket {
  static readonly made: Socket[] = [];
  readonly sent: string[] = [];
  private readonly listeners = new Map<string, (event: any) => void>();
  constructor() {
    Socket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {}
  addEventListener(type: string, listener: (event: any) => void): void {
    this.listeners.set(type, listener);
  }
  say(type: string, event: unknown = {}): void {
    this.listeners.get(type)?.(event);
  }
}

test("it connects again", () => {
  const said: string[] = [];
  const onError = ({ code }: PatchwireError): void => {
    said.push(code);
    // The first call into the next core fails as well.
    failAt(said.length < 2 ? 1 : Infinity);
  };
  const client = connect<{ n: number }>({ url: "ws://localhost/", WebSocket: Socket, onError });
  const [first] = Socket.made;
  first!.say("open");
  expect(first!.sent).toHaveLength(1);
  failAt(1);
  first!.say("message", { data: '{"type":"pong"}' });
  expect(said).toEqual(["ENGINE_LOST", "ENGINE_LOST"]);
  for (let i = 0; i < 600 && Socket.made.length === 1; i++) vi.advanceTimersByTime(100);
  expect(Socket.made.length).toBeGreaterThan(1);
  Socket.made.at(-1)!.say("open");
  expect(Socket.made.at(-1)!.sent).toHaveLength(1);
  client.close();
});
