// The agent: what it knows and the recipes that change it. agent.md says what it does and why.
import { events, subjectOf } from './payloads.ts';
import type { Payload, Subject, WebhookEvent } from './payloads.ts';

export type Priority = 'urgent' | 'high' | 'normal' | 'low';
export type Status =
  | 'closed' | 'locked' | 'draft' | 'failing' | 'needs a fix' | 'answered' | 'open' | 'in review' | 'assigned' | 'needs an owner';

export interface Comment { id: number; author: string; body: string }

export interface Issue {
  repo: string;
  ref: string;
  kind: Subject['kind'];
  title: string;
  author: string;
  status: Status;
  priority: Priority;
  severity?: string;
  labels: string[];
  assignees: string[];
  reviewers: string[];
  comments: Comment[];
  milestone?: string;
  closed?: true;
  locked?: true;
  draft?: true;
  answered?: true;
  pinned?: true;
}

export interface Repository {
  events: number;
  kinds: Record<string, number>;
  comments: number;
  pushes: number;
  releases: number;
  stars: number;
  open: number;
  closed: number;
  removed: number;
}

export interface Entry { n: number; at: string | null; repo: string; actor: string; text: string; issue: string | null; effects: string[] }

export interface Run {
  status: 'idle' | 'running' | 'paused' | 'done';
  phase: 'events' | 'summary';
  /** How many events have been read, and so the index of the next. */
  next: number;
  total: number;
  /** How long the note was before the paragraph that is being written. */
  noteFrom: number;
  /** Milliseconds per token. */
  pace: number;
}

export interface TriageState {
  run: Run;
  issues: Record<string, Issue>;
  /** The keys of `issues`, most urgent first. */
  queue: string[];
  labels: Record<string, Record<string, { color: string; issues: number }>>;
  repositories: Record<string, Repository>;
  activity: Entry[];
  note: string;
}

export type Recipe = (draft: TriageState) => void;

export function initialState(): TriageState {
  return {
    run: { status: 'idle', phase: 'events', next: 0, total: events.length, noteFrom: 0, pace: 0 },
    issues: {},
    queue: [],
    labels: {},
    repositories: {},
    activity: [],
    note: '',
  };
}

/** Reads one event: everything that follows from it, and the cursor that says so, in a single recipe. */
export function readEvent(event: WebhookEvent, index: number): Recipe {
  return (draft) => {
    count(draft, event);
    if (event.name === 'label') keepLabel(draft, event);
    const subject = subjectOf(event);
    const effects = subject ? triage(draft, event, subject) : [];
    draft.activity.push({
      n: index + 1,
      at: event.at === null ? null : new Date(event.at).toISOString(),
      repo: event.repo,
      actor: event.payload.sender?.login ?? 'GitHub',
      text: describe(event),
      issue: subject?.key ?? null,
      effects,
    });
    draft.run.next = index + 1;
    draft.run.noteFrom = draft.note.length;
  };
}

function count(draft: TriageState, { name, action, repo }: WebhookEvent): void {
  draft.repositories[repo] ??= { events: 0, kinds: {}, comments: 0, pushes: 0, releases: 0, stars: 0, open: 0, closed: 0, removed: 0 };
  const counters = draft.repositories[repo];
  counters.events++;
  counters.kinds[name] = (counters.kinds[name] ?? 0) + 1;
  if (name.endsWith('_comment') && action === 'created') counters.comments++;
  if (name === 'push') counters.pushes++;
  if (name === 'release' && action === 'published') counters.releases++;
  if (name === 'star') action === 'created' ? counters.stars++ : counters.stars--;
}

function keepLabel(draft: TriageState, { action, repo, payload: { label } }: WebhookEvent): void {
  if (action === 'deleted') {
    delete draft.labels[repo]?.[label.name];
    return;
  }
  knownLabel(draft, repo, label);
  draft.labels[repo][label.name].color = label.color;
}

function knownLabel(draft: TriageState, repo: string, { name, color }: { name: string; color: string }): void {
  draft.labels[repo] ??= {};
  draft.labels[repo][name] ??= { color, issues: 0 };
}

function triage(draft: TriageState, event: WebhookEvent, subject: Subject): string[] {
  const { key } = subject;
  if (isLeaving(event)) return takeOff(draft, key);
  const effects: string[] = [];
  const isNew = !(key in draft.issues);
  if (isNew) {
    if (subject.kind === 'check' && subject.closed) return effects;
    putOn(draft, event.repo, subject, effects);
  }
  const issue = draft.issues[key];
  const group = isNew ? -1 : groupOf(issue);
  if (issue.title !== subject.title) {
    issue.title = subject.title;
    effects.push('renamed');
  }
  discuss(issue, event, effects);
  act(draft, issue, event, effects);
  close(draft, issue, subject, effects);
  assess(issue, subject, isNew, effects);
  if (groupOf(issue) !== group) enqueue(draft, key);
  return effects;
}

function isLeaving({ name, action }: WebhookEvent): boolean {
  return (name === 'issues' || name === 'discussion') && (action === 'deleted' || action === 'transferred');
}

