import { exitCodes } from '../exit-codes.ts';
import { jsonRow, streamRows } from '../export/row-stream.ts';
import { readCrawl, sinceOf } from '../given.ts';
import { verb } from '../verb.ts';

const SINCE_BEGIN =
  'strand: since the crawl began, so pages that have changed later are new, too; --since TIME counts from then\n';

export const command = verb({
  usage: 'changes DIR [--since DATE]',
  more: 'Also those that have moved or are back, as lines of JSON: in a crawl with --recrawl or --every.',
  examples: [
    'changes crawls/example.org --since 2026-11-01',
    '--stack Strand changes news --since 2026-11-01T08:00Z',
  ],
  options: [
    {
      name: 'since',
      argument: 'DATE',
      type: 'date',
      group: 'Output',
      help: 'only pages changed on this day or later: 2026-01-31, or with a time',
    },
  ],
  read: (given) => ({ crawl: readCrawl(given), since: sinceOf(given) }),
  async run({ crawl, since }, { open, out }) {
    const stored = await open(crawl);
    if (since === undefined) process.stderr.write(SINCE_BEGIN);
    await streamRows(out, stored.changes(since), jsonRow);
    return exitCodes.finished;
  },
});
