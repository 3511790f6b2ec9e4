import { expect, test } from "vitest";
import { addNote, hello, newSession, Wire, within } from "../session.ts";

// A state whose rows are damaged was refused to whoever asked, but its pages went on being `live`.

test("clients are closed when the state can't be read", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const wire = await Wire.open(stub, hello(null, null));
  await wire.until((frame) => frame.type === "status");
  await within(stub, ({ state }, ctx) => {
    ctx.storage.sql.exec("UPDATE patchwire_log SET hash = hash + 1");
    state.unload();
    expect(() => state.getState()).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
  await expect.poll(() => wire.closed).toEqual({ code: 1011, reason: "the state can't be read" });
  await within(stub, ({ state }, ctx) => {
    ctx.storage.sql.exec("UPDATE patchwire_log SET hash = hash - 1");
    expect(state.getState().notes).toHaveLength(1);
  });
});
