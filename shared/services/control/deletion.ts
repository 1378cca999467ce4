/** The deletion of a crawl by an operator: from the request to the time at which the crawl's name is free again. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** A deletion as an engine keeps it. Times: ms since the epoch. */
export interface Deletion {
  readonly requestedAt: number;
  /** Whether the archive and the items are deleted, too. */
  readonly archive: boolean;
  /** The archive was to be deleted, and stays: the archives of these crawls have come to refer to it. */
  readonly archiveKeptFor?: readonly CrawlId[];
  /** Since when nothing begins work on the crawl. */
  readonly stoppedAt?: number;
  /** When the last of the data was deleted. */
  readonly deletedAt?: number;
  /** When a crawl of this name can begin. */
  readonly nameFreeAt?: number;
}

/** Deletes crawls of an engine in steps, since other processes may still work on them. */
export interface Deletions {
  /** Undefined: no crawl of that name was deleted lately. */
  load(crawl: CrawlId): Promise<Deletion | undefined>;
  /**
   * Stops the crawl finally, and notes that its data is to be deleted. Safe to repeat; a second call may add the
   * archive.
   */
  begin(crawl: CrawlId, options: { readonly archive: boolean }): Promise<Deletion>;
  /** The time after `stoppedAt` at which no process holds a part of the crawl: then its data is deleted. In ms. */
  readonly settleMs: number;
}

/** The state of a deletion for callers. Times: ISO 8601, UTC. */
export interface CrawlDeletion {
  readonly crawl: CrawlId;
  readonly state: 'deleting' | 'deleted';
  readonly archive: boolean;
  /** The archive was to be deleted, and stays: the archives of these crawls have come to refer to it. */
  readonly archiveKeptFor?: readonly CrawlId[];
  readonly requestedAt: string;
  /** While it is being deleted: the data is deleted some time after this. */
  readonly dataDeletedFrom?: string;
  readonly deletedAt?: string;
  readonly nameFreeAt?: string;
}

export interface DeleteOptions {
  /**
   * Deletes the WARC files, their indexes and the items, too, and not only what the crawl needs to continue.
   * @default false
   */
  readonly archive?: boolean;
}
