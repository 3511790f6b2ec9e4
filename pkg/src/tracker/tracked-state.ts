import { arena, call, isAlive, passBytes, passPointer, passTexts, release, reserve } from "../bridge/core.js";
import { isLoss } from "../bridge/engine.js";
import { Log } from "../state/log.js";
import { readPatch } from "../bridge/packed.js";
import { PatchwireError } from "../errors.js";
import { isContainer, type Key } from "../json/containers.js";
import { readEdits, type PlainEdit } from "../state/edits.js";
import { remember, type Intake } from "../json/json.js";
import { patchText } from "../bridge/patch-text.js";
import { bytesOf } from "../json/size.js";
import { State, type Measure } from "../state/state.js";
import { Base } from "../state/unread.js";
import { Plan } from "../tables/plan.js";
import type { CheckpointId, JSONPatchOperation, Limits } from "../types.js";
import { StateDocument, type DocumentOrigin } from "../bridge/document.js";
import type { SessionHandle, TrackerCore } from "../wasm/patchwire.js";
import { Backlog, type Portion } from "./backlog.js";
import { sideOf, start, type CoreSide, type TrackedOptions } from "./core-side.js";
import { Headroom } from "./headroom.js";
import { Readers, type Reader } from "./readers.js";
import { OpenStreams, type Stream } from "./open-streams.js";
import { simplePatch } from "./simple-patch.js";
import { validate, type Rule } from "../values/validate.js";

const play = (tracker: TrackerCore, length: number): number => tracker.play(arena(), length);
const standardText = (tracker: TrackerCore, reader: number): string => tracker.patch_text(reader, false);
const extendedText = (tracker: TrackerCore, reader: number): string => tracker.patch_text(reader, true);
const settle = (tracker: TrackerCore): void => tracker.settle(true);
const weight = (tracker: TrackerCore): number => tracker.weight();
const isHosted = (tracker: TrackerCore): boolean => tracker.is_hosted();
const mayBeOver = (tracker: TrackerCore): boolean => tracker.may_be_over();
const advance = (tracker: TrackerCore, reader: number): void => tracker.advance(reader);

/** How many changes can be undone if nothing else is said (`TrackerOptions::default` in src/tracker/mod.rs). */
const STEPS = 100;

