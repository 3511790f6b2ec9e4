// The run: which step follows from a state. Nothing is remembered between steps that the state doesn't hold.
import type { Immutable } from 'patchwire';
import { summary, tell, tokens } from './note.ts';
import { events } from './payloads.ts';
import { initialState, readEvent } from './triage.ts';
import type { Recipe, TriageState } from './triage.ts';

/** One thing to commit: a recipe, or text for the end of the note. */
export type Step = { update: Recipe } | { append: string };

/** The steps from whatever state the run is in to its end. Each is committed before the next is asked for. */
export function* steps(read: () => Immutable<TriageState>): Generator<Step, void> {
  paragraphs: for (;;) {
    const state = read();
    for (const token of unwritten(state)) {
      yield { append: token };
      // Restarted by somebody else meanwhile: the rest of this paragraph is no longer what comes next.
      if (read().run !== state.run) continue paragraphs;
    }
    const { phase, next, total } = state.run;
    if (next < total) yield { update: readEvent(events[next], next) };
    else if (phase === 'events') yield { update: sumUp };
    else return yield { update: finish };
  }
}

function unwritten(state: Immutable<TriageState>): string[] {
  const { phase, next, noteFrom } = state.run;
  if (phase === 'events' && next === 0) return [];
  const text = phase === 'summary' ? summary(state) : tell(state, events[next - 1]);
  return tokens(text.slice(state.note.length - noteFrom));
}

function sumUp(draft: TriageState): void {
  draft.run.phase = 'summary';
  draft.run.noteFrom = draft.note.length;
}

function finish(draft: TriageState): void {
  draft.run.status = 'done';
}

/** Begins a run, goes on with a paused one, begins again after the last one's end, or changes the pace of a running one. */
export function start(pace: number): Recipe {
  return (draft) => {
    if (draft.run.status === 'done') restart(pace)(draft);
    draft.run.status = 'running';
    draft.run.pace = pace;
  };
}

export function pause(draft: TriageState): void {
  if (draft.run.status === 'running') draft.run.status = 'paused';
}

/** Begins again from nothing. */
export function restart(pace: number): Recipe {
  return (draft) => {
    Object.assign(draft, initialState());
    draft.run.status = 'running';
    draft.run.pace = pace;
  };
}
