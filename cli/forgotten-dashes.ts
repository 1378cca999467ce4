import { existsSync } from 'node:fs';
import { foldersOf } from '../shared/engines/local/folders.ts';
import type { OptionSpec } from './option-spec.ts';
import { PROGRAM } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Options that npm knows, too: npm passes on its own configuration under the same names. */
const OF_NPM: ReadonlySet<string> = new Set([
  'browser',
  'ca',
  'cache',
  'config',
  'include',
  'json',
  'name',
  'proxy',
  'quiet',
  'scope',
  'user-agent',
  'yes',
]);

/**
 * Throws `UsageError` if npm kept options for itself that were meant for us: `npm run crawl
 * https://example.org/ --max-pages 5` without `--` before them. npm passes them on as `npm_config_max_pages`
 * only. `options`: of the command.
 */
export function refuseForgottenDashes(
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly OptionSpec[],
): void {
  const script = environment.npm_lifecycle_event;
  if (script !== 'crawl' && script !== 'strand') return;
  const taken = options
    .filter(({ name }) => {
      const value = environment[`npm_config_${name.replaceAll('-', '_')}`];
      return value !== undefined && (!OF_NPM.has(name) || (name === 'cache' && isCrawl(value)));
    })
    .map(({ name }) => `--${name}`);
  if (taken.length === 0) return;
  const command = script === 'crawl' ? 'npm run crawl --' : PROGRAM;
  throw new UsageError(
    `npm kept ${taken.join(', ')} for itself; put -- before all words: ${command} ${script === 'crawl' ? 'https://example.org/' : 'COMMAND'} ${taken[0]} ...`,
  );
}

/** npm's own cache is always set. A crawl's folder is never meant for it. */
const isCrawl = (folder: string): boolean => folder !== '' && existsSync(foldersOf(folder).database);
