import { resolve } from 'node:path';

const both = { mode: 'production', performance: { hints: false } };
export default [
  { ...both, name: 'web', target: 'web', entry: './page.js', output: { path: resolve('web'), filename: 'page.js' } },
  { ...both, name: 'node', target: 'node', entry: './main.js', output: { path: resolve('node'), filename: 'main.cjs' } },
];
