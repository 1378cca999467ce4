/** What a head adds to its crawl's totals, as flat counts: the form in which differences are summed up and stored. */
import { addCounts, COUNT_MAPS, type Head } from '../../frontier/head.ts';
import { EMPTY_INDEX } from '../../frontier/ledger.ts';
import { URL_STATES, type UrlState } from '../../frontier/url-record.ts';
import type { CrawlTotals } from '../../ports/crawl-registry.ts';
import { dataOutBytes, type Usage } from './prices.ts';

/** By name: `hosts`, `pages`, `urls.waiting`, `httpStatus.404`, `usage.s3Puts`, ... */
export type Counts = Readonly<Record<string, number>>;

/** Counts that no head gives: what the crawl has used of AWS. */
const USAGE_PREFIX = 'usage.';

/** What replacing `before` by `after` changes; what does not change is left out. */
export function changedCounts(before: Head | undefined, after: Head): Counts {
  const change = { ...countsOf(after) };
  for (const [name, count] of Object.entries(before ? countsOf(before) : {}))
    change[name] = (change[name] ?? 0) - count;
  return withoutZeros(change);
}

export const sumOfCounts = (a: Counts, b: Counts): Counts => withoutZeros(addCounts(a, b));

/** The same usage as counts. */
export const usageCounts = (usage: Usage): Counts =>
  Object.fromEntries(Object.entries(usage).map(([item, units]) => [USAGE_PREFIX + item, units]));

/** Of the counts, those that are usage. */
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
    urls,
    pages: count('pages'),
    bytes: count('bytes'),
    requests: count('requests'),
    ...maps,
    ...(Object.keys(metered).length > 0 && {
      usage: { ...metered, dataOutBytes: dataOutBytes(count('requests'), count('bytes')) },
    }),
  };
}

function countsBelow(prefix: string, counts: Counts): Counts {
  return Object.fromEntries(
    Object.entries(counts)
      .filter(([name, count]) => name.startsWith(prefix) && count !== 0)
      .map(([name, count]) => [name.slice(prefix.length), count]),
  );
}

function countsOf({ ledger, totals }: Head): Counts {
  const counts: Record<string, number> = {
    hosts: 1,
    hostsWaiting: ledger.counts.waiting > 0 ? 1 : 0,
    pages: totals.pages,
    bytes: totals.bytes,
    requests: totals.requests,
  };
  for (const state of URL_STATES) counts[`urls.${state}`] = ledger.counts[state];
  for (const map of COUNT_MAPS)
    for (const [key, count] of Object.entries(totals[map] ?? {})) counts[`${map}.${key}`] = count;
  return counts;
}

const withoutZeros = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
