// What the agent writes about a change. Everything here follows from the payload and the state alone, so that a run which
// was killed half way through a sentence can be continued from the note's length.
import type { Immutable } from 'patchwire';
import { subjectOf } from './payloads.ts';
import type { WebhookEvent } from './payloads.ts';
import type { Entry, TriageState } from './triage.ts';

const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December',
];
const QUOTE = 140;

/** What there is to say about the event that was read last; empty if it changed nothing. */
export function tell(state: Immutable<TriageState>, event: WebhookEvent): string {
  const entry = state.activity[state.run.next - 1];
  const subject = subjectOf(event);
  if (!subject || entry.effects.length === 0) return '';
  const effects = entry.effects.join(', ');
  const sentence = `${effects[0].toUpperCase()}${effects.slice(1)}.${quote(event, entry, subject.body)}`;
  const before = state.activity.findLast(({ n, effects }) => n < entry.n && effects.length > 0);
  const isSameDay = before?.at?.slice(0, 10) === entry.at?.slice(0, 10);
  if (before && isSameDay && before.issue === entry.issue) return ` ${sentence}`;
  const heading = before && isSameDay ? '' : `## ${day(entry.at)}\n\n`;
  return `${before ? '\n\n' : ''}${heading}${subject.key}: ${subject.title}\n${sentence}`;
}

function day(at: string | null): string {
  if (at === null) return 'Undated';
  const [year, month, date] = at.slice(0, 10).split('-').map(Number);
  return `${date} ${MONTHS[month - 1]} ${year}`;
}

function quote({ payload }: WebhookEvent, { effects }: Immutable<Entry>, body: string): string {
  const isSaid = effects.some((effect) => effect.endsWith(' commented') || effect.endsWith(' reviewed'));
  const said = isSaid ? (payload.comment ?? payload.review).body : effects[0].startsWith('new ') ? body : '';
  const text = (said ?? '').replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  return ` “${text.length > QUOTE ? `${text.slice(0, QUOTE).trimEnd()}…` : text}”`;
}

export function summary({ run, queue, issues }: Immutable<TriageState>): string {
  const open = queue.filter((key) => !issues[key].closed);
  const first = open.slice(0, 3).map((key) => `${key} (${issues[key].priority})`);
  const about = `All ${run.total} events read: ${queue.length} issues on the board`;
  return `\n\n## Summary\n\n${about}\n${open.length} of them open. First in line: ${first.join(', ')}.`;
}

/** White space and up to six characters: about the size of a language model's tokens. Joined, they are the text. */
export function tokens(text: string): string[] {
  return text.match(/\s*\S{1,6}/gu) ?? [];
}
