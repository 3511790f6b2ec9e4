// The board: a row per issue in the queue's order. A row is drawn again only when its issue is another object.
import { byId, count, element, flash, icon, isCalm, place, setText } from './dom.ts';
import type { Snapshot } from './snapshot.ts';

type Issue = Snapshot['issues'][string];

interface Row {
  node: HTMLLIElement;
  draw(issue: Issue, colors: Snapshot['labels'][string] | undefined): void;
}

export function issuesPanel(): (state: Snapshot) => void {
  const list = byId('issues');
  const rows = new Map<string, Row>();
  let shown: Pick<Snapshot, 'issues' | 'queue' | 'labels'> | undefined;

  return ({ issues, queue, labels }) => {
    if (shown?.issues === issues && shown.queue === queue && shown.labels === labels) return;
    for (const [key, row] of rows) {
      if (key in issues) continue;
      row.node.remove();
      rows.delete(key);
    }
    const moved = shown?.queue !== queue && rows.size > 0 ? positions(rows) : undefined;
    for (const [i, key] of queue.entries()) {
      let row = rows.get(key);
      if (!row) rows.set(key, (row = newRow()));
      row.draw(issues[key], labels[issues[key].repo]);
      if (list.children[i] !== row.node) list.insertBefore(row.node, list.children[i] ?? null);
    }
    if (moved) glide(moved);
    shown = { issues, queue, labels };
    byId('issues-empty').hidden = queue.length > 0;
    const open = queue.filter((key) => !issues[key].closed).length;
    setText(byId('issues-count'), queue.length > 0 ? `${count(open)} open, ${count(queue.length - open)} closed` : '');
  };
}

function positions(rows: Map<string, Row>): Map<HTMLElement, number> {
  return new Map([...rows.values()].map(({ node }) => [node, node.offsetTop]));
}

/** Lets rows that changed places slide there, so that the eye can follow. */
function glide(before: Map<HTMLElement, number>): void {
  if (isCalm.matches) return;
  const moves = [...before].map(([node, top]) => ({ node, by: top - node.offsetTop })).filter(({ by }) => by !== 0);
  for (const { node, by } of moves) {
    node.animate([{ transform: `translateY(${by}px)` }, { transform: 'none' }], { duration: 280, easing: 'cubic-bezier(.2,.7,.2,1)' });
  }
}

function newRow(): Row {
  const origin = element('span', 'origin');
  const title = element('span', 'title');
  const status = element('span', 'status');
  const priority = element('span', 'priority');
  const labels = element('span', 'chips');
  const facts = element('span', 'facts');
  const people = element('span', 'people');
  const kind = element('span', 'kind');
  const node = element(
    'li', 'issue', kind,
    element('p', 'line', title, status),
    element('p', 'line small', origin, labels, facts, people, priority),
  );
  let shown: Issue | undefined;
  let shownColors: unknown;

  return {
    node,
    draw(issue, colors) {
      if (issue !== shown) {
        if (issue.kind !== shown?.kind) kind.replaceChildren(icon(`kind-${issue.kind.replace(' ', '-')}`), element('span', 'hidden', issue.kind));
        node.dataset.priority = issue.priority;
        node.dataset.state = issue.closed ? 'closed' : 'open';
        setText(title, issue.title);
        title.title = issue.title;
        if (issue.ref !== shown?.ref) origin.replaceChildren(...originOf(issue));
        setText(priority, issue.closed || issue.priority === 'normal' ? '' : issue.priority);
        if (setText(status, issue.status) && shown) flash(status);
        setText(facts, factsOf(issue).join(' · '));
        people.replaceChildren(...[...issue.assignees].map(person));
      }
      if (issue.labels !== shown?.labels || colors !== shownColors) {
        labels.replaceChildren(...[...issue.labels].map((name) => chip(name, colors?.[name]?.color)));
      }
      if (issue !== shown) flash(node);
      shown = issue;
      shownColors = colors;
    },
  };
}

function originOf({ repo, ref }: Issue): HTMLElement[] {
  if (ref.startsWith('#')) return [place(repo, ref)];
  return [element('span', 'ref', ref), place(repo)];
}

function factsOf({ milestone, pinned, locked, reviewers, comments }: Issue): string[] {
  const facts = [];
  if (milestone) facts.push(milestone);
  if (pinned) facts.push('pinned');
  if (locked) facts.push('locked');
  if (reviewers.length > 0) facts.push(`review: ${reviewers.join(', ')}`);
  if (comments.length > 0) facts.push(comments.length === 1 ? '1 comment' : `${comments.length} comments`);
  return facts;
}

function person(login: string): HTMLElement {
  const initial = element('span', 'person', login[0].toUpperCase(), element('span', 'hidden', `assigned to ${login}`));
  initial.title = login;
  return initial;
}

export function chip(name: string, color?: string): HTMLElement {
  const dot = element('i');
  if (color && /^[\da-f]{6}$/i.test(color)) dot.style.background = `#${color}`;
  return element('span', 'chip', dot, name);
}
