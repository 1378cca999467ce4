import { readFileSync } from 'node:fs';

/** Strand's version, as its package says. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
