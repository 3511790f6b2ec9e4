// Counters per repository, and the labels of all of them.
import { chip } from './issues.ts';
import { byId, count, element, flash, place, setText } from './dom.ts';
import type { Snapshot } from './snapshot.ts';

type Repository = Snapshot['repositories'][string];

const COLUMNS = ['events', 'open', 'closed', 'comments', 'pushes', 'releases', 'stars'] as const;
const WIDE = new Set<string>(['pushes', 'releases', 'stars']);

export function repositoriesPanel(): (state: Snapshot) => void {
  const body = byId('repositories');
  const rows = new Map<string, { node: HTMLElement; draw(repository: Repository): void }>();
  let shown: Snapshot['repositories'] | undefined;
  let shownLabels: Snapshot['labels'] | undefined;

  return ({ repositories, labels }) => {
    if (labels !== shownLabels) byId('labels').replaceChildren(...labelChips((shownLabels = labels)));
    if (repositories === shown) return;
    shown = repositories;
    for (const [name, row] of rows) {
      if (name in repositories) continue;
      row.node.remove();
      rows.delete(name);
    }
    for (const [name, repository] of Object.entries(repositories)) {
      let row = rows.get(name);
      if (!row) {
        rows.set(name, (row = newRow(name)));
        body.append(row.node);
      }
      row.draw(repository);
    }
    byId('repositories-empty').hidden = rows.size > 0;
    setText(byId('repositories-count'), rows.size > 0 ? count(rows.size) : '');
  };
}

function newRow(name: string) {
  const cells = COLUMNS.map((column) => element('td', `number${WIDE.has(column) ? ' wide' : ''}`));
  const title = element('th', '', place(name));
  title.scope = 'row';
  title.title = name;
  let shown: Repository | undefined;
  return {
    node: element('tr', '', title, ...cells),
    draw(repository: Repository) {
      if (repository === shown) return;
      for (const [i, column] of COLUMNS.entries()) {
        const value = repository[column];
        if (!setText(cells[i], value === 0 ? '·' : count(value)) || !shown) continue;
        flash(cells[i]);
      }
      shown = repository;
    },
  };
}

function labelChips(labels: Snapshot['labels']): HTMLElement[] {
  const all = new Map<string, { color: string; issues: number }>();
  for (const [name, { color, issues }] of Object.values(labels).flatMap((own) => Object.entries(own))) {
    all.set(name, { color, issues: issues + (all.get(name)?.issues ?? 0) });
  }
  return [...all].map(([name, { color, issues }]) => element('li', '', chip(name, color), element('span', 'number', ` ${count(issues)}`)));
}
