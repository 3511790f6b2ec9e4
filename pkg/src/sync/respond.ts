import { refusal } from "../bridge/checks.js";
import type { HttpRequest, HttpResponse } from "./http.js";
import type { LiveState } from "./live-state.js";
import { rulesText, viewText, type ViewOf, type WritesOf } from "./options.js";
import { EventStream } from "./sinks.js";
import { call } from "../bridge/core.js";
import { isLoss } from "../bridge/engine.js";
import { PatchwireError } from "../errors.js";
import { isContainer } from "../json/containers.js";
import type { Dialect } from "../types.js";
import type { SessionHandle } from "../wasm/patchwire.js";

const STREAM_HEADERS = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };

/** Answers as {@link SyncedState.fetch} says; `viewOf` and `writesOf` are the options `view` and `clientWrites` of who answers. */
export function respond(state: LiveState<unknown>, request: HttpRequest, viewOf: ViewOf | undefined, writesOf?: WritesOf): HttpResponse {
  if (!isContainer(request)) throw refusal("the request is an object");
  const { url, method, headers } = request;
  const query = new URL(url).searchParams;
  if (headers.get("Upgrade")?.toLowerCase() === "websocket") {
    if (state.audience.takesSockets) return connect(state, request, viewOf, writesOf);
    return refused(501, "CLOSED", "there are no sockets here: give the state its object's context, this.ctx, or read an event stream (Accept: text/event-stream)");
  }
  if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  const dialect = query.get("dialect") ?? "rfc6902";
  const isKnown = dialect === "rfc6902" || dialect === "extended";
  if (!isKnown || !headers.get("Accept")?.toLowerCase().includes("text/event-stream")) {
    const answered = isKnown ? read(state, request, viewOf, query, dialect) : refused(400, "VALIDATION_FAILED", "the dialect is rfc6902 or extended");
    return method === "GET" ? answered : new Response(null, { status: answered.status, headers: answered.headers });
  }
  // A stream that nobody reads would be kept, and told of every commit.
  if (method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
  const view = viewFor(state, request, viewOf);
  return state.ask(() => stream(state, view, headers.get("Last-Event-ID") ?? "", dialect));
}

/** What a request may see, as JSON text; undefined where everybody sees all. */
function viewFor(state: LiveState<unknown>, request: HttpRequest, viewOf: ViewOf | undefined): string | undefined {
  if (viewOf === undefined) return undefined;
  const view = viewText(viewOf(request));
  // What is malformed is refused before anything is told.
  state.ask(({ session }) => call(() => session.id_for(view)));
  return view;
}

function read(state: LiveState<unknown>, request: HttpRequest, viewOf: ViewOf | undefined, query: URLSearchParams, dialect: Dialect): Response {
  // What is answered can't be taken back, and what is stored may be.
  if (state.isInTransaction) return refused(503, "TRACKER_BUSY", "a transaction of the object is open: ask again");
  const view = viewFor(state, request, viewOf);
  return state.ask(({ session }) => answer(state, session, view, query, dialect));
}

function connect(state: LiveState<unknown>, request: HttpRequest, viewOf: ViewOf | undefined, writesOf: WritesOf | undefined): Response {
  const view = viewFor(state, request, viewOf);
  const writes = writesOf && rulesText(writesOf(request));
  return state.ask(() => new Response(null, { status: 101, webSocket: state.audience.connect(view, writes) } as ResponseInit));
}

function stream(state: LiveState<unknown>, view: string | undefined, last: string, dialect: Dialect): Response {
  const stream = new EventStream(view, (stream) => state.leave(stream));
  const begin = (): void => {
    if (stream.hasEnded) return;
    try {
      state.ask(() => state.audience.listen(stream, last, dialect === "extended"));
    } catch (error) {
      // It may have been answered by now: its reader comes back when it ends.
      stream.close();
      if (!isLoss(error)) throw error;
    }
  };
  state.wait(begin);
  return new Response(stream.body as BodyInit, { headers: STREAM_HEADERS });
}

function answer({ tables }: LiveState<unknown>, session: SessionHandle, view: string | undefined, query: URLSearchParams, dialect: Dialect): Response {
  try {
    const since = query.get("since");
    const known = query.get("session") ?? undefined;
    const content =
      since === null
        ? `"state":${call(() => session.text(view))}`
        : `"frames":${call(() => session.frames_since(view, known, /^\d+$/.test(since) ? Number(since) : NaN, dialect === "extended"))}`;
    const [id, revision] = call(() => [view === undefined ? session.id() : session.id_for(view), session.revision()] as const);
    const body = `{"session":${JSON.stringify(id)},"revision":${revision},${content}}`;
    return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store" } });
  } catch (error) {
    if (!(error instanceof PatchwireError) || isLoss(error) || tables.hasFailed) throw error;
    // The message begins with the code.
    return refused(400, error.code, error.message.slice(error.code.length + 2));
  }
}

const refused = (status: number, code: string, message: string): Response => Response.json({ error: { code, message } }, { status });
