// The oracle: the state at the end of the demo's run, computed from www/agent.md's specification over the same payloads.
// It shares nothing with the agent, and works the other way round: the agent changes one state event by event, this derives
// every part of the answer from the whole list.
import { createRequire } from 'node:module';

const definitions = createRequire(import.meta.url)('@octokit/webhooks-examples');

/** The final state, all but `run.pace`, which is the caller's choice. */
export function expected() {
  const events = inOrder();
  const lives = new Map(
    [...Map.groupBy(events.filter(({ about }) => about), ({ about }) => about.key)].map(([key, own]) => [key, live(own)]),
  );
  const activity = events.map((event, i) => ({
    n: i + 1,
    at: event.at === undefined ? null : new Date(event.at).toISOString(),
    repo: event.repo,
    actor: event.payload.sender?.login ?? 'GitHub',
    text: sentenceAbout(event),
    issue: event.about?.key ?? null,
    effects: lives.get(event.about?.key)?.effects.get(event) ?? [],
  }));
  const onBoard = [...lives].filter(([, { issue }]) => issue);
  const issues = Object.fromEntries(onBoard.map(([key, { issue }]) => [key, issue]));
  const queue = onBoard
    .sort(([, a], [, b]) => a.group - b.group || events.indexOf(a.joined) - events.indexOf(b.joined))
    .map(([key]) => key);
  const { note, noteFrom } = writeNote(events, activity, issues, queue);
  return {
    run: { status: 'done', phase: 'summary', next: events.length, total: events.length, noteFrom },
    issues,
    queue,
    labels: labelsOf(events, lives),
    repositories: repositoriesOf(events, lives),
    activity,
    note,
  };
}

function inOrder() {
  const found = definitions.flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));
  for (const [position, event] of found.entries()) {
    const { name, payload } = event;
    const action = payload.action ?? '';
    const repo = payload.repository?.full_name ?? '(no repository)';
    const stage = ['opened', 'created', 'create', 'published', 'added', 'submitted'].includes(action) ? 0
      : ['closed', 'completed', 'deleted', 'dismissed', 'dismiss', 'fixed', 'transferred', 'withdrawn', 'closed_by_user', 'resolved'].includes(action) ? 3
      : action.startsWith('un') || action.startsWith('de') || action.endsWith('removed') ? 2
      : 1;
    Object.assign(event, { action, repo, stage, position, at: timeOf(payload), about: aboutOf(name, action, repo, payload) });
  }
  const late = (event) => (event.at === undefined ? Number.MAX_VALUE : event.at);
  return found.sort((a, b) => late(a) - late(b) || a.stage - b.stage || a.position - b.position);
}

function timeOf(payload) {
  const { repository, organization, installation, sender, enterprise, ...own } = payload;
  const offered = [payload, ...Object.values(own)].flatMap((thing) => {
    const times = [
      thing?.updated_at, thing?.submitted_at, thing?.published_at, thing?.completed_at, thing?.started_at, thing?.created_at, thing?.timestamp,
    ];
    return times.map((text) => (typeof text === 'string' ? Date.parse(text) : NaN)).filter(Number.isFinite).slice(0, 1);
  });
  if (offered.length) return offered.sort((a, b) => b - a)[0];
  const fallback = Date.parse(repository?.updated_at ?? '');
  return Number.isFinite(fallback) ? fallback : undefined;
}

function aboutOf(name, action, repo, payload) {
  const { alert, security_advisory: advice } = payload;
  switch (name) {
    case 'code_scanning_alert':
      return about('alert', repo, `code scanning ${alert.number}`, alert.rule.description, alert.tool.name, alert.state !== 'open', alert.rule.severity);
    case 'dependabot_alert':
      return about('alert', repo, `dependabot ${alert.number}`, alert.security_advisory.summary, 'Dependabot', alert.state !== 'open', alert.security_advisory.severity);
    case 'repository_vulnerability_alert':
      return about('alert', repo, `vulnerability ${alert.affected_package_name}`, `${alert.external_identifier} affects ${alert.affected_range}`, 'GitHub', action !== 'create', alert.severity);
    case 'security_advisory':
      return { ...about('advisory', repo, advice.ghsa_id, advice.summary, 'GitHub', advice.withdrawn_at !== null, advice.severity), key: advice.ghsa_id };
    case 'check_run':
    case 'workflow_job':
    case 'workflow_run': {
      const run = payload[name];
      const branch = name === 'check_run' ? run.check_suite.head_branch : run.head_branch;
      const failed = ['failure', 'action_required'].includes(run.conclusion);
      return run.conclusion === null ? undefined : about('check', repo, `check ${run.name || payload.workflow.name}`, `Run on ${branch}`, 'GitHub', !failed);
    }
  }
  const thread = payload.pull_request || payload.issue || payload.discussion;
  if (!thread) return undefined;
  const kind = payload.discussion ? 'discussion' : payload.pull_request || thread.pull_request ? 'pull request' : 'issue';
  const closed = thread.state === undefined ? undefined : thread.state === 'closed';
  return { ...about(kind, repo, `#${thread.number}`, thread.title, thread.user.login, closed), key: `${repo}#${thread.number}`, thread };
}

