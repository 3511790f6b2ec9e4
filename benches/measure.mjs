// Measures one row, in a process of its own: what one row did to the engine and the heap doesn't reach the next.
import { rows } from './rows/index.mjs';
import { judged, timed } from './timed.mjs';

async function counted(row, pace) {
  const figures = await row.figures(pace);
  return judged(row, { ratio: figures.ours / figures.peer, ...figures });
}

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
