/** The links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason. */
import { shownCodeOf } from '../shared/causes/cause.ts';
import { optionalText, resultText } from '../shared/causes/cause-text.ts';
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import type { FetchResult, UrlState } from '../shared/frontier/url-record.ts';
import type { Skip } from '../shared/ports/skip-log.ts';
import type { SkippedUrl } from './stored-crawl.ts';
import { type RowSource, recordsOf } from './url-rows.ts';

const LEFT_OUT: ReadonlySet<UrlState> = new Set<UrlState>(['skipped', 'deniedByRobots']);

/**
 * First the links of the log, in its order, then the known URLs that were denied or skipped, host by host, with
 * the state as the reason, and its cause in words.
 */
export async function* skippedUrls(
  log: Iterable<Skip> | AsyncIterable<Skip>,
  source: RowSource,
  crawl: CrawlId,
): AsyncGenerator<SkippedUrl, void, undefined> {
  for await (const { cause, ...skip } of log)
    yield { ...skip, cause: optionalText(cause), causeCode: cause && shownCodeOf(cause) };
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    const { deniedByRobots, skipped } = head.ledger.counts;
    if (deniedByRobots + skipped === 0) continue;
    for await (const { url, state, via, result } of recordsOf(source, crawl, host, head))
      if (LEFT_OUT.has(state)) yield { url, reason: state, via, ...saidOf(result) };
  }
}

const saidOf = (result: FetchResult | undefined): Pick<SkippedUrl, 'cause' | 'causeCode'> => ({
  cause: result && resultText(result),
  causeCode: result?.cause && shownCodeOf(result.cause),
});
