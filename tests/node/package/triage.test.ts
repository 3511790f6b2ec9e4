// The demo's agent on a plain object, held to an oracle that was computed another way.
import { describe, expect, test } from 'vitest';
import { tokens } from '../../../www/note.ts';
import { events } from '../../../www/payloads.ts';
import { pause, restart, start, steps } from '../../../www/run.ts';
import type { Step } from '../../../www/run.ts';
import { initialState } from '../../../www/triage.ts';
import type { TriageState } from '../../../www/triage.ts';
import { expected } from '../../browser/expected.mjs';

function commit(state: TriageState, step: Step): void {
  if ('append' in step) state.note += step.append;
  else step.update(state);
}

function begun(): TriageState {
  const state = initialState();
  start(0)(state);
  return state;
}

/** What a killed object finds when it opens again: the state and nothing else. */
function reopen(state: TriageState): TriageState {
  return JSON.parse(JSON.stringify(state));
}

describe('the triage agent', () => {
  test('reads every payload of the package', () => {
    expect(events).toHaveLength(329);
  });

  test('ends where the oracle says', () => {
    const state = begun();
    for (const step of steps(() => state)) commit(state, step);
    const { pace: _, ...run } = state.run;
    // Through JSON, so that a member that is there but undefined would be seen.
    expect(reopen({ ...state, run } as TriageState)).toStrictEqual(expected());
  });

  test('goes on exactly where it was, killed after every single step', () => {
    const whole = begun();
    let killed = begun();
    let count = 0;
    for (const step of steps(() => whole)) {
      commit(whole, step);
      killed = reopen(killed);
      const { value } = steps(() => killed).next();
      commit(killed, value as Step);
      expect(killed).toStrictEqual(whole);
      count++;
    }
    expect(count).toBeGreaterThan(1000);
    expect(killed.run.status).toBe('done');
  });

  test('pauses, goes on, and begins again', () => {
    const state = begun();
    const run = steps(() => state);
    for (let i = 0; i < 400; i++) commit(state, run.next().value as Step);
    pause(state);
    const paused = reopen(state);
    expect(paused.run.status).toBe('paused');
    start(5)(state);
    expect(state).toStrictEqual({ ...paused, run: { ...paused.run, status: 'running', pace: 5 } });
    restart(7)(state);
    expect(state).toStrictEqual({ ...initialState(), run: { ...initialState().run, status: 'running', pace: 7 } });
  });

  test('starts a finished run from the beginning', () => {
    const state = begun();
    for (const step of steps(() => state)) commit(state, step);
    pause(state);
    expect(state.run.status).toBe('done');
    start(0)(state);
    expect(state).toStrictEqual(begun());
  });
});

test.each(['', 'a', ' a  b\n\nlonger words here.', 'pairs 👩‍💻👩‍💻👩‍💻 stay whole'])('tokens of %j join to the text', (text) => {
  expect(tokens(text).join('')).toBe(text);
});
