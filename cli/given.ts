/** The words and options of a command as they were given: folders, names of crawls, seeds. */
import type { CrawlOptions } from '../shared/core/crawl/config.ts';
import { CRAWL_ID } from '../shared/core/crawl/crawl-id.ts';
import { quoted } from '../shared/core/text/printable.ts';
import type { OptionSpec } from './option-spec.ts';
import { PROGRAM } from './program.ts';
import type { ParsedOptions } from './read-options.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';

export interface Given extends ParsedOptions {
  readonly verb: string;
  /** On a stack, where a crawl has a name instead of a folder. */
  readonly isOnStack: boolean;
  /** All that the command takes. */
  readonly options: readonly OptionSpec[];
}

export interface Seeds {
  /** Absolute http(s) URLs as the WHATWG parser writes them, in the order given. */
  readonly seeds: readonly string[];
  /** A file with more seeds; `-` is standard input. */
  readonly seedsFile?: string | undefined;
  /** A file with the sites of the crawl, whose URLs are seeds. */
  readonly sitesFile?: string | undefined;
}

export const textOf = ({ values }: ParsedOptions, name: string): string | undefined =>
  values.get(name) as string | undefined;

export const numberOf = ({ values }: ParsedOptions, name: string): number | undefined =>
  values.get(name) as number | undefined;

export const isSet = ({ values }: ParsedOptions, name: string): boolean => values.get(name) === true;

export function sinceOf(given: ParsedOptions): Date | undefined {
  const since = textOf(given, 'since');
  return since === undefined ? undefined : new Date(since);
}

/** The given options that are keys of the crawl's configuration, under these keys. */
export function configOf({ values, options }: Given): CrawlOptions {
  const entries = options.flatMap(({ key, name }) =>
    key && values.has(name) ? [[key, values.get(name)]] : [],
  );
  return Object.fromEntries(entries) as CrawlOptions;
}

/** As many words as are expected, none empty. `CRAWL` is called `DIR` on one machine. */
export function readWords(given: Given, ...expected: string[]): readonly string[] {
  const { words } = given;
  if (words.length !== expected.length || words.some((word) => word === ''))
    throw wrongWords(given, ...expected);
  return expected[0] === 'CRAWL' ? [crawlOf(given, words[0]!), ...words.slice(1)] : words;
}

/** The only word, which is a crawl. */
export const readCrawl = (given: Given): string => readWords(given, 'CRAWL')[0]!;

export function wrongWords({ verb, words, isOnStack }: Given, ...expected: string[]): UsageError {
  const came = words.length === 0 ? 'nothing' : words.map(quoted).slice(0, 5).join(' ');
  const names = expected.map((word) => (word === 'CRAWL' && !isOnStack ? 'DIR' : word));
  const more = words.length === 0 && names[0] === 'DIR' ? `; ${PROGRAM} list shows the crawls` : '';
  return new UsageError(`Expected ${[PROGRAM, verb, ...names].join(' ')}, got ${came}${more}`);
}

/** The name of a crawl on a stack, checked; or the folder. */
export const crawlOf = ({ isOnStack }: Given, text: string): string =>
  isOnStack ? readCrawlName(text) : text;

export function readCrawlName(text: string): string {
  if (CRAWL_ID.test(text)) return text;
  throw new UsageError(
    `Expected the name of a crawl (letters, digits, ., _ and -; 64 at most), got ${quoted(text)}; ` +
      `all of a stack: ${PROGRAM} --stack NAME list`,
  );
}

/** `example`: the words before the seeds. */
export function readSeedWords(words: readonly string[], given: ParsedOptions, example: string): Seeds {
  const seedsFile = textOf(given, 'seeds');
  const sitesFile = textOf(given, 'sites');
  if (words.length === 0 && seedsFile === undefined && sitesFile === undefined) {
    throw new UsageError(
      `Expected a seed, got none: ${PROGRAM} ${example} https://example.org/, or --seeds FILE`,
    );
  }
  if (seedsFile === '-' && sitesFile === '-')
    throw new UsageError('Expected --seeds or --sites to read standard input, got both');
  const seeds = words.map((word) => seedUrl(word));
  return { seeds, seedsFile, ...(sitesFile !== undefined && { sitesFile }) };
}

/** Other settings than those of the crawl in `dir` would describe another crawl. */
export function refuseSettings(
  { verb, values, options }: Given,
  dir: string,
  taken: readonly string[],
): void {
  const stray = options.find(({ name }) => !taken.includes(name) && values.has(name));
  if (!stray) return;
  throw new UsageError(
    `${verb} takes --${stray.name} only without DIR: the crawl in ${quoted(dir)} has its settings`,
  );
}
