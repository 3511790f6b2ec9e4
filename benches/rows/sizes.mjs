// What a browser downloads.
import { measureSizes } from '../../scripts/size.mjs';

const row = (name, key, target) => ({
  name: `download, brotli KB: ${name}`,
  shape: '',
  target: 1,
  unit: 'KB',
  async figures() {
    const { entries } = await measureSizes();
    return { ours: entries.find((entry) => entry.key === key).brotli / 1000, peer: target, who: 'the budget' };
  },
});

export const sizes = [row('client entry', 'client', 38), row('a page with a tracker and a client', 'page', 130), row('everything', 'everything', 130)];
