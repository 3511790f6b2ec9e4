import { program } from './program.js';

program(process.env.SESSION).then(console.log);
