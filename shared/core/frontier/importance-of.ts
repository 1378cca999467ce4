import { pageImportance } from '../recrawl/page-importance.ts';
import { isSeedRecord } from './rank.ts';
import type { UrlRecord } from './url-record.ts';

/** The importance of a page by what the crawl knows of it. */
export const importanceOf = (record: UrlRecord): number =>
  pageImportance({
    isSitemap: record.kind === 'sitemap',
    isSeed: isSeedRecord(record),
    level: record.level,
    newLinks: record.recrawl?.newLinks,
    factor: record.recrawl?.factor,
  });
