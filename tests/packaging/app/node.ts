import { patches, visited, watched } from './use.ts';

declare const process: { argv: [string, string, string] };

console.log(patches());
console.log(...visited());
console.log(await watched(process.argv[2]));
