/** Commands that take a URL, or a crawl's folder and a URL. */
import { quoted } from '../shared/core/text/printable.ts';
import type { LocalCommandOf } from './command.ts';
import { optionsOf } from './options.ts';
import type { ParsedOptions } from './read-options.ts';
import { configOf, isSet, networkOf, readWords, textOf } from './read-words.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';
import type { LocalVerb } from './verbs.ts';

/** With a folder the crawl's own settings apply; other settings would describe another crawl. */
export function explainCommand(
  given: ParsedOptions,
  { config, json }: Pick<LocalCommandOf<'explain'>, 'config' | 'json'>,
): LocalCommandOf<'explain'> {
  if (given.words.length === 1) {
    const [url] = readWords('explain', given, 'URL');
    return { verb: 'explain', config, options: configOf(given), url: seedUrl(url!), json };
  }
  const [dir, url] = readWords('explain', given, '[DIR]', 'URL');
  refuseSettings('explain', given, dir!, ['json']);
  return { verb: 'explain', dir: dir!, options: {}, url: seedUrl(url!), json };
}

/** The crawl in `dir` has its own settings. */
function refuseSettings(verb: LocalVerb, { values }: ParsedOptions, dir: string, taken: string[]): void {
  const stray = optionsOf(verb).find(({ name }) => !taken.includes(name) && values.has(name));
  if (!stray) return;
  throw new UsageError(
    `${verb} takes --${stray.name} only without DIR: the crawl in ${quoted(dir)} has its settings`,
  );
}

export function shellCommand(given: ParsedOptions): LocalCommandOf<'shell'> {
  const [config, evaluate, json] = [textOf(given, 'config'), textOf(given, 'eval'), isSet(given, 'json')];
  if (json && evaluate === undefined) throw new UsageError('Expected --eval EXPRESSION with --json');
  const shared = { verb: 'shell', config, evaluate, json } as const;
  if (given.words.length < 2) {
    const [url] = readWords('shell', given, 'URL');
    return { ...shared, options: configOf(given), network: networkOf(given), url: seedUrl(url!) };
  }
  const [dir, url] = readWords('shell', given, '[DIR]', 'URL');
  refuseSettings('shell', given, dir!, ['config', 'eval', 'json']);
  return { ...shared, dir: dir!, options: {}, url: seedUrl(url!) };
}
