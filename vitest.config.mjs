import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

const inNode = (name, slow = {}) => ({ test: { name, include: [`tests/${name}/**/*.test.{ts,mjs}`], ...slow } });
// These install packages, start workers and drive a browser.
const slow = { testTimeout: 120_000, hookTimeout: 240_000, fileParallelism: false };

export default defineConfig({
  test: {
    projects: [
      inNode('node'),
      inNode('packaging', slow),
      inNode('browser', slow),
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './tests/workerd/wrangler.jsonc' } })],
        test: { name: 'workerd', include: ['tests/workerd/**/*.test.ts'] },
      },
    ],
  },
});
