import { program } from './program.js';

onmessage = ({ data: session }) => program(session).then(postMessage, (error) => postMessage(`${error}`));
