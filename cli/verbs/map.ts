import {
  MAP_SOURCES,
  MAX_MAP_LIMIT,
  type MapOptions,
  type MappedUrl,
  type MapSkip,
  type SiteEstimate,
} from '../../api/map-options.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { pageFault } from '../crawl/page-fault.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonRow, streamRows } from '../export/row-stream.ts';
import { formatBytes, formatCounted, formatDuration, largestFirst } from '../format.ts';
import { configOf, isSet, numberOf, readWords, textOf } from '../given.ts';
import { networkOf } from '../network-files.ts';
import { CONFIG_OPTION } from '../option-spec.ts';
import { optionsOf, requestOptions } from '../options.ts';
import { seedUrl } from '../seeds.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'map URL [options]',
  more: 'By robots.txt, the start page, its feeds, sitemaps and llms.txt: URL, last modification, source.',
  examples: [
    'map https://example.org/ --contact me@example.org',
    'map example.org --search guide --contact me@example.org',
    'map example.org --estimate --contact me@example.org',
  ],
  options: [
    {
      name: 'source',
      argument: 'all|sitemaps|links|feeds|llms',
      type: 'choice',
      choices: ['all', ...MAP_SOURCES],
      preset: 'all',
      group: 'Output',
      help: 'only URLs of sitemaps, of the start page, of feeds that it names, or of llms.txt; the others are not requested',
    },
    {
      name: 'search',
      argument: 'WORDS',
      type: 'text',
      group: 'Output',
      help: 'only URLs that have all these words',
    },
    {
      name: 'limit',
      argument: 'N',
      type: 'count',
      range: [1, MAX_MAP_LIMIT],
      preset: '100000',
      group: 'Output',
      help: 'at most N URLs',
    },
    {
      name: 'estimate',
      type: 'flag',
      group: 'Output',
      help: 'instead of the URLs, say how many there are, how long a crawl takes and how large it gets',
    },
    { name: 'json', type: 'flag', group: 'Output', help: 'a line of JSON for each URL' },
    CONFIG_OPTION,
    ...optionsOf('scope', 'include', 'exclude', 'sitemapUrls', 'modifiedSince', 'purpose'),
    ...requestOptions(),
  ],
  read(given) {
    const [url] = readWords(given, 'URL');
    return {
      url: seedUrl(url!),
      config: textOf(given, 'config'),
      options: configOf(given),
      network: networkOf(given),
      source: textOf(given, 'source') as MapOptions['source'],
      search: textOf(given, 'search'),
      limit: numberOf(given, 'limit'),
      estimate: isSet(given, 'estimate'),
    };
  },
  async run({ url, source, search, limit, estimate, ...given }, place) {
    const { estimateSite, mapSite } = await import('../../api/map-site.ts');
    const { fetchOptions } = await import('../crawl/fetch-options.ts');
    const interrupt = new AbortController();
    process.once('SIGINT', () => interrupt.abort());
    const skips = createMapSkips();
    let count = 0;
    try {
      const { options, project } = await fetchOptions({ url, ...given });
      const asked: MapOptions = {
        ...options,
        middleware: project.middleware,
        ...(source && { source }),
        ...(search !== undefined && { search }),
        ...(limit !== undefined && { limit }),
        skip: skips.skip,
        signal: interrupt.signal,
      };
      if (estimate) {
        const estimated = await estimateSite(url, asked);
        return place.print(estimated, estimateText(estimated));
      }
      const counted = counting(mapSite(url, asked), () => count++);
      await streamRows(place.out, counted, place.json ? jsonRow : rowText);
      if (count > 0) return exitCodes.finished;
      process.stderr.write('strand: the site names no such URL\n');
      return exitCodes.nothingFetched;
    } catch (error) {
      return await pageFault(error, interrupt.signal);
    } finally {
      for (const line of skips.lines()) process.stderr.write(`${line}\n`);
    }
  },
});

async function* counting<T>(values: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const value of values) {
    count();
    yield value;
  }
}

const rowText = ({ url, lastModified = '', source }: MappedUrl): string =>
  `${printable(url)}\t${lastModified}\t${source}\n`;

export function estimateText({ pages, hasMore, hosts, ms, bytes, delayMs }: SiteEstimate): string {
  if (pages === 0) return 'The site names no pages';
  const count = `${hasMore ? 'more than' : 'about'} ${formatCounted(pages, 'page')}`;
  const pace = `${formatDuration(delayMs)} between two requests to a host`;
  const of = hosts > 1 ? ` of ${formatCounted(hosts, 'host')}` : '';
  return `${count}${of}, ${formatDuration(roundedMs(ms))} with ${pace}, ${formatBytes(bytes)} of WARC files`;
}

/** An estimate is not more exact. */
const roundedMs = (ms: number): number => {
  const unit = ms > 600_000 ? 60_000 : 1000;
  return Math.max(1, Math.round(ms / unit)) * unit;
};

/** Why URLs were left out, by reason, each with an example. */
function createMapSkips() {
  const counts: Record<string, number> = {};
  const first = new Map<string, MapSkip>();
  return {
    skip(skipped: MapSkip): void {
      counts[skipped.reason] = (counts[skipped.reason] ?? 0) + 1;
      if (!first.has(skipped.reason)) first.set(skipped.reason, skipped);
    },
    lines: () =>
      largestFirst(counts).map(([reason, count]) => {
        const { url, text } = first.get(reason)!;
        return `Left out ${formatCounted(count, 'URL')} (${reason}): ${printable(url)}: ${printable(text)}`;
      }),
  };
}
