// What is measured in workerd: a row a request, timed inside; or one call of a Durable Object, timed by who asks.
import { inWorkerd } from '../rows/workerd.mjs';
import { timed } from '../timed.mjs';

export { Stringified, Synced } from './sessions.mjs';

export default {
  async fetch(request, env) {
    const { object, name, method, args, shape, pace } = await request.json();
    try {
      if (object) return Response.json((await env[object].getByName(name)[method](...args)) ?? null);
      return Response.json(await timed(inWorkerd.find((row) => row.name === name && row.shape === shape), pace));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
