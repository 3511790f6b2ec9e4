import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import { failAt } from "../../support/faults.ts";
import { Line } from "../support/line.ts";

// Who was told that a client's core had failed twice in a row, and closed the client, was told before the client was to be woken: it was
// woken after all, a second later and from then on as often as timers can be.

beforeEach(() => {
  vi.useFakeTimers();
  Line.all = [];
});
afterEach(() => {
  failAt(Infinity);
  vi.useRealTimers();
});

test.each([1, 2])("closed at failure %i", (last) => {
  const said: string[] = [];
  const onError = ({ code }: { code: string }): void => {
    said.push(code);
    failAt(said.length < last ? 1 : Infinity);
    if (said.length === last) client.close();
  };
  const client = connect<{ n: number }>({ url: "ws://there/", WebSocket: Line, onError });
  Line.all[0]!.tell("open", {});
  failAt(1);
  Line.all[0]!.say({ type: "pong" });
  expect(said).toEqual(new Array(last).fill("ENGINE_LOST"));
  expect(client.status).toBe("closed");
  expect(vi.getTimerCount()).toBe(0);
});
