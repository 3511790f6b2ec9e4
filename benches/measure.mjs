// Measures one row, in a process of its own: what one row did to the engine and the heap doesn't reach the next.
import { rows } from './rows/index.mjs';
import { counted, timed } from './timed.mjs';

process.once('disconnect', () => process.exit());
process.once('message', async ({ index, pace }) => {
  const row = rows[index];
  let result;
  try {
    result = row.contenders ? await timed(row, pace) : await counted(row, pace);
  } catch (error) {
    result = { failed: String(error), met: false };
  }
  process.send(result, () => process.exit());
});
