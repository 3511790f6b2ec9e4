// The activity feed, newest first. The list only grows, so what is drawn stays drawn.
import { byId, count, element, setText } from './dom.ts';
import type { Snapshot } from './snapshot.ts';

type Entry = Snapshot['activity'][number];

export function activityPanel(): (state: Snapshot) => void {
  const feed = byId('activity');
  let shown: Snapshot['activity'] = [];

  return ({ activity, run }) => {
    if (activity === shown) return;
    const isContinued = activity.length >= shown.length && activity[shown.length - 1]?.n === shown[shown.length - 1]?.n;
    if (!isContinued) feed.replaceChildren();
    const fresh = activity.slice(isContinued ? shown.length : 0);
    feed.prepend(...fresh.map(draw).reverse());
    shown = activity;
    byId('activity-empty').hidden = activity.length > 0;
    setText(byId('activity-count'), activity.length > 0 ? `${count(activity.length)} of ${count(run.total)}` : '');
  };
}

function draw({ n, at, repo, actor, text, effects }: Entry): HTMLElement {
  const [what, ...about] = text.split(': ');
  const sentence = element('p', 'what', element('b', '', what), about.length > 0 ? `: ${about.join(': ')}` : '');
  const time = element('time', 'number', at === null ? 'undated' : `${at.slice(0, 10)} ${at.slice(11, 19)}`);
  if (at !== null) time.dateTime = at;
  const origin = element('p', 'origin', time, ` · ${actor} · ${repo.replace(/[()]/g, '')}`);
  const node = element('li', 'entry', element('span', 'n number', count(n)), sentence, origin);
  if (effects.length > 0) node.append(element('p', 'effects', effects.join(', ')));
  return node;
}
