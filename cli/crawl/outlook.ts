/** A line about how long a crawl of one site will take, as soon as its first answers show what the site has. */
import type { CrawlProgress } from '../../api/crawl-events.ts';
import { formatCounted, formatDuration, formatRate } from '../format.ts';

/** robots.txt, the seed, a sitemap and a page: the requests that say what there is, and how fast it comes. */
const FIRST_REQUESTS = 4;
/** A crawl of fewer pages ends before its line is read. */
const LEAST_PAGES = 50;
const MINUTE_MS = 60_000;

/** Prints the line once. Makes no request: it goes by what the crawl has seen. */
export function createOutlook(log: (line: string) => void): (progress: CrawlProgress) => void {
  let isOver = false;
  return (progress) => {
    if (isOver || progress.requests < FIRST_REQUESTS) return;
    isOver = true;
    const line = outlookOf(progress);
    if (line !== undefined) log(line);
  };
}

/** Undefined for several hosts, which are crawled side by side, and for few pages. */
function outlookOf(progress: CrawlProgress): string | undefined {
  const { hosts, waiting, pages, requests, startedAt, now, limits } = progress;
  const known = Math.min(waiting + pages, limits.maxPages ?? Number.POSITIVE_INFINITY);
  const tookMs = now - startedAt;
  if (hosts !== 1 || known < LEAST_PAGES || tookMs <= 0) return undefined;
  // The first one began at once.
  const gapMs = tookMs / (requests - 1);
  const ms = Math.max(0, known - pages) * gapMs;
  const rate = formatRate(1000 / gapMs);
  const unit = ms > 10 * MINUTE_MS ? MINUTE_MS : 1000;
  const time = formatDuration(Math.max(1, Math.round(ms / unit)) * unit);
  return `Known so far: about ${formatCounted(known, 'page')}, ${time} at ${rate} ${rate === '1' ? 'page' : 'pages'} a second`;
}
