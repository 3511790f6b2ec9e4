// The rows that are measured in workerd, one a request.
import { inWorkerd } from '../rows/workerd.mjs';
import { timed } from '../timed.mjs';

export default {
  async fetch(request) {
    const { name, shape, pace } = await request.json();
    const row = inWorkerd.find((row) => row.name === name && row.shape === shape);
    return Response.json(await timed(row, pace).catch((error) => ({ failed: String(error), met: false })));
  },
};
