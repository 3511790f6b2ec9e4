// The few things that every panel does to the page.

export const byId = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, className = '', ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** Sets a text if it is another one, and says whether it was. */
export function setText(node: Element, text: string): boolean {
  if (node.textContent === text) return false;
  node.textContent = text;
  return true;
}

export const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

/** Highlights what has just changed. Not a class: a style sheet's animation starts again when its element is moved. */
export function flash(node: Element): void {
  if (!isCalm.matches) node.animate({ backgroundColor: ['var(--glow)', 'transparent'] }, { duration: 1000, easing: 'ease-out' });
}

/** A repository's name; an event without one, and an advisory, have no owner either. */
export function place(repo: string, more = ''): HTMLElement {
  const [owner, name] = repo.split('/');
  const node = element('span', 'place');
  node.title = `${repo}${more}`;
  if (name) node.append(element('span', 'owner', `${owner}/`), element('span', 'own', `${name}${more}`));
  else node.append(element('span', 'none', 'no repository'));
  return node;
}

/** A symbol of index.html; what it means is said in words beside it. */
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#${name}`);
  svg.append(use);
  return svg;
}

const numbers = new Intl.NumberFormat('en');
export const count = (value: number): string => numbers.format(value);

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** 812 B, 4.2 kB, 51 MB: three figures at most, so that a growing number keeps its width. */
export function bytes(value: number): string {
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
