import { readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'stop DIR',
  more: 'It can still be resumed.',
  examples: ['stop crawls/example.org', '--stack Strand stop news'],
  options: [JSON_OPTION],
  read: readCrawl,
  run: async (crawl, place) => place.printSummary(await (await place.ask(crawl)).stop(), crawl),
});
