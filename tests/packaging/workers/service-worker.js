import { program } from './program.js';

addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  if (pathname === '/program') event.respondWith(program(searchParams.get('session')).then((text) => new Response(text)));
});
