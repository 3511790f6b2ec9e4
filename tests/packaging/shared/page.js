import { program } from './program.js';

const show = (text) => (document.querySelector('output').textContent = text);
program(new URLSearchParams(location.search).get('session')).then(show, show);
