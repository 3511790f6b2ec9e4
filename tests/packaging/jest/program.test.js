import { writeFileSync } from 'node:fs';
import { program } from './program.js';

test('the program runs', async () => {
  writeFileSync('output.txt', await program(process.env.SESSION));
});