function about(kind, repo, ref, title, author, closed, severity) {
  return { key: `${repo} ${ref}`, kind, repo, ref, title, author, closed, severity };
}

/** One issue's life: what it is at the end (undefined if it left), what each of its events did, and its place in the queue. */
function live(own) {
  let issue, group, joined;
  let removed = 0;
  const effects = new Map();
  const carried = [];
  for (const event of own) {
    const { name, action, about, payload } = event;
    const did = [];
    effects.set(event, did);
    if (['issues', 'discussion'].includes(name) && ['deleted', 'transferred'].includes(action)) {
      if (issue) {
        did.push('taken off the board');
        removed++;
      }
      issue = group = joined = undefined;
      continue;
    }
    const isNew = !issue;
    if (isNew && about.kind === 'check' && about.closed) continue;
    if (isNew) {
      issue = firstSight(about);
      did.push(...introduction(issue));
    } else if (issue.title !== about.title) {
      issue = { ...issue, title: about.title };
      did.push('renamed');
    }
    const before = issue;
    issue = talk(issue, action, payload.comment ?? payload.review, did);
    issue = change(issue, action, payload, did);
    for (const label of issue.labels) if (isNew || !before.labels.includes(label)) carried.push({ event, label });
    if (about.closed !== undefined && about.closed !== Boolean(issue.closed)) {
      issue = about.closed ? { ...issue, closed: true } : omit(issue, 'closed');
      did.push(about.closed ? 'closed' : 'reopened');
    }
    if (about.severity) issue = { ...issue, severity: about.severity };
    const [priority, reason] = judge(issue);
    if (isNew || issue.priority !== priority) did.push(`priority ${priority} (${reason})`);
    issue = { ...issue, priority, status: statusOf(issue) };
    const place = ['urgent', 'high', 'normal', 'low'].indexOf(priority) + (issue.closed ? 10 : 0);
    if (place !== group) [group, joined] = [place, event];
  }
  return { issue, group, joined, effects, carried, removed };
}

function firstSight({ kind, repo, ref, title, author, thread = {} }) {
  const words = `${title} ${thread.body ?? ''}`.toLowerCase();
  const own = { alert: 'security', advisory: 'security', check: 'ci', discussion: 'question' }[kind]
    ?? (['readme', 'spell', 'docs'].some((word) => words.includes(word)) ? 'documentation' : undefined);
  const labels = [...(thread.labels ?? []).map(({ name }) => name), ...(own ? [own] : [])];
  return {
    repo, ref, kind, title, author,
    labels: [...new Set(labels)],
    assignees: (thread.assignees ?? []).map(({ login }) => login),
    reviewers: (thread.requested_reviewers ?? []).map(({ login }) => login),
    comments: [],
    ...(thread.milestone ? { milestone: thread.milestone.title } : {}),
    ...(thread.locked ? { locked: true } : {}),
    ...(kind === 'pull request' && thread.draft ? { draft: true } : {}),
    ...(thread.answer_chosen_at ? { answered: true } : {}),
  };
}

function introduction(issue) {
  return [
    `new ${issue.kind} by ${issue.author}`,
    ...issue.labels.map((label) => `labelled ${label}`),
    ...issue.assignees.map((login) => `assigned to ${login}`),
    ...issue.reviewers.map((login) => `review asked of ${login}`),
    ...(issue.milestone ? [`milestone ${issue.milestone}`] : []),
    ...['locked', 'draft', 'answered'].filter((flag) => issue[flag]),
  ];
}

