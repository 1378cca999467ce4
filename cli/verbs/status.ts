import { isSet, readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'status DIR [options]',
  more: 'With --watch: the progress of a crawl that runs elsewhere.',
  examples: [
    'status crawls/example.org',
    'status crawls/example.org --watch',
    'status crawls/example.org --json',
    '--stack Strand status news',
  ],
  options: [
    {
      name: 'watch',
      type: 'flag',
      group: 'Output',
      help: 'show the progress until the crawl ends or you press Ctrl-C: pages, rate, hosts, cost',
    },
    JSON_OPTION,
  ],
  read: (given) => ({ crawl: readCrawl(given), watch: isSet(given, 'watch') }),
  async run({ crawl, watch }, place) {
    if (!watch) {
      const summary = await (await place.ask(crawl)).summary();
      return place.printSummary(summary, crawl, await place.accountsOf(summary, crawl));
    }
    const { watchInPlace } = await import('../crawl/watch-crawl.ts');
    return watchInPlace(crawl, place);
  },
});
