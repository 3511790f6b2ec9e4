import { resolve } from 'node:path';

export default { mode: 'production', target: 'web', entry: './page.js', performance: false, output: { path: resolve('web'), filename: 'page.js' } };
