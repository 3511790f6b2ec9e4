import { patches } from './use.ts';

console.log(patches());
