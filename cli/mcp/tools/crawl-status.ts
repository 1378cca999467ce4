import { z } from 'zod';
import type { OpenedCrawl } from '../../../api/crawl-place.ts';
import type { HostEntry } from '../../../shared/services/control/control.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import { tool } from '../tool.ts';
import { crawlField, sentence } from './fields.ts';

const MAX_HOSTS = 1000;
const MAX_SHOWN = 5;
const counts = z.record(z.string(), z.int());

export const crawlStatus = tool({
  name: 'crawl_status',
  title: 'Crawl status',
  description:
    'Says how far a crawl is, what failed, and why it is not faster. For one URL, use explain_url.',
  kind: 'read',
  input: z.strictObject({ crawl: crawlField }),
  output: z.object({
    crawl: z.string(),
    state: z.string(),
    reason: z.string().optional(),
    pages: z.int(),
    waiting: z.int(),
    hosts: z.int(),
    bytes: z.int(),
    seconds: z.number(),
    dollars: z.number(),
    httpStatus: counts,
    errors: counts,
    skipped: counts,
    changes: counts,
    pace: z.array(z.string()),
  }),
  run: async ({ crawl: name }, { session }) =>
    session.crawls.with(name, async (crawl, here) => {
      const summary = await crawl.summary();
      const { state, reason, pages, byStatus, hosts, bytes, seconds, cost } = summary;
      return {
        crawl: here,
        state,
        ...(reason !== undefined && { reason: sentence(reason) }),
        pages,
        waiting: byStatus.waiting,
        hosts,
        bytes,
        seconds: Math.round(seconds),
        dollars: Number(cost.toFixed(4)),
        httpStatus: summary.httpStatus,
        errors: summary.errors,
        skipped: summary.skipped,
        changes: summary.recrawl,
        pace: await paceOf(crawl, summary),
      };
    }),
});

/** Why the crawl is not faster: a sentence for each cause. */
async function paceOf(crawl: OpenedCrawl, summary: CrawlSummary): Promise<readonly string[]> {
  const { setAside, failing, overBudget, full, rate, state } = summary;
  const { hosts } = await crawl.hosts({ limit: MAX_HOSTS });
  const busy = hosts.filter(({ waiting, setAside: reason }) => waiting > 0 && reason === undefined);
  const delayMs = crawl.options.delayMs ?? 1000;
  const running =
    state === 'running' && busy.length > 0
      ? [
          `${busy.length} ${busy.length === 1 ? 'host has' : 'hosts have'} waiting pages, and each is asked once in ${delayMs} ms at most: ${rate} pages a second so far.`,
          ...slowest(busy),
        ]
      : [];
  return [
    ...running,
    ...setAside.slice(0, MAX_SHOWN).map(({ host, cause }) => sentence(`${host} was given up: ${cause}`)),
    ...failing
      .slice(0, MAX_SHOWN)
      .map(({ host, cause, nextTryAt }) =>
        sentence(`${host} fails and is tried again at ${nextTryAt}: ${cause}`),
      ),
    ...(overBudget.urls ? [`${overBudget.urls} URLs wait for the budget of their domains.`] : []),
    ...(full.urls ? [`${full.urls} URLs wait because their hosts have had maxPagesPerHost pages.`] : []),
  ];
}

function slowest(hosts: readonly HostEntry[]): readonly string[] {
  const largest = hosts.toSorted((a, b) => b.waiting - a.waiting).slice(0, MAX_SHOWN);
  return largest.map(({ host, waiting, nextFetchAt, waitsFor }) => {
    const next = nextFetchAt === undefined ? '' : `, next request at ${nextFetchAt}`;
    return sentence(`${host}: ${waiting} wait${next}${waitsFor === undefined ? '' : `, for ${waitsFor}`}`);
  });
}
