import { z } from 'zod';
import { fitting } from '../page-text.ts';
import { tool } from '../tool.ts';
import { sentence } from './fields.ts';

const MAX_LISTED = 500;

export const listCrawls = tool({
  name: 'list_crawls',
  title: 'List crawls',
  description: 'Lists the crawls with their state and pages. Use it first.',
  kind: 'read',
  input: z.strictObject({}),
  output: z.object({
    crawls: z.array(
      z.object({ crawl: z.string(), state: z.string(), pages: z.int(), reason: z.string().optional() }),
    ),
    more: z.int().optional(),
  }),
  async run(_, { session }) {
    const all = await session.crawls.list();
    const crawls = fitting(
      all.slice(0, MAX_LISTED).map(({ crawl, state, pages, reason }) => ({
        crawl,
        state,
        pages,
        ...(reason !== undefined && { reason: sentence(reason) }),
      })),
    );
    return { crawls, ...(crawls.length < all.length && { more: all.length - crawls.length }) };
  },
});
