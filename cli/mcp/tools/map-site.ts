import { z } from 'zod';
import { notRead } from '../not-read.ts';
import { fitting } from '../page-text.ts';
import { tool } from '../tool.ts';
import { limitField, readUrl, urlField } from './fields.ts';

export const mapSite = tool({
  name: 'map_site',
  title: 'List URLs',
  description:
    'Lists the URLs of a site from its sitemaps, llms.txt and start page, without its pages. For words, use search_crawl.',
  kind: 'web',
  input: z.strictObject({
    url: urlField,
    search: z.string().min(1).max(200).optional(),
    limit: limitField(200, 5000),
    cursor: z.int().min(0).optional(),
  }),
  output: z.object({
    urls: z.array(z.object({ url: z.string(), source: z.string(), modified: z.string().optional() })),
    total: z.int(),
    isCut: z.boolean().optional(),
    cursor: z.int().optional(),
  }),
  async run({ url: text, search, limit, cursor = 0 }, { session: { live, maps, hosts }, signal }) {
    const url = readUrl(text);
    await live.check(url);
    const { urls, isCut } = await maps.read(url, search, signal).catch((error: Error) => {
      throw notRead(error);
    });
    const shown = fitting(
      urls.slice(cursor, cursor + limit).map(({ url: found, lastModified, source }) => ({
        url: found,
        source,
        ...(lastModified !== undefined && { modified: lastModified }),
      })),
    );
    hosts.note(
      shown.map((one) => one.url),
      url,
    );
    const next = cursor + shown.length;
    return {
      urls: shown,
      total: urls.length,
      ...(isCut && { isCut }),
      ...(next < urls.length && { cursor: next }),
    };
  },
});
