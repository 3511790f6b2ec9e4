/** The part of a request that is used: a `Request` of any platform has it. */
export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * The platform's `Response`. What compiles without that name (no DOM, no types of Workers or Node) needs no more of it
 * than that it is an object.
 */
export type HttpResponse = typeof globalThis extends { Response: { prototype: infer Platform } } ? Platform : object;
