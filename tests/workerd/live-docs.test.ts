import { expect, test } from "vitest";
import { applyPatch } from "patchwire";
import live from "../../docs/live.md?raw";
import { newSession, stateOf, update, within } from "./session.ts";

// The reader of event streams in docs/live.md follows a state: one in parts, patches, and a connection that is cut off before an id.

const [, code] = /```js\nimport \{ applyPatch \} from "patchwire";\n([\s\S]*?)```/.exec(live)!;

test("the example reads snapshots, follows patches, and takes no frame twice", async () => {
  const stub = newSession();
  for (let i = 0; i < 6; i++) await update(stub, (draft) => void draft.notes.push({ text: "x".repeat(1_000_000) }));
  let source!: { onmessage(event: { data: string }): void };
  const made = new Function("EventSource", "applyPatch", `${code}; return { stream, read: () => state };`) as (...given: unknown[]) => { read(): unknown };
  const { read } = made(class { constructor() { source = this as never; } }, applyPatch);
  const frames = async (since: string | undefined): Promise<string> => {
    const headers = { Accept: "text/event-stream", ...(since && { "Last-Event-ID": since }) };
    const response = await within(stub, ({ state }) => state.fetch(new Request("http://session/?dialect=extended", { headers })));
    const reader = response.body!.getReader();
    let [text, id] = ["", ""];
    while (!text.includes('"type":"status"') || !/id: .*\n\n$/.test(text)) text += new TextDecoder().decode((await reader.read()).value, { stream: true });
    for (const event of text.split("\n\n")) {
      if (event.startsWith("data: ")) source.onmessage({ data: event.slice(6) });
      if (event.startsWith("id: ")) id = event.slice(4);
    }
    return id;
  };
  const id = await frames(undefined);
  expect(read()).toEqual((await stateOf(stub)).state);
  await within(stub, ({ state }) => state.append("/answer", "token"));
  // The second time as if the id had been lost.
  for (let i = 0; i < 2; i++) await frames(id);
  expect(read()).toEqual((await stateOf(stub)).state);
});
