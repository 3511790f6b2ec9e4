import { patches } from './use.ts';

export default { fetch: () => new Response(patches()) };
