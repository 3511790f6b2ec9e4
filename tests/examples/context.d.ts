/** The context of the Durable Object that an example is in. */
declare const ctx: import("patchwire/durable-objects").DurableContext;

/** What an example in Node uses of it. */
declare module "node:sqlite" {
  export class DatabaseSync {
    constructor(path: string);
    exec(query: string): void;
    prepare(query: string): { columns(): unknown[]; all(...values: unknown[]): unknown[]; run(...values: unknown[]): unknown };
  }
}