/** How many bytes a piece of a stream adds to the state at most: what it opens is closed there. */
function mostOf(piece: string | Uint8Array): number {
  if (typeof piece === "string") return bytesOf(piece) + (piece.match(/["[{]/g)?.length ?? 0);
  return piece.length + piece.filter((byte) => byte === 0x22 || byte === 0x5b || byte === 0x7b).length;
}

/**
 * A tracker's two sides: the plain state, whose changes are recorded here, and the core, which is told of them when
 * somebody asks what they mean. If the core is lost, another one begins with the plain state as it is.
 */
export class TrackedState {
  readonly readers = new Readers();
  private readonly streams = new OpenStreams();
  private readonly headroom: Headroom;
  private readonly backlog: Backlog;
  /** The names that the core knows by number are this log's. */
  private readonly log = new Log();
  /** Null over a document that nobody has looked into. */
  private plain: State | null = null;
  /** Streams have written what the plain state hasn't followed yet. */
  private isBehind = false;
  private isValidating = false;
  /** What the state is read from, if not all of it has been: {@link StateDocument.origin}. */
  private origin: DocumentOrigin | undefined = undefined;

  private constructor(
    private core: CoreSide,
    private readonly options: TrackedOptions,
    private readonly rule: Rule | undefined,
  ) {
    this.headroom = new Headroom(options.limits);
    this.backlog = new Backlog(this.readers, options.history ?? STEPS);
  }

  static ofDocument(document: StateDocument, options: TrackedOptions, rule?: Rule): TrackedState {
    const tracked = new TrackedState({ kind: "document", document }, options, rule);
    tracked.origin = document.origin;
    const { tracker } = tracked.open();
    if (call(isHosted, tracker, null)) tracked.headroom.beginBlind();
    tracked.headroom.mayBeOver = call(mayBeOver, tracker, null);
    if (rule !== undefined) validate(rule, tracked.state.publish());
    return tracked;
  }

  /** What is accepted, where something else is asked for than usual. */
  get limits(): Limits | undefined {
    return this.options.limits;
  }

  /** Of a live object's state, which is the session's. */
  static ofSession(session: SessionHandle, limits: Limits | undefined, rule?: Rule): TrackedState {
    const tracker = call(() => session.tracker());
    const options: TrackedOptions = { granularity: "path", arrayDelta: "precise", counters: [], texts: [], limits, history: 0 };
    const tracked = new TrackedState(sideOf(tracker), options, rule);
    tracked.headroom.beginHeld(call(() => tracker.weight()));
    return tracked;
  }

  /** Of a plain frozen state, and what is known of it. */
  static ofState(state: unknown, intake: Intake, options: TrackedOptions, rule?: Rule): TrackedState {
    const tracked = new TrackedState({ kind: "frozen", value: state }, options, rule);
    const { headroom } = tracked;
    tracked.plain = tracked.stand(state);
    headroom.beginWith(intake);
    // What is wrong is said by the constructor, not later.
    if (headroom.isNear({ bytes: 0, depth: intake.depth, longest: intake.longest })) {
      StateDocument.parse(JSON.stringify(state), options.limits).free();
      headroom.measure(state, 0);
    }
    if (options.counters.length > 0 || options.texts.length > 0) tracked.open();
    if (rule !== undefined) validate(rule, state);
    return tracked;
  }

  private stand(state: unknown): State {
    return new State(state, this.rule === undefined, this.headroom.limits.document, () => this.headroom.whole, this.log);
  }

  /** The plain state, up to date; over a document it stands from when it is first needed. */
  get state(): State {
    if (this.isBehind) this.catchUp();
    if (this.plain === null) {
      this.plain = this.stand(new Base(this.now()));
      // Before a change is made in it: afterwards it can't be told what was there.
      if (!this.headroom.isKnown) this.headroom.find(this.plain.publish());
      this.headroom.reach(0, this.headroom.limits.depth);
    }
    return this.plain;
  }

  /** The plain state, up to date and frozen. */
  publish(): unknown {
    const state = this.state.publish();
    if (this.headroom.isLarge) remember(state, this.headroom.intake);
    return state;
  }

  /** Whether a recipe or a validator is running. */
  get isBusy(): boolean {
    return this.plain?.isOpen === true || this.isValidating;
  }

  /** Whether a stream writes. */
  get hasStreams(): boolean {
    return !this.streams.areNone;
  }

  /** The present version as a document. */
  now(): StateDocument {
    const tracker = this.flushed();
    return new StateDocument(call(() => tracker.document()), this.origin);
  }

  /** Makes what was worked out the next version, asking the core first where a limit may be near. */
  accept(measure: Measure): void {
    const { state } = this;
    try {
      this.validate(state);
      if (this.headroom.isNear(measure)) this.headroom.attempt(() => this.acceptNear(state, measure));
      else this.headroom.addMeasured(measure);
    } catch (error) {
      state.rollback();
      throw error;
    }
    state.commit();
    this.readers.changed(true);
    // What this change alone is may be told without the core.
    this.shorten(state, true);
  }

  /** Has a change accepted by which the state may be over a limit. */
  private acceptNear(state: State, measure: Measure): void {
    const { headroom } = this;
    if (!headroom.isKnown && state.isWhole && !headroom.isNearOther(measure)) {
      // To weigh the state there, the core would have to carry out all that it hasn't been told of.
      headroom.measure(state.unfinished(), 0);
    } else {
      const { tracker } = this.open();
      this.play(tracker, state, state.start);
      if (!headroom.isKnown && headroom.isNearSize(measure.bytes)) this.measure(tracker);
      // What the core weighs next may be a part of the state, and of that this change.
      else headroom.add(measure.bytes);
      this.play(tracker, state, state.log.length);
    }
    headroom.reach(measure.bytes, measure.depth);
  }

  /** Refuses a state that is over the limit of its size, with the unfinished change. */
  private measure(tracker: TrackerCore): void {
    const { state } = this;
    this.headroom.measure(state.unfinished(), call(weight, tracker, null));
  }

  /** Whether such a change may be refused when it is accepted. */
  private mayRefuse(measure: Measure): boolean {
    return this.rule !== undefined || this.headroom.isNear(measure);
  }

  /** Makes a string longer at its end: the state follows when somebody looks. The core gets the tokens of a stream as one addition. */
  grow(path: Key[], pointer: string, text: string, length: number): void {
    const measure = { bytes: text.length * 3, depth: path.length, longest: length };
    const { state } = this;
    if (this.mayRefuse(measure)) {
      state.appendNow(path, text);
      this.accept(measure);
      return;
    }
    const isOneWithLast = state.appendLater(path, pointer, text, length);
    this.headroom.add(measure.bytes);
    if (!isOneWithLast) this.readers.changed(true);
    this.shorten(state, true);
  }

  /** Adds to a number that is known to be there. */
  increase(path: Key[], value: number, by: number): void {
    const measure = { bytes: 26, depth: path.length, longest: 0 };
    this.state.increase(path, value, by, !this.mayRefuse(measure));
    this.accept(measure);
  }

  /** Applies a patch, given as text or as operations. */
  apply(given: readonly JSONPatchOperation[] | string): void {
    const { state } = this;
    const measure = this.streams.areNone ? state.patch(given, this.headroom.limits) : undefined;
    if (measure === null) return;
    if (measure !== undefined) {
      if (!this.headroom.isNear(measure)) return this.accept(measure);
      state.rollback();
    }
    const patch = patchText(given);
    const begin = (tracker: TrackerCore, hold: boolean): string => tracker.apply(...passTexts(patch), hold);
    this.change(begin, { patch });
  }

  /**
   * Makes a change that begins in the core, on both sides, and says whether there was one. The plain state follows when
   * somebody looks; with a rule at once, and the core holds the change until the state that it leads to has been validated.
   * The edits may refer to the `patch` that it was.
   */
  change(begin: (tracker: TrackerCore, hold: boolean) => string | undefined, { patch = "", isTakenBack = false } = {}): boolean {
    const { state } = this;
    const tracker = this.flushed();
    const { isKnown } = this.headroom;
    const isHeld = !isTakenBack && this.rule !== undefined;
    const answer = call(begin, tracker, isHeld || !isKnown);
    if (answer === undefined) return false;
    const measure = { bytes: (answer.length + patch.length) * 3, depth: 0, longest: 0 };
    const isNear = !isKnown && this.headroom.isNearSize(measure.bytes);
    if (isHeld || isNear) {
      try {
        state.follow(readEdits(answer, patch));
        if (isHeld) this.validate(state);
        // What was there may be put back where others have used its room.
        if (isNear && isTakenBack) this.headroom.find(state.unfinished());
        else if (isNear) this.measure(tracker);
        call(settle, tracker, null);
      } catch (error) {
        state.rollback();
        if (isAlive(tracker)) call(() => tracker.settle(false));
        throw error;
      }
      state.commit();
    } else {
      if (!isKnown) call(settle, tracker, null);
      state.later(() => readEdits(answer, patch));
    }
    this.readers.changed(false);
    this.headroom.add(measure.bytes, this.headroom.limits.depth);
    return true;
  }

  /** Shows the validator, if there is one, the state with the unfinished change. */
  private validate(state: State): void {
    if (this.rule === undefined) return;
    this.isValidating = true;
    try {
      validate(this.rule, state.preview());
    } finally {
      this.isValidating = false;
    }
  }

  /** Keeps the present version, and names it. */
  checkpoint(label: string): CheckpointId {
    const side = this.upToDate();
    side.signature ??= Math.random().toString(36).slice(2);
    return `${call(() => side.tracker.checkpoint())}-${side.signature}-${label}`;
  }

  restore(checkpoint: CheckpointId): void {
    const [number, signature = ""] = typeof checkpoint === "string" ? checkpoint.split("-", 2) : [];
    const isKnown = signature === this.upToDate().signature && /^\d{1,9}$/.test(number ?? "");
    if (!isKnown) throw new PatchwireError("STALE_STATE", "the checkpoint is unknown or was forgotten");
    this.change((tracker, hold) => tracker.restore(Number(number), hold));
  }

  /** The core says why no text, or no number, can be added there. */
  refuseAddition(pointer: string, isText: boolean): never {
    const tracker = this.flushed();
    const [buffer, length] = passPointer(pointer);
    call(() => tracker.refuse_addition(buffer, length, isText));
    throw new PatchwireError("PATH_NOT_FOUND", isText ? "there is no string to append to" : "there is no number to add to", { path: pointer });
  }

  openStream(pointer: string): Stream {
    const tracker = this.flushed();
    const [buffer, length] = passPointer(pointer);
    return this.streams.add(call(() => tracker.stream(buffer, length)));
  }

  /** Gives a piece of a stream to the core. The plain state follows when it is needed. */
  write(stream: Stream, piece: string | Uint8Array): void {
    this.streams.on(stream, () => {
      const tracker = this.writable(stream);
      if (!this.headroom.isKnown && this.headroom.isNearSize(piece.length * 3)) {
        this.headroom.measure(this.state.publish(), call(weight, tracker, null), mostOf(piece));
      }
      const [buffer, length] = typeof piece === "string" ? passTexts(piece) : passBytes(piece);
      this.streams.ask(stream, () => tracker.write(stream.id, buffer, length));
      this.headroom.add(length * 3, this.headroom.limits.depth);
    });
    this.isBehind = true;
    this.readers.changed(false);
  }

  /** Ends a stream one way or the other. */
  endStream(stream: Stream, begin: (tracker: TrackerCore, hold: boolean) => string, isTakenBack = false): void {
    this.streams.on(stream, () => {
      this.writable(stream);
      this.change((tracker, hold) => this.streams.ask(stream, () => begin(tracker, hold)), { isTakenBack });
    });
    this.streams.delete(stream);
  }

  private writable(stream: Stream): TrackerCore {
    const tracker = this.flushed();
    this.streams.require(stream);
    return tracker;
  }

  private catchUp(): void {
    const { tracker } = this.open();
    if (!this.isBehind) return;
    const edits = call(() => tracker.catch_up());
    this.isBehind = false;
    if (this.plain === null) return;
    this.plain.later(() => JSON.parse(edits) as PlainEdit[]);
  }

  openReader(): Reader {
    const tracker = this.flushed();
    return this.readers.add(call(() => tracker.open_cursor()));
  }

  closeReader(reader: Reader): void {
    const { core } = this;
    if (this.readers.delete(reader) && core.kind === "running" && isAlive(core.tracker)) call(() => core.tracker.close_cursor(reader.id));
  }

  /** What the core answers to a reader. That changes were lost is said to each reader once. */
  ask<R>(reader: Reader, question: (tracker: TrackerCore, reader: number) => R): R {
    try {
      const tracker = this.flushed();
      if (reader.hasLost) throw new PatchwireError("ENGINE_LOST", "the core failed with changes that were not read: go on from the state as it is");
      return call(question, tracker, reader.id);
    } catch (error) {
      // Who is told of a loss takes the state as it is: what led to that is no news any more.
      if (isLoss(error) && this.plain !== null) this.advance(reader);
      throw error;
    }
  }

  /** What changed since the reader's baseline, as objects. */
  patch(reader: Reader, isExtended: boolean): JSONPatchOperation[] {
    const operations = this.simplePatch(reader, isExtended);
    if (operations !== null) return operations;
    const { plain } = this;
    const isHere = plain !== null && plain.isWhole && !this.isBusy && !this.isBehind;
    const length = this.ask(reader, (tracker, reader) => tracker.patch(reader, isExtended, isHere, arena()));
    return readPatch(reserve(length), plain?.log.texts ?? [], isHere ? plain.unread() : undefined);
  }

  /** What changed since the reader's baseline, as the JSON text of a patch. */
  patchText(reader: Reader, isExtended: boolean): string {
    const operations = this.simplePatch(reader, isExtended);
    return operations === null ? this.ask(reader, isExtended ? extendedText : standardText) : JSON.stringify(operations);
  }

  /** What changed since the reader's baseline, if that is known without the core. */
  private simplePatch(reader: Reader, isExtended: boolean): JSONPatchOperation[] | null {
    const { plain } = this;
    if (plain === null || this.isBusy || this.isBehind) return null;
    if (this.readers.lacksNothing(reader)) return [];
    if (!this.readers.lacksOneRecorded(reader)) return null;
    const most = this.headroom.limits.operations;
    const recorded = plain.log.lastRecipe(most);
    return recorded && simplePatch(recorded, plain, isExtended, this.options, most);
  }

  /** Makes the present state the reader's baseline. */
  advance(reader: Reader): void {
    const { plain } = this;
    if (plain !== null && !this.isBusy) {
      this.recover();
      plain.log.advance(reader.id);
      this.readers.setBaseline(reader);
      this.shorten(plain, false);
      return;
    }
    try {
      call(advance, this.flushed(), reader.id);
    } catch (error) {
      // The next core begins with the present state: then that is the baseline.
      if (!isLoss(error) || plain === null) throw error;
      this.recover();
    }
    this.readers.setBaseline(reader);
  }

  /** The core, up to date. */
  private flushed(): TrackerCore {
    return this.upToDate().tracker;
  }

  private upToDate(): CoreSide & { kind: "running" } {
    const side = this.open();
    const { plain } = this;
    // What a recipe that is still running did, or what is being validated, may yet be taken back.
    if (plain !== null) this.play(side.tracker, plain, this.isBusy ? plain.start : plain.log.length);
    return side;
  }

  /** Hands the log to the session, which commits what has changed: one crossing for both. */
  commit(session: SessionHandle): Plan {
    const { plain } = this;
    const plan = new Plan();
    const count = plain?.log.length ?? 0;
    let weight: number;
    try {
      const length = count === 0 ? 0 : plain!.log.encode(count);
      weight = call(() => session.commit(arena(), length, plan));
    } catch (error) {
      plain?.log.refused();
      throw error;
    }
    if (plain !== null) this.drop(plain, count);
    this.headroom.weigh(weight);
    return plan;
  }

  /** Whether so many parts of the document were read one by one that opening it anew would hold less. */
  get isCrowded(): boolean {
    return this.plain?.isCrowded === true;
  }

  /**
   * Stands on what the session has committed when it is next looked at: what was read stands on a version before. All of it is
   * committed. A state that somebody has seen, and may compare, stays, and reads what is left of that version.
   */
  readAnew(session: SessionHandle): void {
    const { plain } = this;
    if (plain?.isSeen === true) {
      if (!plain.isWhole) plain.publish();
      return;
    }
    this.plain = null;
    plain?.close((document) => call(() => session.let_go(document.handle)));
  }

  /** Gives back what it holds in the core's memory: nobody will ask it anything any more. */
  close(): void {
    this.plain?.close();
    if (this.core.kind === "running") release(this.core.tracker);
  }

  /**
   * Keeps the log short. With `leavesLast` the records of the last recipe stay in it, because they may be told without the
   * core.
   */
  private shorten(plain: State, leavesLast: boolean): void {
    if (this.backlog.isDue(plain.log, leavesLast)) {
      // A core that was lost takes the log along.
      this.recover();
      this.hand(plain, leavesLast ? plain.start : plain.log.length);
    }
    const takesStates = this.core.kind === "frozen" || (this.core.kind === "running" && this.core.values !== null);
    if (takesStates && plain.isWhole) this.backlog.remember(plain, leavesLast);
  }

  /** Hands the log's first records to the core early, or the states that they led to. */
  private hand(plain: State, count: number): void {
    const takesStates = this.streams.areNone && !this.isBehind && plain.isWhole;
    try {
      while (count > 0) {
        const portion: Portion = takesStates ? this.backlog.next(count) : { kind: "records", count };
        if (portion.kind === "records") this.play(this.open().tracker, plain, portion.count);
        else this.replace(plain, portion);
        if (portion.kind === "beginning") return;
        count -= portion.count;
      }
    } catch {
      // The change is made, and this was none of its business: whoever asks next is told.
    }
  }

  /** The core goes on with the state of a portion of the log. */
  private replace(plain: State, portion: Exclude<Portion, { kind: "records" }>): void {
    const { kind, state, count } = portion;
    const side = kind === "beginning" && this.core.kind === "frozen" ? this.core : this.open();
    if (side.kind === "frozen") side.value = state;
    else if (side.values !== null && isContainer(state)) {
      const held = side.values.hold(state, this.headroom.whole.depth);
      call(() => side.tracker.replace(held, Array.isArray(state), kind === "step" ? portion.bytes : undefined));
    } else return this.play(side.tracker, plain, count);
    this.drop(plain, count);
  }

  /** Hands the log's first records to the core. */
  private play(tracker: TrackerCore, plain: State, count: number): void {
    if (count === 0) return;
    try {
      this.headroom.weigh(call(play, tracker, plain.log.encode(count)));
    } catch (error) {
      plain.log.refused();
      throw error;
    }
    this.drop(plain, count);
  }

  /** The core knows what the first records say. */
  private drop(plain: State, count: number): void {
    plain.drop(count);
    this.backlog.drop(count);
  }

  /** The core, started when first needed. */
  private open(): CoreSide & { kind: "running" } {
    if (this.origin?.failure !== undefined) throw this.origin.failure;
    this.recover();
    if (this.core.kind === "running") return this.core;
    const side = start(this.core, this.options, this.headroom.bounds, this.headroom.whole.depth);
    const { tracker } = side;
    if (this.headroom.isKnown) this.headroom.begin(call(weight, tracker, null));
    this.readers.renumber(() => call(() => tracker.open_cursor()), (id) => call(() => tracker.close_cursor(id)));
    this.core = side;
    return side;
  }

  /**
   * If the core was lost, the plain state is what the next one begins with, and every reader's baseline. A state that
   * was in the core alone is lost with it.
   */
  recover(): void {
    if (this.core.kind !== "running" || isAlive(this.core.tracker)) return;
    const { plain } = this;
    if (plain === null) throw new PatchwireError("ENGINE_LOST", "the core failed before the state was read from it: make a tracker of the document again");
    this.core = { kind: "frozen", value: plain.publish() };
    this.headroom.isKnown = false;
    if (this.headroom.isNearSize(0)) this.headroom.find(this.core.value);
    plain.restart(this.isBusy);
    this.backlog.clear();
    this.readers.lose();
    this.streams.lose();
    this.isBehind = false;
  }
}
