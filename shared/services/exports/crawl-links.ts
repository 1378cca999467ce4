/** All links between the URLs of a crawl, read from its archive. */
import { PayloadReader } from '../../core/archive/payload-reader.ts';
import { isWithheld } from '../../core/causes/cause.ts';
import { parseConfig } from '../../core/crawl/config.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';
import { htmlOf, resolvedLinks } from '../outputs/resolved-links.ts';
import { allRecords } from '../report/url-rows.ts';
import { type ArchivedPayload, eachPayload } from './archived-payloads.ts';
import type { ExportSource } from './export-source.ts';

export interface CrawlLink {
  readonly page: string;
  /** By the URL rules of the crawl. */
  readonly target: string;
  /** The route behind `#` that it leads to; `target` is its shell. */
  readonly route?: string | undefined;
  readonly text: string;
}

/**
 * Calls `use` for each link (`a`, `area`) of each HTML page, page by page, and `onPage` before those of a page. Calls `skip`
 * with a page that cannot be read. Holds one page at a time.
 */
export async function eachLink(
  { rows, crawl, record: { config }, payloads }: ExportSource,
  use: (link: CrawlLink) => Promise<void> | void,
  skip: (url: string, reason: string) => void,
  onPage: (page: string) => Promise<void> | void = () => {},
): Promise<void> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  await eachPayload(
    new PayloadReader(payloads, 'shown'),
    htmlPages(allRecords(rows, crawl)),
    async ({ url: page }, payload) => {
      await onPage(page);
      for (const link of linksOf(page, payload, nameOf)) await use(link);
    },
    skip,
  );
}

/** The links of an HTML page. `nameOf`: the URL rules of the crawl. */
export function* linksOf(
  page: string,
  payload: ArchivedPayload,
  nameOf: (url: string) => string,
): Generator<CrawlLink> {
  for (const { target, route, text, element } of resolvedLinks(htmlOf(payload), page))
    if (element === 'a' || element === 'area') yield { page, target: nameOf(target), route, text };
}

/** Yields each redirect with the URL that it leads to. */
export async function* redirectsOf({
  rows,
  crawl,
  record: { config },
}: Pick<ExportSource, 'rows' | 'crawl' | 'record'>): AsyncGenerator<readonly [from: string, to: string]> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  for await (const record of allRecords(rows, crawl)) {
    const to = redirectTarget(record);
    if (to !== undefined) yield [record.url, nameOf(to)];
  }
}

export const redirectTarget = ({ state, result }: UrlRecord): string | undefined =>
  state === 'redirect' && result?.cause?.code === 'redirect' ? result.cause.to : undefined;

async function* htmlPages(records: AsyncIterable<UrlRecord>): AsyncGenerator<UrlRecord> {
  for await (const record of records) if (isHtmlPage(record)) yield record;
}

/** Whether links of the page are known, and may be exported. */
export const isHtmlPage = ({ state, result }: UrlRecord): boolean =>
  state === 'fetched' &&
  result?.location !== undefined &&
  isHtml(result.contentType) &&
  !isWithheld(result.cause);

export const isHtml = (type = ''): boolean => type === 'text/html' || type === 'application/xhtml+xml';
