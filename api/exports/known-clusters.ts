/** The clusters of pages that are nearly the same, as the last `duplicates` has found them. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import type { NearClusters, NearCopies, NearCopy } from '../../shared/services/report/near-copy.ts';
import type { CrawlReport } from '../../shared/services/report/report.ts';
import type { UrlDetail } from '../../shared/services/report/url-detail.ts';

const TIMEOUT_MS = 10_000;
const MAX_COPIES = 100;
const MAX_LARGEST = 10;

interface KnownClusters {
  /** The pages that are copies of this one; undefined for none. */
  copiesOf(url: string): NearCopies | undefined;
  /** The page that this one is a copy of. */
  originalOf(url: string): string | undefined;
  /** The largest clusters; undefined if there is none. */
  largest(): NearClusters | undefined;
}

/** Calls `use` with the clusters in the file of sketches; with undefined if no duplicates were looked for. */
function withKnownClusters<T>(path: string, use: (clusters: KnownClusters | undefined) => T): T {
  if (!existsSync(path)) return use(undefined);
  const database = openSqlite(path, { readOnly: true, timeout: TIMEOUT_MS });
  try {
    const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'clusters'").get();
    return use(has ? clustersIn(database) : undefined);
  } finally {
    database.close();
  }
}

/** Adds the clusters to a page's facts, if the crawl has marked no copies itself. */
export function detailWithClusters(path: string, detail: UrlDetail): UrlDetail {
  const { copies, of } = withKnownClusters(path, (clusters) => ({
    copies: detail.copies ? undefined : clusters?.copiesOf(detail.url),
    of: detail.duplicateOf === undefined ? clusters?.originalOf(detail.url) : undefined,
  }));
  return { ...detail, ...copies, ...(of !== undefined && { duplicateOf: of }) };
}

/** As above, for a report. */
export function reportWithClusters(path: string, report: CrawlReport): CrawlReport {
  if (report.nearDuplicates !== undefined) return report;
  const found = withKnownClusters(path, (clusters) => clusters?.largest());
  return found ? { ...report, nearDuplicates: found } : report;
}

const clustersIn = (database: DatabaseSync): KnownClusters => ({
  copiesOf(url) {
    const { count } = database
      .prepare('SELECT count(*) AS count FROM clusters WHERE original = ?')
      .get(url) as {
      count: number;
    };
    if (count === 0) return undefined;
    const copies = database
      .prepare(
        'SELECT url, similarity FROM clusters WHERE original = ? ORDER BY similarity DESC, url LIMIT ?',
      )
      .all(url, MAX_COPIES) as unknown as NearCopy[];
    return { copies: copies.map((copy) => ({ ...copy })), copyCount: count };
  },
  originalOf: (url) =>
    database.prepare('SELECT original FROM clusters WHERE url = ?').get(url)?.original as string | undefined,
  largest() {
    const { pages } = database.prepare('SELECT count(*) AS pages FROM clusters').get() as { pages: number };
    const largest = database
      .prepare(
        'SELECT original AS url, count(*) AS copies FROM clusters GROUP BY original ORDER BY copies DESC, url LIMIT ?',
      )
      .all(MAX_LARGEST) as unknown as NearClusters['largest'][number][];
    return pages === 0 ? undefined : { pages, largest: largest.map((one) => ({ ...one })) };
  },
});
