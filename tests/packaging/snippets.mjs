import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/places.mjs';

/** Writes what a page shows as files, which begin with their names in a comment, into a folder; returns the names. */
export function writeSnippets(page, folder) {
  const snippets = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:jsx?|jsonc?|tsx?)\n\/\/ (\S+)\n(.*?)^```/gms)];
  for (const [, name, text] of snippets) writeFileSync(join(folder, name), text);
  return snippets.map(([, name]) => name);
}
