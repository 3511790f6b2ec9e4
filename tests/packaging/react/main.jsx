// The example of docs/react.md, and beside it what needs no hooks of ours.
import { renderToString } from 'react-dom/server';
import { Line } from './Line.jsx';
import { render } from './server.jsx';

console.log(JSON.stringify({ notes: render(), line: renderToString(<Line />) }));