function takeOff(draft: TriageState, key: string): string[] {
  const issue = draft.issues[key];
  if (!issue) return [];
  for (const name of issue.labels) countLabel(draft, issue.repo, name, -1);
  const counters = draft.repositories[issue.repo];
  issue.closed ? counters.closed-- : counters.open--;
  counters.removed++;
  draft.queue.splice(draft.queue.indexOf(key), 1);
  delete draft.issues[key];
  return ['taken off the board'];
}

function putOn(draft: TriageState, repo: string, subject: Subject, effects: string[]): void {
  const { key, ref, kind, title, author } = subject;
  draft.issues[key] = {
    repo, ref, kind, title, author, status: 'open', priority: 'normal', labels: [], assignees: [], reviewers: [], comments: [],
  };
  draft.repositories[repo].open++;
  effects.push(`new ${kind} by ${author}`);
  const issue = draft.issues[key];
  for (const given of subject.labels) label(draft, issue, given, effects);
  const own = ownLabel(subject);
  if (own) label(draft, issue, own, effects);
  for (const login of subject.assignees) if (put(issue.assignees, login)) effects.push(`assigned to ${login}`);
  for (const login of subject.reviewers) if (put(issue.reviewers, login)) effects.push(`review asked of ${login}`);
  if (subject.milestone !== undefined) schedule(issue, subject.milestone, effects);
  for (const flag of ['locked', 'draft', 'answered'] as const) if (subject[flag]) raise(issue, flag, true, flag, effects);
}

function ownLabel({ kind, title, body }: Subject): { name: string; color: string } | undefined {
  if (kind === 'alert' || kind === 'advisory') return { name: 'security', color: 'b60205' };
  if (kind === 'check') return { name: 'ci', color: '5319e7' };
  if (kind === 'discussion') return { name: 'question', color: 'd876e3' };
  return /readme|spell|docs/i.test(`${title} ${body}`) ? { name: 'documentation', color: '0075ca' } : undefined;
}

function discuss(issue: Issue, { action, payload }: WebhookEvent, effects: string[]): void {
  const said = payload.comment ?? payload.review;
  if (!said) return;
  const at = issue.comments.findIndex(({ id }) => id === said.id);
  if (at < 0) {
    if (action !== 'created' && action !== 'submitted') return;
    issue.comments.push({ id: said.id, author: said.user.login, body: said.body ?? said.state });
    effects.push(`${said.user.login} ${action === 'created' ? 'commented' : 'reviewed'}`);
  } else if (action === 'deleted') {
    issue.comments.splice(at, 1);
    effects.push('comment deleted');
  } else if (action === 'edited' && issue.comments[at].body !== said.body) {
    issue.comments[at].body = said.body;
    effects.push('comment edited');
  } else if (action === 'dismissed' && issue.comments[at].body !== 'dismissed') {
    issue.comments[at].body = 'dismissed';
    effects.push('review dismissed');
  }
}

const FLAGS: Record<string, [flag: 'locked' | 'draft' | 'answered' | 'pinned', on: boolean]> = {
  locked: ['locked', true], unlocked: ['locked', false],
  converted_to_draft: ['draft', true], ready_for_review: ['draft', false],
  answered: ['answered', true], unanswered: ['answered', false],
  pinned: ['pinned', true], unpinned: ['pinned', false],
};

function act(draft: TriageState, issue: Issue, { action, payload }: WebhookEvent, effects: string[]): void {
  const assignee = payload.assignee?.login;
  const reviewer = payload.requested_reviewer?.login;
  switch (action) {
    case 'labeled':
      return label(draft, issue, payload.label, effects);
    case 'unlabeled':
      return unlabel(draft, issue, payload.label.name, effects);
    case 'assigned':
      if (put(issue.assignees, assignee)) effects.push(`assigned to ${assignee}`);
      return;
    case 'unassigned':
      if (take(issue.assignees, assignee)) effects.push(`${assignee} unassigned`);
      return;
    case 'review_requested':
      if (put(issue.reviewers, reviewer)) effects.push(`review asked of ${reviewer}`);
      return;
    case 'review_request_removed':
      if (take(issue.reviewers, reviewer)) effects.push(`review by ${reviewer} no longer asked`);
      return;
    case 'milestoned':
      return schedule(issue, payload.milestone.title, effects);
    case 'demilestoned':
      return schedule(issue, undefined, effects);
  }
  if (action in FLAGS) raise(issue, ...FLAGS[action], action.replaceAll('_', ' '), effects);
}

function label(draft: TriageState, issue: Issue, label: { name: string; color: string }, effects: string[]): void {
  if (!put(issue.labels, label.name)) return;
  knownLabel(draft, issue.repo, label);
  countLabel(draft, issue.repo, label.name, 1);
  effects.push(`labelled ${label.name}`);
}

function unlabel(draft: TriageState, issue: Issue, name: string, effects: string[]): void {
  if (!take(issue.labels, name)) return;
  countLabel(draft, issue.repo, name, -1);
  effects.push(`label ${name} removed`);
}

