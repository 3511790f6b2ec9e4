import { PatchwireError } from "../errors.js";

const missing = ["TextEncoder", "TextDecoder", "structuredClone"].filter((name) => !(name in globalThis));

// Imported before all that needs them at import: Jest's jsdom takes them away, and says nothing about it.
if (missing.length > 0) throw new PatchwireError("ENGINE_BLOCKED", `there is no ${missing.join(", no ")} here; for jsdom in Jest see docs/jest.md`);