function talk(issue, action, said, did) {
  if (!said) return issue;
  const { comments } = issue;
  const old = comments.find(({ id }) => id === said.id);
  const rewrite = (body) => ({ ...issue, comments: comments.map((comment) => (comment === old ? { ...comment, body } : comment)) });
  if (!old && ['created', 'submitted'].includes(action)) {
    did.push(`${said.user.login} ${action === 'created' ? 'commented' : 'reviewed'}`);
    return { ...issue, comments: [...comments, { id: said.id, author: said.user.login, body: said.body ?? said.state }] };
  }
  if (old && action === 'deleted') {
    did.push('comment deleted');
    return { ...issue, comments: comments.filter((comment) => comment !== old) };
  }
  if (old && action === 'edited' && old.body !== said.body) {
    did.push('comment edited');
    return rewrite(said.body);
  }
  if (old && action === 'dismissed' && old.body !== 'dismissed') {
    did.push('review dismissed');
    return rewrite('dismissed');
  }
  return issue;
}

function change(issue, action, payload, did) {
  const rules = {
    labeled: () => joinList('labels', payload.label.name, (x) => `labelled ${x}`),
    unlabeled: () => leaveList('labels', payload.label.name, (x) => `label ${x} removed`),
    assigned: () => joinList('assignees', payload.assignee.login, (x) => `assigned to ${x}`),
    unassigned: () => leaveList('assignees', payload.assignee.login, (x) => `${x} unassigned`),
    review_requested: () => joinList('reviewers', payload.requested_reviewer.login, (x) => `review asked of ${x}`),
    review_request_removed: () => leaveList('reviewers', payload.requested_reviewer.login, (x) => `review by ${x} no longer asked`),
    milestoned: () => member('milestone', payload.milestone?.title, `milestone ${payload.milestone?.title}`),
    demilestoned: () => member('milestone', undefined, 'milestone removed'),
    locked: () => member('locked', true, 'locked'),
    unlocked: () => member('locked', undefined, 'unlocked'),
    converted_to_draft: () => member('draft', true, 'converted to draft'),
    ready_for_review: () => member('draft', undefined, 'ready for review'),
    answered: () => member('answered', true, 'answered'),
    unanswered: () => member('answered', undefined, 'unanswered'),
    pinned: () => member('pinned', true, 'pinned'),
    unpinned: () => member('pinned', undefined, 'unpinned'),
  };
  function joinList(list, item, text) {
    if (issue[list].includes(item)) return issue;
    did.push(text(item));
    return { ...issue, [list]: [...issue[list], item] };
  }
  function leaveList(list, item, text) {
    if (!issue[list].includes(item)) return issue;
    did.push(text(item));
    return { ...issue, [list]: issue[list].filter((other) => other !== item) };
  }
  function member(name, value, text) {
    if (issue[name] === value) return issue;
    did.push(text);
    return value === undefined ? omit(issue, name) : { ...issue, [name]: value };
  }
  return Object.hasOwn(rules, action) ? rules[action]() : issue;
}

function omit(issue, name) {
  const { [name]: _, ...rest } = issue;
  return rest;
}

function judge({ severity, kind, labels }) {
  const bySeverity = { critical: 'urgent', high: 'high', error: 'high', low: 'low', note: 'low' };
  if (severity) return [bySeverity[severity] ?? 'normal', `severity ${severity}`];
  if (kind === 'check') return ['high', 'a failing check'];
  if (kind === 'discussion') return ['low', 'a discussion'];
  return labels.includes('bug') ? ['high', 'labelled bug'] : ['normal', 'nothing urgent'];
}

function statusOf({ closed, locked, draft, kind, answered, assignees }) {
  if (closed || locked || draft) return closed ? 'closed' : locked ? 'locked' : 'draft';
  if (kind === 'issue') return assignees.length ? 'assigned' : 'needs an owner';
  if (kind === 'discussion') return answered ? 'answered' : 'open';
  return { check: 'failing', alert: 'needs a fix', advisory: 'needs a fix', 'pull request': 'in review' }[kind];
}

