import type { CrawlId } from '../crawl/crawl-id.ts';
import type { HostLedger } from '../frontier/ledger.ts';
import type { HostKey } from '../url/host-key.ts';

/**
 * Ledgers kept between turns, so that a host's next turn in the same worker need not read it again. A ledger is taken
 * out for a turn, and put back only once its commit has succeeded; it serves only the head of that very version.
 */
export interface LedgerCache {
  take(crawl: CrawlId, host: HostKey, version: number): HostLedger | undefined;
  put(crawl: CrawlId, host: HostKey, version: number, ledger: HostLedger): void;
}

export function createLedgerCache(maxBytes: number): LedgerCache {
  /** The longest unused first. */
  const entries = new Map<string, { version: number; bytes: number; ledger: HostLedger }>();
  let bytes = 0;

  function remove(key: string) {
    const entry = entries.get(key);
    if (!entry) return undefined;
    entries.delete(key);
    bytes -= entry.bytes;
    return entry;
  }

  return {
    take(crawl, host, version) {
      const entry = remove(`${crawl} ${host}`);
      return entry?.version === version ? entry.ledger : undefined;
    },
    put(crawl, host, version, ledger) {
      const key = `${crawl} ${host}`;
      remove(key);
      const entry = { version, bytes: ledger.approximateBytes, ledger };
      entries.set(key, entry);
      bytes += entry.bytes;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
