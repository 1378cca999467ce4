import { z } from 'zod';
import { forbiddenAmong } from '../../../shared/core/usage/purpose.ts';
import { fitting, pageLine } from '../page-text.ts';
import { tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { crawlField, dateOf, limitField, timeField } from './fields.ts';

const MAX_TITLE = 200;
const MAX_SNIPPET = 400;

export const searchCrawl = tool({
  name: 'search_crawl',
  title: 'Search a crawl',
  description:
    'Finds pages of a crawl by words: all of them, "a phrase", prefix*, -without. Then read one by get_page.',
  kind: 'read',
  input: z.strictObject({
    crawl: crawlField,
    words: z.string().min(1).max(300),
    limit: limitField(10, 50),
    host: z.string().max(255).optional(),
    since: timeField.optional(),
  }),
  hasPageText: true,
  output: z.object({
    hits: z.array(
      z.object({ url: z.string(), title: z.string().optional(), snippet: z.string(), fetchedAt: z.string() }),
    ),
    withheld: z.int().optional(),
  }),
  run: async ({ crawl: name, words, limit, host, since }, { session, mark }) =>
    session.crawls.with(name, async (crawl) => {
      const date = dateOf(since);
      const found = await crawl
        .search(words, { limit, ...(host && { host }), ...(date && { since: date }) })
        .catch((error: Error) => {
          if (error.name !== 'EmptySearch') throw error;
          throw new ToolError('noWords', 'Expected words to look for, such as: crawler "web archive" -spam.');
        });
      const given = found.filter(({ usage }) => forbiddenAmong(session.purpose, usage) === undefined);
      const hits = fitting(
        given.map(({ url, title, snippet, fetchedAt }) => ({
          url,
          ...(title !== undefined && { title: mark(pageLine(title, MAX_TITLE)) }),
          snippet: mark(pageLine(snippet, MAX_SNIPPET)),
          fetchedAt,
        })),
      );
      return {
        hits,
        ...(given.length < found.length && { withheld: found.length - given.length }),
      };
    }),
});
