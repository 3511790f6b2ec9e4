import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// Everything public that can be called has an example of its own, in which it is called. The examples run in
// examples.test.ts here and in tests/workerd/.

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** What has none of its own, and why. */
const exceptions = {
  "SyncedState.webSocketMessage": "the class's example calls it, from where it must be called",
  "SyncedState.webSocketClose": "as webSocketMessage",
  "SyncedState.webSocketError": "as webSocketMessage",
  "DurableStateStore.webSocketMessage": "as SyncedState.webSocketMessage",
  "DurableStateStore.webSocketClose": "as SyncedState.webSocketMessage",
  "DurableStateStore.webSocketError": "as SyncedState.webSocketMessage",
  // Interfaces of what the platform gives, in the part that is used.
  "ClientSocket": "a WebSocket",
  "Abort": "an AbortSignal",
  "DurableContext": "a Durable Object's context",
  "DurableStorage": "its storage",
  "HibernatableSocket": "a WebSocket that hibernates",
  "NodeDatabase": "a DatabaseSync of node:sqlite",
  "NodeStatement": "one of its statements",
  "ParallelOwner": "a StateTracker or a SyncedState",
  "SessionStateStore": "DurableStateStore is one",
  "StreamManager": "DurableStreamManager is one",
  "ChunkWriter": "the part of a stream's writer that a tool uses",
  "LockManager": "NoOpLockManager is one",
  "attach": "docs/live.md has it in an Agent of the SDK, which tests/packaging/ runs",
  // Made by a function whose example calls them.
  "ToolContext": "createToolContext",
  "StateProjection": "createStateProjection",
  "ParallelContext": "parallel",
  "StreamWriter": "createWriter",
  "StreamReader": "createReader",
  "ResumableStreamHandler": "createResumableStreamHandler",
  "TableStorage": "memoryStorage makes one, which stores use",
};

/** The names that each entry point exports, and the files that declare them. */
function* exported(): Generator<[name: string, file: string]> {
  const { exports } = JSON.parse(read("pkg/package.json")) as { exports: Record<string, { types?: string }> };
  for (const { types } of Object.values(exports)) {
    if (types === undefined) continue;
    const entry = types.replace("./dist/", "");
    const text = read(`pkg/dist/${entry}`);
    for (const [, name] of text.matchAll(/^export (?:declare )?(?:async )?(?:function|class|interface) (\w+)/gm)) yield [name!, entry];
    for (const [, names, from] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "\.\/(.*?)\.js")?/gm)) {
      for (const [name] of names!.replaceAll(/\btype /g, "").matchAll(/\w+/g)) {
        const file = from ?? new RegExp(`^import .*\\b${name}\\b.* from "\\./(.*?)\\.js"`, "m").exec(text)![1];
        yield [name, `${file}.d.ts`];
      }
    }
  }
}

const MEMBER = /^ {4}(?:static |get )*(\w+)(?:<[^(]*>)?(?:\(|: (?:<.*>)?\(.*\) =>)/;

/** Whatever can be called of what a declaration file has under a name, with the text of its comment; of a class what it inherits, too. */
function* callable(file: string, wanted: string): Generator<[name: string, comment: string]> {
  let [comment, isComment, owner] = ["", false, ""];
  const text = read(`pkg/dist/${file}`);
  for (const line of text.split("\n")) {
    if (/^ *\/\*\*/.test(line)) [comment, isComment] = ["", true];
    if (isComment) {
      comment += `${line}\n`;
      isComment = !line.includes("*/");
      continue;
    }
    const [, kind, name, base] = /^export (?:declare )?(function|class|interface|type) (\w+)(?: extends (\w+))?/.exec(line) ?? [];
    if (name === wanted && (kind === "function" || kind === "class")) yield [name, comment];
    if (name === wanted && base !== undefined) {
      const from = new RegExp(`^import .*\\b${base}\\b.* from "(.*)\\.js"`, "m").exec(text)?.[1];
      // What it inherits is the class's own; what isn't imported is JavaScript's.
      const inherited = from === undefined ? [] : callable(posix.join(posix.dirname(file), `${from}.d.ts`), base);
      for (const [callee, comment] of inherited) if (callee !== base) yield [callee.replace(base, wanted), comment];
    }
    if (name !== undefined) owner = kind === "function" || kind === "type" ? "" : name;
    const member = MEMBER.exec(line)?.[1];
    // A class's own example may be the constructor's.
    if (owner === wanted && member !== undefined && member !== "constructor" && !comment.includes("@internal")) yield [`${owner}.${member}`, comment];
    comment = "";
  }
}

test("everything public that can be called has an example that calls it", () => {
  const [all, shown] = [new Set<string>(), new Set<string>()];
  for (const [name, file] of exported()) {
    for (const [callee, comment] of callable(file, name)) {
      all.add(callee);
      const example = comment.split("@example")[1]?.replace(/import .*/, "");
      const [owner, member = owner] = callee.split(".");
      // A class may be one that is made by a function.
      if (example !== undefined && (/^[A-Z]/.test(member!) || new RegExp(`\\b${member}\\b`).test(example))) shown.add(callee);
    }
  }
  expect(all.size).toBeGreaterThan(60);
  const isExcepted = (callee: string): boolean => callee in exceptions || callee.split(".")[0]! in exceptions;
  expect([...all].filter((callee) => !shown.has(callee) && !isExcepted(callee))).toEqual([]);
});

test("the examples are what TypeScript accepts", () => {
  const compiler = createRequire(import.meta.url).resolve("typescript/package.json").replace("package.json", "bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", fileURLToPath(new URL("tests/examples", root))], { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});
