// Shows the state of the agent as it is.
import { connect } from 'patchwire/client';

const client = connect({ url: '/live' });
const find = (selector) => document.querySelector(selector);

client.subscribe(() => {
  const { progress, report = '', outline = [], words = {}, links = [] } = client.getState() ?? {};
  find('#progress').textContent = progress ? `${progress.status}, section ${progress.section} of ${progress.sections}` : '';
  find('#report').textContent = report;
  find('#outline').replaceChildren(...outline.map(({ level, title, words }) => {
    const item = document.createElement('li');
    item.style.setProperty('--level', level);
    item.textContent = `${title} (${words})`;
    return item;
  }));
  const often = Object.entries(words).sort(([, a], [, b]) => b - a).slice(0, 10);
  find('#words').textContent = often.map(([word, count]) => `${word} ${count}`).join(', ');
  find('#links').textContent = links.join(', ');
});

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void fetch('/run?pace=50', { method: 'POST', body: find('textarea').value });
});

// For the tests, and for whoever opens the console.
window.patchwire = client;
