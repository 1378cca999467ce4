import { watchInPlace } from '../crawl/watch-crawl.ts';
import { readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'watch DIR',
  more: 'Until it ends or you press Ctrl-C: pages, rate, hosts, cost.',
  examples: ['watch crawls/example.org', '--stack Strand watch news'],
  options: [JSON_OPTION],
  read: readCrawl,
  run: (crawl, place) => watchInPlace(crawl, place),
});
