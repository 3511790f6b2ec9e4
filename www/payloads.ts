// The agent's input: every webhook payload of @octokit/webhooks-examples, in the order in which it happened.
import examples from '@octokit/webhooks-examples' with { type: 'json' };

/** A payload as it came. Its shape depends on the event, so readers look for what they need and find it or not. */
export type Payload = Record<string, any>;

export interface WebhookEvent {
  name: string;
  action: string;
  /** Milliseconds since 1970, or null where the payload says nothing about time. */
  at: number | null;
  repo: string;
  payload: Payload;
}

/** Something that can be triaged, as a payload shows it. */
export interface Subject {
  key: string;
  kind: 'issue' | 'pull request' | 'discussion' | 'alert' | 'advisory' | 'check';
  ref: string;
  title: string;
  author: string;
  body: string;
  /** Undefined: the payload doesn't say. */
  closed?: boolean;
  severity?: string;
  labels: { name: string; color: string }[];
  assignees: string[];
  reviewers: string[];
  milestone?: string;
  locked: boolean;
  draft: boolean;
  answered: boolean;
}

export const NO_REPOSITORY = '(no repository)';

const SURROUNDINGS = new Set(['repository', 'organization', 'installation', 'sender', 'enterprise']);
const TIMES = ['updated_at', 'submitted_at', 'published_at', 'completed_at', 'started_at', 'created_at', 'timestamp'];
const BEGINNINGS = /^(opened|created|create|published|added|submitted)$/;
const UNDOINGS = /^(un|de)|removed$/;
const ENDINGS = /^(closed|completed|deleted|dismissed|dismiss|fixed|transferred|withdrawn|closed_by_user|resolved)$/;

export const events: readonly WebhookEvent[] = (examples as { name: string; examples: Payload[] }[])
  .flatMap(({ name, examples }) => examples.map((payload) => read(name, payload)))
  // Array.prototype.sort is stable, so the package's own order decides between equals.
  .sort((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity) || rank(a.action) - rank(b.action));

function read(name: string, payload: Payload): WebhookEvent {
  return {
    name,
    action: payload.action ?? '',
    at: happenedAt(payload),
    repo: payload.repository?.full_name ?? NO_REPOSITORY,
    payload,
  };
}

function happenedAt(payload: Payload): number | null {
  const members = Object.keys(payload).filter((key) => !SURROUNDINGS.has(key));
  const times = [payload, ...members.map((key) => payload[key])].map(timeOf).filter((time) => time !== null);
  if (times.length > 0) return Math.max(...times);
  return date(payload.repository?.updated_at);
}

function timeOf(thing: unknown): number | null {
  if (typeof thing !== 'object' || thing === null) return null;
  for (const name of TIMES) {
    const time = date((thing as Payload)[name]);
    if (time !== null) return time;
  }
  return null;
}

function date(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? null : time;
}

function rank(action: string): number {
  if (BEGINNINGS.test(action)) return 0;
  if (ENDINGS.test(action)) return 3;
  return UNDOINGS.test(action) ? 2 : 1;
}

export function subjectOf({ name, action, repo, payload }: WebhookEvent): Subject | undefined {
  if (name.endsWith('_alert')) return alert(name, action, repo, payload.alert);
  if (name === 'security_advisory') return advisory(payload.security_advisory);
  if (name === 'check_run' || name === 'workflow_job' || name === 'workflow_run') {
    return check(repo, payload[name], payload.workflow);
  }
  const thread = payload.pull_request ?? payload.issue ?? payload.discussion;
  return thread && conversation(repo, payload, thread);
}

function conversation(repo: string, payload: Payload, thread: Payload): Subject {
  const isPullRequest = payload.pull_request !== undefined || thread.pull_request !== undefined;
  const kind = isPullRequest ? 'pull request' : payload.discussion ? 'discussion' : 'issue';
  return {
    ...bare(repo, kind, `#${thread.number}`, thread.title, thread.user.login),
    body: thread.body ?? '',
    closed: thread.state === undefined ? undefined : thread.state === 'closed',
    labels: (thread.labels ?? []).map(({ name, color }: Payload) => ({ name, color })),
    assignees: logins(thread.assignees),
    reviewers: logins(thread.requested_reviewers),
    milestone: thread.milestone?.title,
    locked: thread.locked === true,
    draft: isPullRequest && thread.draft === true,
    answered: Boolean(thread.answer_chosen_at),
  };
}

function alert(name: string, action: string, repo: string, alert: Payload): Subject {
  if (name === 'code_scanning_alert') {
    const { severity, description } = alert.rule;
    const closed = alert.state !== 'open';
    return { ...bare(repo, 'alert', `code scanning ${alert.number}`, description, alert.tool.name), severity, closed };
  }
  if (name === 'dependabot_alert') {
    const { severity, summary } = alert.security_advisory;
    const closed = alert.state !== 'open';
    return { ...bare(repo, 'alert', `dependabot ${alert.number}`, summary, 'Dependabot'), severity, closed };
  }
  const title = `${alert.external_identifier} affects ${alert.affected_range}`;
  const ref = `vulnerability ${alert.affected_package_name}`;
  return { ...bare(repo, 'alert', ref, title, 'GitHub'), severity: alert.severity, closed: action !== 'create' };
}

function advisory({ ghsa_id, summary, severity, withdrawn_at }: Payload): Subject {
  return { ...bare('', 'advisory', ghsa_id, summary, 'GitHub'), severity, closed: withdrawn_at !== null };
}

function check(repo: string, run: Payload, workflow?: Payload): Subject | undefined {
  if (!run.conclusion) return undefined;
  const title = `Run on ${run.head_branch ?? run.check_suite.head_branch}`;
  const closed = run.conclusion !== 'failure' && run.conclusion !== 'action_required';
  return { ...bare(repo, 'check', `check ${run.name || workflow?.name}`, title, 'GitHub'), closed };
}

function bare(repo: string, kind: Subject['kind'], ref: string, title: string, author: string): Subject {
  const key = repo === '' ? ref : `${repo}${ref.startsWith('#') ? '' : ' '}${ref}`;
  return {
    key, kind, ref, title, author, body: '',
    labels: [], assignees: [], reviewers: [], locked: false, draft: false, answered: false,
  };
}

function logins(users: Payload[] | undefined): string[] {
  return (users ?? []).map((user) => user.login);
}
