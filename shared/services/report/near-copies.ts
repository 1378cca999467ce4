import { nearDuplicateIn } from '../../core/causes/cause.ts';
import type { CrawlConfig } from '../../core/crawl/config.ts';
import { createHostConfigs } from '../../core/crawl/host-config.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { hostKey } from '../../core/url/host-key.ts';
import type { NearClusters, NearCopies, NearCopy } from './near-copy.ts';
import { createTop } from './report-top.ts';

const MAX_COPIES = 100;

/** Returns the pages that the crawl marked as copies of `record`; undefined if there is none. Reads all records of its host. */
export async function nearCopiesOf(
  { url, state }: UrlRecord,
  records: () => AsyncIterable<UrlRecord>,
  config: CrawlConfig,
): Promise<NearCopies | undefined> {
  if (state !== 'fetched' || createHostConfigs(config)(hostKey(url)).nearDuplicates === 'off')
    return undefined;
  const copies: NearCopy[] = [];
  let copyCount = 0;
  for await (const { url: copy, result } of records()) {
    const found = nearDuplicateIn(result?.cause);
    if (found?.of !== url) continue;
    if (copyCount++ < MAX_COPIES) copies.push({ url: copy, similarity: found.similarity });
  }
  return copyCount > 0 ? { copies, copyCount } : undefined;
}

const ROWS = 10;
/** Pages with copies that are counted for one host. */
const MAX_ORIGINALS = 50_000;

/** Collects the copies of a crawl's pages, host by host. */
export function createNearClusters() {
  const top = createTop<NearClusters['largest'][number]>(ROWS, ({ copies }) => copies);
  let ofHost = new Map<string, number>();
  let pages = 0;
  return {
    add({ result }: UrlRecord): void {
      const of = nearDuplicateIn(result?.cause)?.of;
      if (of === undefined) return;
      pages++;
      if (ofHost.has(of) || ofHost.size < MAX_ORIGINALS) ofHost.set(of, (ofHost.get(of) ?? 0) + 1);
    },
    endHost(): void {
      for (const [url, copies] of ofHost) top.add({ url, copies });
      ofHost = new Map();
    },
    /** Nothing if no page was marked. */
    clusters: (): { readonly nearDuplicates?: NearClusters } =>
      pages > 0 ? { nearDuplicates: { pages, largest: top.values() } } : {},
  };
}
