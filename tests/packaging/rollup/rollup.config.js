import resolve from '@rollup/plugin-node-resolve';
import terser from '@rollup/plugin-terser';

export default { input: 'page.js', output: { dir: 'web' }, plugins: [resolve({ browser: true }), terser()] };
