/** Sums over the heads of a crawl. */
import { type Head, urlsGivenUp } from '../../core/frontier/head.ts';
import {
  addCounts,
  addTotals,
  COUNT_MAPS,
  type HostTotals,
  NO_TOTALS,
} from '../../core/frontier/host-totals.ts';
import { EMPTY_INDEX } from '../../core/frontier/ledger-index.ts';
import type { UrlState } from '../../core/frontier/url-record.ts';

/** Sums over some heads; or by how much those have changed. JSON, as it goes from thread to thread. */
export interface Sums {
  readonly hosts: number;
  /** Hosts that have URLs waiting, and were not given up. */
  readonly hostsWaiting: number;
  /** The hosts among them that wait for their hours. */
  readonly hostsClosed: number;
  /** The hosts among them whose URLs all wait in vain, as the hosts have had their `maxPagesPerHost` pages. */
  readonly hostsFull: number;
  /** Hosts that were given up while URLs wait there, and these URLs. */
  readonly givenUp: { readonly hosts: number; readonly urls: number };
  readonly urls: Readonly<Record<UrlState, number>>;
  readonly totals: HostTotals;
}

export const NO_SUMS: Sums = {
  hosts: 0,
  hostsWaiting: 0,
  hostsClosed: 0,
  hostsFull: 0,
  givenUp: { hosts: 0, urls: 0 },
  urls: EMPTY_INDEX.counts,
  totals: NO_TOTALS,
};

export function addSums(a: Sums, b: Sums): Sums {
  return {
    hosts: a.hosts + b.hosts,
    hostsWaiting: a.hostsWaiting + b.hostsWaiting,
    hostsClosed: a.hostsClosed + b.hostsClosed,
    hostsFull: a.hostsFull + b.hostsFull,
    givenUp: { hosts: a.givenUp.hosts + b.givenUp.hosts, urls: a.givenUp.urls + b.givenUp.urls },
    urls: addCounts(a.urls, b.urls) as Sums['urls'],
    totals: addTotals(a.totals, b.totals),
  };
}

/** `sums` after a head replaced `before`, or is its host's first. */
export function replaceHead(sums: Sums, before: Head | undefined, after: Head): Sums {
  const added = addSums(sums, sumsOf(after));
  return before ? addSums(added, negative(sumsOf(before))) : added;
}

function sumsOf(head: Head): Sums {
  const { ledger, totals, domain, setAside, wait } = head;
  const urls = urlsGivenUp(head);
  const isWaiting = ledger.counts.waiting > 0 && setAside === undefined;
  const isClosed = isWaiting && (wait?.for === 'hours' || wait?.for === 'refusal');
  const isFull = isWaiting && !isClosed && totals.full?.urls === ledger.counts.waiting;
  return {
    hosts: domain ? 0 : 1,
    hostsWaiting: isWaiting ? 1 : 0,
    hostsClosed: isClosed ? 1 : 0,
    hostsFull: isFull ? 1 : 0,
    givenUp: { hosts: urls > 0 ? 1 : 0, urls },
    urls: ledger.counts,
    totals,
  };
}

function negative({ hosts, hostsWaiting, hostsClosed, hostsFull, givenUp, urls, totals }: Sums): Sums {
  return {
    hosts: -hosts,
    hostsWaiting: -hostsWaiting,
    hostsClosed: -hostsClosed,
    hostsFull: -hostsFull,
    givenUp: { hosts: -givenUp.hosts, urls: -givenUp.urls },
    urls: negated(urls) as Sums['urls'],
    totals: {
      ...totals,
      pages: -totals.pages,
      bytes: -totals.bytes,
      requests: -totals.requests,
      ...Object.fromEntries(COUNT_MAPS.flatMap((map) => (totals[map] ? [[map, negated(totals[map])]] : []))),
    },
  };
}

const negated = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, -count]));
