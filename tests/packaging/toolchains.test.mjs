// The toolchains that take seconds; `npm run toolchains` runs them all.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolchains } from './toolchains.mjs';
import { World } from './world.mjs';

let world;
beforeAll(async () => (world = await World.begin()));
afterAll(() => world?.end());

test.each(toolchains.filter(({ isQuick }) => isQuick).map((row) => [row.name, row]))('%s', async (_, row) => {
  expect(await world.run(row)).toMatchObject({ version: expect.stringMatching(/\d+\.\d+/) });
});
