import { patches, watched } from './use.ts';

const url = new URLSearchParams(location.search).get('worker')!;
document.body.textContent = `${patches()}\n${await watched(url)}`;
