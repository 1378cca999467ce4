/** An operator's queries about the hosts of a crawl. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { hostKey } from '../../core/url/host-key.ts';
import { ControlError, type HostDetail, type HostPage } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { hostDetail, hostEntry } from './host-detail.ts';

const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;

/** Which hosts: those after the cursor of an earlier page, `limit` of them (100 if not given). */
export interface HostPageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Throws {@link ControlError} for a limit that is not from 1 to 1,000, and for an unknown cursor. */
export async function pageOfHosts(
  ledgers: Pick<ControlEngine['ledgers'], 'hostPage'>,
  crawl: CrawlId,
  { cursor, limit }: HostPageRequest,
): Promise<HostPage> {
  const page = await ledgers.hostPage(crawl, cursor, checkedLimit(limit));
  const hosts = page.hosts.filter(({ head }) => head.domain === undefined);
  return { hosts: hosts.map(({ host, head }) => hostEntry(host, head)), cursor: page.cursor };
}

export function checkedLimit(limit = DEFAULT_PAGE): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new ControlError('invalid', `Expected limit from 1 to ${MAX_PAGE}, got ${limit}`, 'limit');
}

/** `host`: as a user writes it, or a host key. Throws {@link ControlError} if the crawl does not know it. */
export async function oneHost(
  ledgers: Pick<ControlEngine['ledgers'], 'loadHead'>,
  crawl: CrawlId,
  host: string,
): Promise<HostDetail> {
  const key = hostKey(canonicalize(`https://${host}/`) ?? '') || host;
  for (const name of new Set([host, key])) {
    const head = await ledgers.loadHead(crawl, name);
    if (head && head.domain === undefined) return hostDetail(name, head);
  }
  throw new ControlError('notFound', `The crawl ${quoted(crawl)} knows no host ${quoted(host)}`, 'host');
}
