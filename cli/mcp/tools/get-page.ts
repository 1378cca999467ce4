import { z } from 'zod';
import type { OpenedCrawl } from '../../../api/crawl-place.ts';
import { tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import {
  charsField,
  crawlField,
  dateOf,
  readUrl,
  sentence,
  startField,
  timeField,
  urlField,
} from './fields.ts';
import { archivedPage, PAGE_OUTPUT, pageAnswer } from './page-answer.ts';

export const getPage = tool({
  name: 'get_page',
  title: 'Get a page',
  description:
    'Returns a page as a crawl has it, now or earlier. Asks no site; for other pages, use read_page.',
  kind: 'read',
  input: z.strictObject({
    crawl: crawlField,
    url: urlField,
    at: timeField.optional(),
    start: startField,
    max_chars: charsField,
  }),
  hasPageText: true,
  output: z.object(PAGE_OUTPUT),
  run: async ({ crawl: name, url, at, ...part }, call) =>
    call.session.crawls.with(name, async (crawl, here) => {
      const asked = readUrl(url);
      const { pages } = call.session;
      const page = await pages.read(JSON.stringify([here, asked, at]), !part.start, async () => {
        const found = await archivedPage(crawl, asked, dateOf(at), call);
        if (found === undefined) throw await missing(crawl, here, asked);
        return { ...found, crawl: here };
      });
      return pageAnswer(page, part, call);
    }),
});

async function missing(crawl: OpenedCrawl, name: string, url: string): Promise<ToolError> {
  const known = await crawl.url(url);
  if (known === undefined)
    return new ToolError(
      'unknownUrl',
      `The crawl ${name} does not know this URL. Find pages by search_crawl, or read it by read_page.`,
    );
  const why = known.cause === undefined ? known.status : `${known.status}: ${known.cause}`;
  return new ToolError('noText', sentence(`The crawl ${name} has no text of this URL (${why})`));
}
