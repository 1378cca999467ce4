/** Cookies that a person brings for hosts that refuse the crawler. */
import { openCrawl } from '../../api/open-crawl.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { Place } from '../place.ts';
import { UsageError } from '../usage-error.ts';
import { readCookies } from './network-options.ts';
import type { ResumeAsked } from './run-crawl.ts';

/** The settings to resume with. A browser's file has cookies of other sites, too, which are left out. */
export async function resumeCookies(
  { crawl, cookiesFile: file = '' }: Pick<ResumeAsked, 'crawl' | 'cookiesFile'>,
  place: Place,
): Promise<Pick<CrawlOptions, 'cookies'>> {
  const { setAside, failing } = await summaryOf(crawl, place);
  const refusing = [...setAside, ...failing].filter(({ refused }) => refused).map(({ host }) => host);
  const cookies = readCookies(file, refusing, (line) => place.err.write(`${line}\n`));
  if (cookies.length === 0)
    throw new UsageError(
      `Expected --cookies ${quoted(file)} to have cookies for a host that refuses the crawler: ${refusing.slice(0, 10).join(', ') || 'none does'}`,
    );
  return { cookies };
}

async function summaryOf(crawl: string, place: Place): Promise<CrawlSummary> {
  if (place.stack) return (await place.ask(crawl)).summary();
  // It is closed before the crawl goes on.
  await using stored = await openCrawl(crawl);
  return stored.summary();
}
