/** All links between the URLs of a crawl, read from its archive. */
import { isWithheld } from '../../shared/causes/cause.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { htmlOf, resolvedLinks } from '../../shared/outputs/resolved-links.ts';
import { createUrlRules } from '../../shared/url/url-rules.ts';
import { allRecords } from '../url-rows.ts';
import { eachPayload } from './archived-payloads.ts';
import type { ExportSource } from './export-source.ts';

export interface CrawlLink {
  readonly page: string;
  /** By the URL rules of the crawl. */
  readonly target: string;
  readonly text: string;
}

/**
 * Calls `use` for each link (`a`, `area`) of each HTML page, page by page, and `onPage` before those of a page. Calls `skip`
 * with a page that cannot be read. Holds one page at a time.
 */
export async function eachLink(
  { rows, crawl, record: { config }, archive }: ExportSource,
  use: (link: CrawlLink) => Promise<void> | void,
  skip: (url: string, reason: string) => void,
  onPage: (page: string) => Promise<void> | void = () => {},
): Promise<void> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  await eachPayload(
    archive,
    htmlPages(allRecords(rows, crawl)),
    async ({ url: page }, payload) => {
      await onPage(page);
      for (const { target, text, element } of resolvedLinks(htmlOf(payload), page))
        if (element === 'a' || element === 'area') await use({ page, target: nameOf(target), text });
    },
    skip,
  );
}

/** Yields each redirect with the URL that it leads to. */
export async function* redirectsOf({
  rows,
  crawl,
  record: { config },
}: Pick<ExportSource, 'rows' | 'crawl' | 'record'>): AsyncGenerator<readonly [from: string, to: string]> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  for await (const { url, state, result } of allRecords(rows, crawl))
    if (state === 'redirect' && result?.cause?.code === 'redirect') yield [url, nameOf(result.cause.to)];
}

async function* htmlPages(records: AsyncIterable<UrlRecord>): AsyncGenerator<UrlRecord> {
  for await (const record of records) {
    const { state, result } = record;
    if (state === 'fetched' && result?.location && isHtml(result.contentType) && !isWithheld(result.cause))
      yield record;
  }
}

export const isHtml = (type = ''): boolean => type === 'text/html' || type === 'application/xhtml+xml';
