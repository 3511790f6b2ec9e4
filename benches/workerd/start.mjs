// A worker to measure in: one for each row, so that rows don't meet in one heap.
import { fileURLToPath } from 'node:url';
import { unstable_startWorker as startWorker } from 'wrangler';

// Where a request comes from doesn't matter, and would be asked of the network.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';
// The local observability of wrangler keeps a span of every statement, a third of what a small one takes.
process.env.X_LOCAL_OBSERVABILITY = 'false';

/** Resolves to what `use(ask)` does; `ask(question)` resolves to the worker's answer, or throws what it said instead. */
export async function withWorker(use, configuration = 'wrangler.jsonc') {
  const config = fileURLToPath(new URL(configuration, import.meta.url));
  const worker = await startWorker({ config, dev: { server: { port: 0 }, inspector: false, logLevel: 'none', persist: false } });
  const url = await worker.url;
  try {
    return await use(async (question) => {
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(question) });
      if (!answer.ok) throw new Error((await answer.text()).slice(0, 500));
      return answer.json();
    });
  } finally {
    await worker.dispose();
  }
}
