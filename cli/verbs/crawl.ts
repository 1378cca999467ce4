import { printable } from '../../shared/core/text/printable.ts';
import { commandAt } from '../command-at.ts';
import type { BeginAsked } from '../crawl/run-crawl.ts';
import {
  BROWSER_OPTIONS,
  CACHE_OPTION,
  DEDUPE_OPTION,
  MADE_OPTIONS,
  ONCE_OPTION,
  type RunSettings,
  runSettingsOf,
  SHOW_OPTIONS,
  SITES_OPTION,
  WATCH_OPTION,
} from '../crawl/run-options.ts';
import { formatCounted } from '../format.ts';
import { configOf, isSet, readCrawlName, readSeedWords, textOf } from '../given.ts';
import { networkOf } from '../network-files.ts';
import { CONFIG_OPTION, SEEDS_OPTION, WORKERS_OPTION } from '../option-spec.ts';
import { crawlOptions } from '../options.ts';
import type { Place } from '../place.ts';
import { verb } from '../verb.ts';

interface StackAsked extends Omit<BeginAsked, keyof RunSettings | 'out' | 'cache'> {
  readonly config: string | undefined;
  readonly name: string | undefined;
  readonly watch: boolean;
}

export const command = verb({
  usage: 'crawl SEED... [options]',
  more: 'Seeds without a scheme get https, localhost and IP addresses http.',
  examples: [
    'crawl example.org --contact me@example.org --max-pages 100',
    'crawl --seeds seeds.txt --max-time 2h --contact me@example.org',
    'crawl http://localhost:8080/ --allow-private-addresses --delay 0',
    '--stack Strand crawl example.org --name news --max-cost 5',
  ],
  options: [
    {
      name: 'out',
      argument: 'DIR',
      type: 'text',
      only: 'here',
      reason: 'a stack keeps its crawls in its own tables and bucket',
      group: 'Crawl',
      help: 'folder of the crawl, for its state and WARC files; by default crawls/HOST-DATE-TIME',
    },
    ...MADE_OPTIONS,
    SEEDS_OPTION,
    SITES_OPTION,
    CONFIG_OPTION,
    WORKERS_OPTION,
    ...BROWSER_OPTIONS,
    ONCE_OPTION,
    ...crawlOptions(),
    DEDUPE_OPTION,
    CACHE_OPTION,
    ...SHOW_OPTIONS,
    {
      name: 'name',
      argument: 'CRAWL',
      type: 'text',
      only: 'stack',
      reason: 'a crawl on one machine is named by its folder: --out DIR',
      group: 'Stack',
      help: 'name of the crawl; by default the host of its first seed',
    },
    WATCH_OPTION,
  ],
  usual: [
    ...['out', 'seeds', 'scope', 'include', 'exclude', 'max-depth', 'requisites', 'recrawl'],
    ...['max-pages', 'max-time', 'delay', 'contact', 'allow-private-addresses', 'json', 'stack'],
  ],
  read(given): BeginAsked | StackAsked {
    const [name, earlier] = [textOf(given, 'name'), textOf(given, 'dedupe-from')];
    const shared = {
      ...readSeedWords(given.words, given, 'crawl'),
      dedupeFrom: given.isOnStack ? earlier && readCrawlName(earlier) : earlier,
      options: configOf(given),
      network: networkOf(given),
    };
    if (!given.isOnStack)
      return {
        ...shared,
        ...runSettingsOf(given),
        out: textOf(given, 'out'),
        cache: textOf(given, 'cache'),
      };
    const watch = isSet(given, 'watch');
    return { ...shared, config: textOf(given, 'config'), name: name && readCrawlName(name), watch };
  },
  async run(asked, place) {
    if ('watch' in asked) return beginOnStack(asked, place, place.stack!);
    const { beginCrawl } = await import('../crawl/run-crawl.ts');
    return beginCrawl(asked);
  },
});

async function beginOnStack(
  asked: StackAsked,
  place: Place,
  stack: NonNullable<Place['stack']>,
): Promise<number> {
  const { beginStackCrawl } = await import('../../api/stack/start-stack-crawl.ts');
  const { leftOutLines } = await import('../../shared/services/begin/sort-seeds.ts');
  const { readProject } = await import('../../shared/services/project/project-file.ts');
  const { withNetworkFiles } = await import('../crawl/network-options.ts');
  const { readStart } = await import('../crawl/read-seeds.ts');
  const { parseCrawlConfig } = await import('../crawl-config.ts');
  const { seeds, sites, all } = readStart(asked);
  const { crawl, file } = await readProject(asked.config);
  const warn = (line: string) => place.err.write(`${printable(line)}\n`);
  const options = withNetworkFiles(asked.options, asked.network, all, warn);
  parseCrawlConfig({ ...crawl, ...options });
  const { name, dedupeFrom } = asked;
  const projectOptions = async () => crawl;
  const start = { crawl: name, seeds, sites, dedupeFrom, options, projectOptions };
  const summary = await beginStackCrawl(stack, start);
  for (const line of leftOutLines(summary.refused)) warn(line);
  const begun = `The crawl ${summary.crawl} begins with ${formatCounted(all.length - summary.refused.length, 'seed')}${file ? ` and ${file}` : ''}`;
  if (asked.watch) {
    const { watchInPlace } = await import('../crawl/watch-crawl.ts');
    place.err.write(`${begun}\n`);
    return watchInPlace(summary.crawl, place);
  }
  if (place.json) return place.printSummary(summary);
  return place.print(
    summary,
    `${begun}\nWatch it with: ${commandAt(place.addressOf(summary.crawl), 'status', '--watch')}`,
  );
}