function countLabel(draft: TriageState, repo: string, name: string, by: number): void {
  // GitHub may have deleted a label that issues still carry.
  const known = draft.labels[repo]?.[name];
  if (known) known.issues += by;
}

function put(list: string[], item: string): boolean {
  if (list.includes(item)) return false;
  list.push(item);
  return true;
}

function take(list: string[], item: string): boolean {
  const at = list.indexOf(item);
  if (at < 0) return false;
  list.splice(at, 1);
  return true;
}

function schedule(issue: Issue, milestone: string | undefined, effects: string[]): void {
  if (issue.milestone === milestone) return;
  if (milestone) issue.milestone = milestone;
  else delete issue.milestone;
  effects.push(milestone ? `milestone ${milestone}` : 'milestone removed');
}

function raise(issue: Issue, flag: 'locked' | 'draft' | 'answered' | 'pinned', on: boolean, text: string, effects: string[]): void {
  if (on === flag in issue) return;
  if (on) issue[flag] = true;
  else delete issue[flag];
  effects.push(text);
}

function close(draft: TriageState, issue: Issue, { closed }: Subject, effects: string[]): void {
  if (closed === undefined || closed === 'closed' in issue) return;
  const counters = draft.repositories[issue.repo];
  if (closed) {
    issue.closed = true;
    counters.open--;
    counters.closed++;
  } else {
    delete issue.closed;
    counters.open++;
    counters.closed--;
  }
  effects.push(closed ? 'closed' : 'reopened');
}

function assess(issue: Issue, { severity }: Subject, isNew: boolean, effects: string[]): void {
  if (severity !== undefined && severity !== issue.severity) issue.severity = severity;
  const status = statusOf(issue);
  if (issue.status !== status) issue.status = status;
  const { priority, reason } = priorityOf(issue);
  if (!isNew && issue.priority === priority) return;
  issue.priority = priority;
  effects.push(`priority ${priority} (${reason})`);
}

function statusOf(issue: Issue): Status {
  if (issue.closed) return 'closed';
  if (issue.locked) return 'locked';
  if (issue.draft) return 'draft';
  switch (issue.kind) {
    case 'check': return 'failing';
    case 'alert': case 'advisory': return 'needs a fix';
    case 'discussion': return issue.answered ? 'answered' : 'open';
    case 'pull request': return 'in review';
    case 'issue': return issue.assignees.length > 0 ? 'assigned' : 'needs an owner';
  }
}

const SEVERITIES: Record<string, Priority> = {
  critical: 'urgent', high: 'high', error: 'high', medium: 'normal', moderate: 'normal', warning: 'normal', low: 'low', note: 'low',
};

function priorityOf(issue: Issue): { priority: Priority; reason: string } {
  if (issue.severity) return { priority: SEVERITIES[issue.severity] ?? 'normal', reason: `severity ${issue.severity}` };
  if (issue.kind === 'check') return { priority: 'high', reason: 'a failing check' };
  if (issue.kind === 'discussion') return { priority: 'low', reason: 'a discussion' };
  if (issue.labels.includes('bug')) return { priority: 'high', reason: 'labelled bug' };
  return { priority: 'normal', reason: 'nothing urgent' };
}

const URGENCY: readonly Priority[] = ['urgent', 'high', 'normal', 'low'];

function groupOf(issue: Issue): number {
  return (issue.closed ? URGENCY.length : 0) + URGENCY.indexOf(issue.priority);
}

function enqueue(draft: TriageState, key: string): void {
  const from = draft.queue.indexOf(key);
  if (from >= 0) draft.queue.splice(from, 1);
  const group = groupOf(draft.issues[key]);
  const behind = draft.queue.findIndex((other) => groupOf(draft.issues[other]) > group);
  draft.queue.splice(behind < 0 ? draft.queue.length : behind, 0, key);
}

function describe({ name, action, payload }: WebhookEvent): string {
  const what = `${name === 'issues' ? 'issue' : name} ${action}`.trim().replaceAll('_', ' ');
  const about = topic(payload);
  return about ? `${what}: ${about}` : what;
}

function topic(payload: Payload): string | undefined {
  const thread = payload.pull_request ?? payload.issue ?? payload.discussion;
  if (thread) return `#${thread.number} ${thread.title}`;
  const { label, milestone, release, check_run, workflow_job, workflow_run, workflow, alert, security_advisory } = payload;
  const { project, project_column, project_card, deployment, team, member, blocked_user, forkee, comment } = payload;
  return [
    label?.name, milestone?.title, release?.name, release?.tag_name, check_run?.name, workflow_job?.name, workflow_run?.name,
    workflow?.name, alert?.rule?.description, alert?.security_advisory?.summary, alert?.affected_package_name,
    security_advisory?.summary, project?.name, project_column?.name, project_card?.note, deployment?.environment,
    payload.package?.name, team?.name, member?.login, blocked_user?.login, forkee?.full_name, comment?.body, payload.zen, payload.ref,
  ].find((topic) => typeof topic === 'string' && topic !== '');
}
