import { readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'status DIR [options]',
  examples: ['status crawls/example.org', 'status crawls/example.org --json', '--stack Strand status news'],
  options: [JSON_OPTION],
  read: readCrawl,
  run: async (crawl, place) => place.printSummary(await (await place.ask(crawl)).summary(), crawl),
});
