// The example of docs/react.md, and beside it what needs no hooks of ours, and a client of a component's own.
import { renderToString } from 'react-dom/server';
import { Line } from './Line.jsx';
import { Session } from './Session.jsx';
import { render } from './server.jsx';

console.log(JSON.stringify({ notes: render(), line: renderToString(<Line />) + renderToString(<Session id="demo" />) }));
