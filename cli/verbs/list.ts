import type { CrawlStatus } from '../../shared/crawler/ports/crawl-registry.ts';
import { CRAWL_STATUSES } from '../../shared/crawler/ports/crawl-registry.ts';
import type { CrawlEntry } from '../../shared/services/control/control.ts';
import { stackProgram } from '../command-at.ts';
import { textOf, wrongWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { PROGRAM } from '../program.ts';
import { crawlsText } from '../stack-text.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'list [FOLDER]',
  stackUsage: 'list [PREFIX]',
  more: 'The folder is crawls by default; with PREFIX, those whose names begin so.',
  examples: ['list', 'list /data/crawls --json', '--stack Strand list news- --state running'],
  options: [
    JSON_OPTION,
    {
      name: 'state',
      argument: CRAWL_STATUSES.join('|'),
      type: 'choice',
      choices: CRAWL_STATUSES,
      only: 'stack',
      reason: 'a folder has few crawls',
      group: 'Output',
      help: 'only crawls of this state',
    },
  ],
  read(given) {
    const [word, ...others] = given.words;
    if (others.length > 0 || (word === '' && !given.isOnStack))
      throw wrongWords(given, given.isOnStack ? '[PREFIX]' : '[FOLDER]');
    return { word, state: textOf(given, 'state') as CrawlStatus | undefined };
  },
  async run({ word, state }, place) {
    if (place.stack) {
      const { crawlPages } = await import('../../shared/services/control/list-crawls.ts');
      const crawls: CrawlEntry[] = [];
      for await (const page of crawlPages(place.stack.control, { prefix: word, state })) crawls.push(...page);
      return place.print({ crawls }, crawlsText(crawls, `${stackProgram(place.stack)} crawl SEED...`));
    }
    const { listCrawls } = await import('../../api/open-crawl.ts');
    const crawls = await listCrawls(word ?? 'crawls');
    const named = crawls.map((entry) => ({ ...entry, crawl: entry.folder }));
    return place.print({ crawls }, crawlsText(named, `${PROGRAM} crawl SEED...`));
  },
});
