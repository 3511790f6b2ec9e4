/** The context of the Durable Object that an example is in. */
declare const ctx: import("patchwire/durable-objects").DurableContext;
