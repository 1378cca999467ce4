/**
 * The contribution of a head to its crawl's totals, as flat counts: the form in which differences are summed
 * up and stored.
 */
import { type Head, urlsGivenUp } from '../../../core/frontier/head.ts';
import { COUNT_MAPS } from '../../../core/frontier/host-totals.ts';
import { EMPTY_INDEX } from '../../../core/frontier/ledger-index.ts';
import { URL_STATES, type UrlState } from '../../../core/frontier/url-record.ts';
import type { CrawlTotals } from '../../../crawler/ports/crawl-registry.ts';
import { dataOutBytes, type LineItem, type Usage } from '../cost/prices.ts';

/** By name: `hosts`, `pages`, `urls.waiting`, `httpStatus.404`, `usage.s3Puts`, ... */
export type Counts = Readonly<Record<string, number>>;

/** Counts that no head gives: what the crawl has used of AWS. */
const USAGE_PREFIX = 'usage.';

/** The hosts whose heads have a due time: as many as the index of due hosts holds once it has all updates. */
export const HOSTS_DUE = 'hostsDue';

/** Returns the changes of counts when `after` replaces `before`; counts that do not change are left out. */
export function changedCounts(before: Head | undefined, after: Head): Counts {
  const change = countsOf(after);
  const old = before ? countsOf(before) : {};
  for (const name in old) change[name] = (change[name] ?? 0) - (old[name] as number);
  return withoutZeros(change);
}

/** Returns the sums, without those that are zero. */
export function sumOfCounts(a: Counts, b: Counts): Counts {
  // Filled once: to add names to a copy, and to copy that without its zeros, takes three times as long.
  const sums: Record<string, number> = {};
  for (const name in a) {
    const sum = (a[name] as number) + (b[name] ?? 0);
    if (sum !== 0) sums[name] = sum;
  }
  for (const name in b) if (a[name] === undefined && b[name] !== 0) sums[name] = b[name] as number;
  return sums;
}

/** The usage as counts. */
export function usageCounts(usage: Usage): Counts {
  const counts: Record<string, number> = {};
  for (const item in usage) counts[USAGE_PREFIX + item] = usage[item as LineItem] as number;
  return counts;
}

/** Returns the counts that are usage. */
export const usageCountsIn = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => name.startsWith(USAGE_PREFIX)));

/** The crawl's totals, but for the time and the cost. Usage is there where any was metered. */
export function totalsOf(counts: Counts): Omit<CrawlTotals, 'activeMs' | 'cost'> & { usage?: Usage } {
  const maps = Object.fromEntries(COUNT_MAPS.map((map) => [map, countsBelow(`${map}.`, counts)])) as Record<
    (typeof COUNT_MAPS)[number],
    Counts
  >;
  const metered: Usage = countsBelow(USAGE_PREFIX, counts);
  const count = (name: string) => counts[name] ?? 0;
  const urls = { ...EMPTY_INDEX.counts } as Record<UrlState, number>;
  for (const state of URL_STATES) urls[state] = count(`urls.${state}`);
  return {
    hosts: count('hosts'),
    hostsWaiting: count('hostsWaiting'),
    ...(count('givenUp.hosts') > 0 && {
      givenUp: { hosts: count('givenUp.hosts'), urls: count('givenUp.urls') },
    }),
    urls,
    pages: count('pages'),
    bytes: count('bytes'),
    requests: count('requests'),
    ...maps,
    ...(Object.keys(metered).length > 0 && {
      usage: {
        ...metered,
        dataOutBytes: dataOutBytes({
          requests: count('requests'),
          bytes: count('bytes'),
          sent: { requests: count('sent.requests'), bytes: count('sent.bytes') },
        }),
      },
    }),
  };
}

/** Counts whose names begin with the prefix, without it; zeros are left out. */
function countsBelow(prefix: string, counts: Counts): Counts {
  const below: Record<string, number> = {};
  for (const name in counts)
    if (name.startsWith(prefix) && counts[name] !== 0)
      below[name.slice(prefix.length)] = counts[name] as number;
  return below;
}

function countsOf(head: Head): Record<string, number> {
  const { ledger, totals, dueAt, domain, setAside } = head;
  const givenUp = urlsGivenUp(head);
  const counts: Record<string, number> = {
    hosts: domain ? 0 : 1,
    hostsWaiting: ledger.counts.waiting > 0 && setAside === undefined ? 1 : 0,
    'givenUp.hosts': givenUp > 0 ? 1 : 0,
    'givenUp.urls': givenUp,
    [HOSTS_DUE]: dueAt === undefined ? 0 : 1,
    pages: totals.pages,
    bytes: totals.bytes,
    requests: totals.requests,
  };
  for (const state of URL_STATES) counts[`urls.${state}`] = ledger.counts[state];
  for (const map of COUNT_MAPS) {
    const of = totals[map] ?? {};
    for (const key in of) counts[`${map}.${key}`] = of[key] as number;
  }
  return counts;
}

function withoutZeros(counts: Counts): Counts {
  const others: Record<string, number> = {};
  for (const name in counts) if (counts[name] !== 0) others[name] = counts[name] as number;
  return others;
}
