/** The pages of a crawl's archive for which `onPage` is called. */
import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import { isWithheld, nearDuplicateIn } from '../../../shared/core/causes/cause.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { type RowSource, recordsOf } from '../../../shared/services/report/url-rows.ts';

/** A page, as it goes to the thread that processes it. */
export interface ArchivedPage {
  /** As the ledger knows it. */
  readonly url: string;
  readonly depth: number;
  readonly via?: string;
  /** The response, or a revisit of one. */
  readonly location: RecordLocation;
  /** The crawl kept it from hooks, for what the site states or for its language. */
  readonly isWithheld?: true;
  /** The page with nearly the same text. */
  readonly duplicateOf?: string;
}

/** Every page that was fetched and is not a copy of another one, host by host. */
export async function* archivedPages(
  source: RowSource,
  crawl: CrawlId,
): AsyncGenerator<ArchivedPage, void, undefined> {
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    for await (const { url, state, kind, depth, via, result } of recordsOf(source, crawl, host, head)) {
      const { location, duplicateOf, httpStatus = 0, cause } = result ?? {};
      const isPage = state === 'fetched' && kind === undefined && duplicateOf === undefined;
      if (!isPage || !location || httpStatus < 200 || httpStatus > 299) continue;
      const withheld = isWithheld(cause) && { isWithheld: true as const };
      const near = nearDuplicateIn(cause);
      const copy = near && { duplicateOf: near.of };
      yield { url, depth, ...(via !== undefined && { via }), location, ...withheld, ...copy };
    }
  }
}
