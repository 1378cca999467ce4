/** The lists of sites of the crawls in a folder, beside their records, which are read more often. */
import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { decodeSites, encodeSites, type Site, Sites, type SitesRef } from '../../core/crawl/sites.ts';

export function storeSites(database: DatabaseSync, crawl: CrawlId, sites: readonly Site[]): SitesRef {
  const { ref, json } = encodeSites(sites);
  database
    .prepare('INSERT INTO site_lists (crawl, id, sites) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(crawl, ref.id, json);
  return ref;
}

export function readSites(database: DatabaseSync, crawl: CrawlId, { id }: SitesRef): readonly Site[] {
  const row = database.prepare('SELECT sites FROM site_lists WHERE crawl = ? AND id = ?').get(crawl, id);
  if (!row) throw new Error(`the list ${id} of the sites of ${crawl} is missing`);
  return decodeSites(row.sites as string);
}

/** Deletes the crawl's other lists. A process that has read the record before may still need the list `before`. */
export function keepSites(
  database: DatabaseSync,
  crawl: CrawlId,
  kept: SitesRef,
  before: SitesRef | undefined,
): void {
  database
    .prepare('DELETE FROM site_lists WHERE crawl = ? AND id NOT IN (?, ?)')
    .run(crawl, kept.id, before?.id ?? kept.id);
}

/** The sites of the crawl as its record names them now; undefined for a crawl without. */
export function currentSites(database: DatabaseSync, crawl: CrawlId): Sites | undefined {
  const row = database.prepare("SELECT record ->> '$.sites' AS ref FROM crawls WHERE crawl = ?").get(crawl);
  if (typeof row?.ref !== 'string') return undefined;
  return new Sites(readSites(database, crawl, JSON.parse(row.ref) as SitesRef));
}
