/** Whether a crawl that has ended came to what it was begun for, and what it has lost. */
import type { CrawlTotals } from '../../crawler/ports/crawl-registry.ts';
import type { CrawlSummary, Losses } from './summary.ts';

type Ending = Pick<CrawlSummary, 'state' | 'reasonCode'>;

/** Whether the crawl has ended because nothing was due: it recrawls, or hosts rest that refuse it. */
export const isUpToDate = ({ state, reasonCode }: Ending): boolean =>
  state === 'interrupted' && reasonCode === 'nothingDue';

/** Whether the crawl pauses because it would soon have cost what it may. */
export const isAtMaxCost = ({ state, reasonCode }: Ending): boolean =>
  state === 'paused' && reasonCode === 'maxCost';

/** Whether pages were requested by accounts of the project, or were to be. */
export const hasAccounts = ({ accounts }: Pick<CrawlSummary, 'accounts'>): boolean =>
  Object.keys(accounts).length > 0;

/** Whether the crawl pauses because its proxy cannot be used. */
export const isWithoutProxy = ({ state, reasonCode }: Ending): boolean =>
  state === 'paused' && reasonCode === 'proxy';

/** No seed, nor what the seeds redirected to, was answered by a 2xx status. */
export const isWithoutSeed = ({ pages, seeds }: Pick<CrawlSummary, 'pages' | 'seeds'>): boolean =>
  pages === 0 || (seeds.fetched ?? 0) === 0;

/** No page was there, and what answered refuses: at least one host as such, or all pages by their status. */
export function isRefusedEverywhere({
  byStatus,
  refusals,
  httpStatus,
}: Pick<CrawlSummary, 'byStatus' | 'refusals' | 'httpStatus'>): boolean {
  if (byStatus.fetched > 0) return false;
  const { hosts = 0, pages = 0 } = refusals;
  return hosts + pages > 0 || REFUSING.some((code) => (httpStatus[code] ?? 0) > 0);
}

/** Statuses by which a site refuses a page. */
const REFUSING = ['401', '402', '403', '429', '451', '999'] as const;

/** At every page for which the project's hooks were called one of them failed. */
export function areHooksBroken({ hooks }: Pick<CrawlSummary, 'hooks'>): boolean {
  const { pages = 0, failed = 0 } = hooks;
  return pages > 0 && failed >= pages;
}

/** The part of the crawl that was lost. Kinds of which there is none are left out. */
export function lossesOf({
  givenUp = { hosts: 0, urls: 0 },
  hints = {},
  refused = {},
  skipped,
  errors,
}: Pick<CrawlTotals, 'givenUp' | 'hints' | 'refused' | 'skipped' | 'errors'>): Losses {
  const { undecoded = 0, brokeOff = 0, cutPage = 0, trap = 0 } = hints;
  const all = {
    hostsGivenUp: givenUp.hosts,
    urlsGivenUp: givenUp.urls,
    hostsRefused: refused.hosts ?? 0,
    pagesRefused: refused.pages ?? 0,
    quarantined: (errors.killed ?? 0) + (errors.blocked ?? 0),
    undecoded,
    brokeOff,
    cut: cutPage,
    traps: trap + (skipped.trap ?? 0),
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

/**
 * Whether the crawl lost something by faults of servers or hooks: hosts that were given up or refuse the crawler, pages in quarantine, responses that
 * broke off or could not be decoded. Limits and traps are settings.
 */
export function isIncomplete({ losses }: Pick<CrawlSummary, 'losses'>): boolean {
  const { hostsGivenUp = 0, hostsRefused = 0, pagesRefused = 0 } = losses;
  const { quarantined = 0, undecoded = 0, brokeOff = 0 } = losses;
  return hostsGivenUp + hostsRefused + pagesRefused + quarantined + undecoded + brokeOff > 0;
}
