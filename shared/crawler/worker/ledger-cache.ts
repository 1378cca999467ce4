import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { LedgerCache } from '../turn/services.ts';

/** Above `maxBytes` the ledgers that were unused for the longest are dropped. */
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
