import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const fromRoot = (path) => fileURLToPath(new URL(path, import.meta.url));
// Generous: properties run long, and on a loaded machine longer.
const timeouts = { testTimeout: 120_000, hookTimeout: 240_000 };
const inNode = (name, more = {}) => ({ test: { name, include: [`tests/${name}/**/*.test.{ts,mjs}`], ...timeouts, ...more } });
// Some tests look into the package, whose files must be the ones that are tested, and not their bundles.
const files = [{ find: /^patchwire$/, replacement: fromRoot('pkg/dist/index.js') }, { find: /^patchwire\/([a-z-]+)$/, replacement: fromRoot('pkg/dist/$1.js') }];
// These install packages, start workers and drive a browser: one at a time.
const alone = { fileParallelism: false };
// What laws are asked for: workerd has an environment of its own.
const { PATCHWIRE_SEED, PATCHWIRE_RUNS } = process.env;
const env = { ...(PATCHWIRE_SEED && { PATCHWIRE_SEED }), ...(PATCHWIRE_RUNS && { PATCHWIRE_RUNS }) };

export default defineConfig({
  test: {
    projects: [
      { resolve: { alias: files }, ...inNode('node', { globalSetup: 'tests/examples/write.ts', maxWorkers: '100%' }) },
      inNode('packaging', alone),
      inNode('browser', alone),
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './tests/workerd/wrangler.jsonc' } })],
        test: { name: 'workerd', include: ['tests/workerd/**/*.test.ts'], globalSetup: 'tests/examples/write.ts', env, ...timeouts },
      },
    ],
  },
});
