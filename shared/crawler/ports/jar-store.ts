import type { StoredJar } from '../../core/access/stored-jar.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** Whose cookies a jar has: those that hosts of a registrable domain have set, for an account or for none. */
export interface JarKey {
  readonly domain: string;
  /** The account's name. Absent: nobody is signed in. */
  readonly account?: string | undefined;
}

export interface KeptJar {
  readonly key: JarKey;
  readonly jar: Omit<StoredJar, 'cookies'>;
}

/** Where the jars of a crawl are kept, each beside the heads of its hosts. */
export interface JarStore {
  /** The jar, or undefined if there is none. Reads its own writes. */
  load(crawl: CrawlId, key: JarKey): Promise<StoredJar | undefined>;
  /**
   * Replaces the jar if the stored version is still `next.version - 1` (0: no jar yet). Otherwise nothing happens, and it
   * resolves to false.
   */
  replace(crawl: CrawlId, key: JarKey, next: StoredJar): Promise<boolean>;
  /** The jars of the crawl's accounts without their cookies, in any order. */
  accounts(crawl: CrawlId): AsyncIterable<KeptJar>;
}
