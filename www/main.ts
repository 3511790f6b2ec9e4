// The page: connects to the session that the address names and keeps its panels in step with the client's state.
import { connect } from 'patchwire/client';
import { activityPanel } from './page/activity.ts';
import { byId, count, setText } from './page/dom.ts';
import { issuesPanel } from './page/issues.ts';
import { notePanel } from './page/note.ts';
import { repositoriesPanel } from './page/repositories.ts';
import type { Snapshot } from './page/snapshot.ts';
import { wirePanel } from './page/wire.ts';
import type { TriageState } from './triage.ts';

declare global {
  interface Window {
    patchwire: typeof client;
  }
}

const session = sessionName(new URLSearchParams(location.search).get('session'));
const route = `/session/${encodeURIComponent(session)}`;
const wire = wirePanel();
const panels = [notePanel(), issuesPanel(), activityPanel(), repositoriesPanel()];
const start = byId<HTMLButtonElement>('start');
const startHere = byId<HTMLButtonElement>('start-here');
const restart = byId<HTMLButtonElement>('restart');
const pace = byId<HTMLSelectElement>('pace');

const client = connect<TriageState>({ url: route, onPatch: wire.arrived });
window.patchwire = client;
client.subscribe(schedule);

setText(byId('session'), session);
byId<HTMLAnchorElement>('second').href = `?session=${encodeURIComponent(session)}`;

byId('controls').addEventListener('submit', (event) => {
  event.preventDefault();
  const isRunning = client.getState()?.run.status === 'running';
  void post(isRunning ? 'pause' : 'start');
});
restart.addEventListener('click', () => void post('restart'));
pace.addEventListener('change', () => {
  if (client.getState()?.run.status === 'running') void post('start');
});

/** The name in the address, or the next one to it that the server knows how to read. */
function sessionName(given: string | null): string {
  const name = given?.replace(/[^\w-]+/g, '-').slice(0, 64) || 'demo';
  if (given !== null && name !== given) history.replaceState(null, '', `?session=${name}`);
  return name;
}

async function post(verb: 'start' | 'pause' | 'restart'): Promise<void> {
  const answer = await fetch(`${route}/${verb}?pace=${pace.value}`, { method: 'POST' }).catch(() => undefined);
  if (!answer?.ok) setText(byId('announce'), 'The server did not answer.');
}

let scheduled = false;

/** Patches may arrive many times a frame; the page is drawn once. */
function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}

function draw(): void {
  const status = byId('status');
  status.dataset.status = client.status;
  setText(status, client.status);
  const state = client.getState();
  if (!state) return;
  setText(byId('revision'), count(client.revision));
  drawRun(state);
  for (const panel of panels) panel(state);
  wire.draw(state, client.stats);
}

const LABELS = { idle: 'Start the run', running: 'Pause', paused: 'Continue', done: 'Run again' } as const;
const ANNOUNCED = { idle: '', running: 'The run is under way.', paused: 'The run is paused.', done: 'The run is over.' } as const;
let shownRun: Snapshot['run'] | undefined;

function drawRun({ run, activity }: Snapshot): void {
  const isUnderWay = run.status === 'running' || run.status === 'paused';
  start.disabled = startHere.disabled = client.status !== 'live';
  restart.disabled = start.disabled || !isUnderWay;
  if (run === shownRun) return;
  if (run.status !== shownRun?.status) {
    setText(start, LABELS[run.status]);
    setText(byId('announce'), ANNOUNCED[run.status]);
    setText(byId('welcome-total'), count(run.total));
  }
  shownRun = run;
  const progress = byId<HTMLProgressElement>('progress');
  progress.max = run.total;
  progress.value = run.next;
  setText(byId('progress-text'), run.status === 'idle' ? `${count(run.total)} events to read` : `${count(run.next)} of ${count(run.total)} events`);
  const at = activity.at(-1)?.at;
  setText(byId('progress-date'), at ? day(at) : run.next > 0 ? 'undated events' : '');
}

function day(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}

schedule();
