import { afterEach, expect, test, vi } from "vitest";
import { connect, type ConnectOptions, type PatchwireError } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// A constructor that can't be called, a url that leads elsewhere, and a function that took eleven seconds for a url left a client
// connecting for good, and nobody was told.

afterEach(() => vi.useRealTimers());

function client(options: Partial<ConnectOptions> = {}) {
  Line.all = [];
  const errors: PatchwireError[] = [];
  const one = connect<{ n: number }>({ url: "ws://there/", WebSocket: Line, onError: (error) => errors.push(error), ...options });
  return { one, errors };
}

test("a WebSocket that can't be made is told, with its cause, and tried again", async () => {
  let count = 0;
  const WebSocket = function (url: string) {
    if (count++ === 0) throw new TypeError("headers can't be set here");
    return new Line(url);
  } as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const { one, errors } = client({ WebSocket });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1, { timeout: 5_000 });
  expect(errors.map(({ code, cause }) => [code, cause])).toEqual([["CLOSED", new TypeError("headers can't be set here")]]);
  one.close();
});

test("an arrow function is no constructor", async () => {
  const { one, errors } = client({ WebSocket: ((url: string) => new Line(url)) as never });
  await vi.waitUntil(() => errors.length > 0);
  expect(errors[0]).toMatchObject({ code: "CLOSED", cause: expect.any(TypeError) });
  one.close();
});

test("who never had a state is told once that there may be none", async () => {
  vi.useFakeTimers();
  const { one, errors } = client();
  for (let i = 0; i < 40; i++) {
    Line.all.at(-1)!.tell("close", { code: 1006 });
    await vi.advanceTimersByTimeAsync(2_000);
  }
  expect([one.status, errors.map(({ code }) => code)]).toEqual(["connecting", ["NOT_FOUND"]]);
  const count = Line.all.length;
  while (Line.all.length === count) await vi.advanceTimersByTimeAsync(100);
  Line.all.at(-1)!.say(...snapshot({ n: 1 }));
  expect([one.status, one.getState()]).toEqual(["live", { n: 1 }]);
  one.close();
});

test("a url may take its time", async () => {
  vi.useFakeTimers();
  const url = vi.fn(() => new Promise<string>((resolve) => setTimeout(() => resolve("ws://there/?token=1"), 40_000)));
  const { one, errors } = client({ url });
  await vi.advanceTimersByTimeAsync(40_100);
  expect([url.mock.calls.length, Line.all.map((line) => line.url), errors]).toEqual([1, ["ws://there/?token=1"], []]);
  Line.all[0]!.say(...snapshot({ n: 1 }));
  expect(one.status).toBe("live");
  one.close();
});

test("but not for ever", async () => {
  vi.useFakeTimers();
  const url = vi.fn(() => new Promise<string>(() => {}));
  const { one } = client({ url });
  await vi.advanceTimersByTimeAsync(71_000);
  expect(url).toHaveBeenCalledTimes(2);
  one.close();
});
