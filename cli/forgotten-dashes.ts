import { OPTIONS } from './options.ts';
import { PROGRAM } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Options that npm knows, too: npm passes on its own configuration under the same names. */
const OF_NPM: ReadonlySet<string> = new Set([
  'ca',
  'config',
  'include',
  'json',
  'name',
  'proxy',
  'quiet',
  'save',
  'scope',
  'user-agent',
  'yes',
]);

/**
 * Throws `UsageError` if npm kept options for itself that were meant for us: `npm run crawl
 * https://example.org/ --max-pages 5` without `--` before them. npm passes them on as `npm_config_max_pages`
 * only.
 */
export function refuseForgottenDashes(environment: Readonly<Record<string, string | undefined>>): void {
  const script = environment.npm_lifecycle_event;
  if (script !== 'crawl' && script !== 'strand') return;
  const taken = OPTIONS.filter(
    ({ name }) => !OF_NPM.has(name) && environment[`npm_config_${name.replaceAll('-', '_')}`] !== undefined,
  ).map(({ name }) => `--${name}`);
  if (taken.length === 0) return;
  const command = script === 'crawl' ? 'npm run crawl --' : PROGRAM;
  throw new UsageError(
    `npm kept ${taken.join(', ')} for itself; put -- before all words: ${command} ${script === 'crawl' ? 'https://example.org/' : 'COMMAND'} ${taken[0]} ...`,
  );
}
