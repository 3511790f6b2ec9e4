import { patches } from './use.ts';

document.body.textContent = patches();