function labelsOf(events, lives) {
  const OWN = { security: 'b60205', ci: '5319e7', question: 'd876e3', documentation: '0075ca' };
  const carried = [...lives.values()].flatMap((life) => life.carried);
  const result = {};
  for (const event of events) {
    const { name, action, repo, payload } = event;
    const known = result[repo] ?? {};
    if (name === 'label' && action === 'deleted') delete known[payload.label.name];
    else if (name === 'label') (result[repo] ??= {})[payload.label.name] = { color: payload.label.color, issues: 0 };
    for (const { label } of carried.filter((entry) => entry.event === event)) {
      const shown = [...(event.about.thread?.labels ?? []), payload.label].find((one) => one?.name === label);
      (result[repo] ??= {})[label] ??= { color: shown?.color ?? OWN[label], issues: 0 };
    }
  }
  for (const { issue } of lives.values()) for (const label of issue?.labels ?? []) if (result[issue.repo][label]) result[issue.repo][label].issues++;
  return result;
}

function repositoriesOf(events, lives) {
  const alive = [...lives.values()].flatMap(({ issue }) => issue ?? []);
  return Object.fromEntries([...Map.groupBy(events, ({ repo }) => repo)].map(([repo, own]) => {
    const number = (test) => own.filter(test).length;
    const stars = (action) => number((event) => event.name === 'star' && event.action === action);
    return [repo, {
      events: own.length,
      kinds: Object.fromEntries([...Map.groupBy(own, ({ name }) => name)].map(([name, those]) => [name, those.length])),
      comments: number(({ name, action }) => /_comment$/.test(name) && action === 'created'),
      pushes: number(({ name }) => name === 'push'),
      releases: number(({ name, action }) => name === 'release' && action === 'published'),
      stars: stars('created') - stars('deleted'),
      open: alive.filter((issue) => issue.repo === repo && !issue.closed).length,
      closed: alive.filter((issue) => issue.repo === repo && issue.closed).length,
      removed: [...lives].reduce((sum, [key, { removed }]) => sum + (own.some(({ about }) => about?.key === key) ? removed : 0), 0),
    }];
  }));
}

function sentenceAbout({ name, action, payload }) {
  const what = [name === 'issues' ? 'issue' : name, action].filter(Boolean).join(' ').split('_').join(' ');
  const thread = payload.pull_request ?? payload.issue ?? payload.discussion;
  if (thread) return `${what}: #${thread.number} ${thread.title}`;
  const paths = `label.name milestone.title release.name release.tag_name check_run.name workflow_job.name workflow_run.name workflow.name
    alert.rule.description alert.security_advisory.summary alert.affected_package_name security_advisory.summary project.name
    project_column.name project_card.note deployment.environment package.name team.name member.login blocked_user.login
    forkee.full_name comment.body zen ref`.split(/\s+/);
  const found = paths
    .map((path) => path.split('.').reduce((value, key) => value?.[key], payload))
    .find((value) => typeof value === 'string' && value.length > 0);
  return found ? `${what}: ${found}` : what;
}

function writeNote(events, activity, issues, queue) {
  const told = activity.filter(({ effects }) => effects.length > 0);
  const dayOf = ({ at }) => at?.slice(0, 10);
  const long = (at) => {
    const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
    return at ? format.format(new Date(at)) : 'Undated';
  };
  const parts = told.map((entry, i) => {
    const { payload, about } = events[entry.n - 1];
    const last = told[i - 1];
    const words = entry.effects.join(', ');
    const said = entry.effects.some((effect) => / (commented|reviewed)$/.test(effect)) ? (payload.comment ?? payload.review).body
      : words.startsWith('new ') ? about.thread?.body : undefined;
    const flat = (said ?? '').trim().split(/\s+/).join(' ');
    const quoted = flat && ` “${flat.length > 140 ? `${flat.slice(0, 140).trimEnd()}…` : flat}”`;
    const sentence = `${words.charAt(0).toUpperCase()}${words.substring(1)}.${quoted}`;
    const sameDay = last !== undefined && dayOf(last) === dayOf(entry);
    if (sameDay && last.issue === entry.issue) return ` ${sentence}`;
    return [
      last ? '\n\n' : '',
      sameDay ? '' : `## ${long(entry.at)}\n\n`,
      `${about.key}: ${about.title}\n${sentence}`,
    ].join('');
  });
  const open = queue.filter((key) => !issues[key].closed);
  const first = open.slice(0, 3).map((key) => `${key} (${issues[key].priority})`).join(', ');
  const body = parts.join('');
  const end = `All ${events.length} events read: ${queue.length} issues on the board\n${open.length} of them open. First in line: ${first}.`;
  return { note: `${body}\n\n## Summary\n\n${end}`, noteFrom: body.length };
}
