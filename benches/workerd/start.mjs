// Measures a row in workerd: in a process of its own too, so that rows don't meet in one heap.
import { fileURLToPath } from 'node:url';
import { unstable_startWorker as startWorker } from 'wrangler';

// Where the request comes from doesn't matter, and would be asked of the network.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';

export async function inOwnWorker({ name, shape }, pace) {
  const config = fileURLToPath(new URL('wrangler.jsonc', import.meta.url));
  const worker = await startWorker({ config, dev: { server: { port: 0 }, inspector: false, logLevel: 'none' } });
  try {
    const answer = await fetch(await worker.url, { method: 'POST', body: JSON.stringify({ name, shape, pace }) });
    return await answer.json();
  } finally {
    await worker.dispose();
  }
}
