/** The links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason. */
import { shownCodeOf } from '../../core/causes/cause.ts';
import { optionalText, resultText } from '../../core/causes/cause-text.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { UrlRecord, UrlState } from '../../core/frontier/url-record.ts';
import type { Skip } from '../../crawler/ports/skip-log.ts';
import { type RowSource, recordsOf } from './url-rows.ts';

export interface SkippedUrl {
  readonly url: string;
  /** As in the counts of `skipped`: `scope`, `exclude`, `trap`, ... */
  readonly reason: string;
  /** The page it was found on. */
  readonly via?: string | undefined;
  /** Details of the reason, for people. */
  readonly cause?: string | undefined;
  /** The cause for programs. */
  readonly causeCode?: string | undefined;
}

const LEFT_OUT: ReadonlySet<UrlState> = new Set<UrlState>(['skipped', 'deniedByRobots']);

/** The columns of its table, and the order of the keys in JSON. */
export const SKIPPED_COLUMNS = [
  'url',
  'reason',
  'via',
  'cause',
  'causeCode',
] as const satisfies readonly (keyof SkippedUrl)[];

/**
 * First the links of the log, in its order, then the known URLs that were denied or skipped, host by host, with the
 * state as the reason, and its cause as text.
 */
export async function* skippedUrls(
  log: Iterable<Skip> | AsyncIterable<Skip>,
  source: RowSource,
  crawl: CrawlId,
): AsyncGenerator<SkippedUrl, void, undefined> {
  for await (const skip of log) yield skippedLink(skip);
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    if (!hasLeftOut(head)) continue;
    for await (const record of recordsOf(source, crawl, host, head)) {
      const url = leftOutUrl(record);
      if (url) yield url;
    }
  }
}

/** Whether the host may have URLs that {@link leftOutUrl} returns. */
export const hasLeftOut = ({ ledger: { counts } }: Head): boolean =>
  counts.deniedByRobots + counts.skipped > 0;

/** A link of the log. */
export const skippedLink = ({ cause, ...skip }: Skip): SkippedUrl => ({
  ...skip,
  cause: optionalText(cause),
  causeCode: cause && shownCodeOf(cause),
});

/** A known URL, if it was denied or skipped. */
export const leftOutUrl = ({ url, state, via, result }: UrlRecord): SkippedUrl | undefined =>
  LEFT_OUT.has(state)
    ? {
        url,
        reason: state,
        via,
        cause: result && resultText(result),
        causeCode: result?.cause && shownCodeOf(result.cause),
      }
    : undefined;
