/**
 * `npm run check:regexps`: fails if a regular expression of the program may take more than linear time. Expressions in
 * `verified.json` have passed before. `--write` adds new ones to it; `--all` checks all of them again (a minute).
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkSource } from './check-regexps.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VERIFIED = new URL('verified.json', import.meta.url);
const FOLDERS = ['shared', 'functions', 'cli'];

const args = process.argv.slice(2);
const known: string[] = args.includes('--all') ? [] : JSON.parse(readFileSync(VERIFIED, 'utf8'));
const linear = new Set(known);
const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
  .filter((file) => !file.endsWith('.d.ts'))
  .sort();
const sources = files.map((file) => ({ file, source: readFileSync(`${ROOT}${file}`, 'utf8') }));
const faults = sources.flatMap(({ file, source }) => checkSource(file, source, linear));

for (const fault of faults) console.error(fault);
if (args.includes('--write')) {
  // Expressions that no file contains any longer are dropped.
  const used = [...linear].filter((text) => sources.some(({ source }) => source.includes(text))).sort();
  writeFileSync(VERIFIED, `${JSON.stringify(used, undefined, 2)}\n`);
} else if (faults.length === 0 && linear.size > known.length && known.length > 0) {
  console.error(
    `${linear.size - known.length} new regular expressions are linear: npm run check:regexps -- --write`,
  );
}
process.exitCode = faults.length > 0 ? 1 : 0;
