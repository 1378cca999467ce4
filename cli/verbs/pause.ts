import { readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'pause DIR',
  more: 'URLs that wait stay due until the crawl is resumed.',
  examples: ['pause crawls/example.org', '--stack Strand pause news'],
  options: [JSON_OPTION],
  read: readCrawl,
  run: async (crawl, place) => place.printSummary(await (await place.ask(crawl)).pause(), crawl),
});
