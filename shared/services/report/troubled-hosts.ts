/** Hosts that fail, for the summary: those given up, and those that are tried again. */
import { isoTime } from '../../core/base/iso-time.ts';
import { type Cause, shownCodeOf } from '../../core/causes/cause.ts';
import { causeText, priceText } from '../../core/causes/cause-text.ts';
import type { Head } from '../../core/frontier/head.ts';
import { refusingCause } from '../../core/frontier/host-refusal.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { CrawlSummary, FailingHost, GivenUpHost } from './summary.ts';
import { nextFetchOf } from './url-detail.ts';

export interface KnownHost {
  readonly host: HostKey;
  readonly head: Head;
}

export const isTroubled = (head: Head): boolean => {
  const { setAside, clock, dueAt } = head;
  const isFailing = clock.failures > 0 && clock.cause !== undefined && dueAt !== undefined;
  return setAside !== undefined || isFailing || refusingCause(head) !== undefined;
};

/** Counts the hosts that are {@link isTroubled}. */
export function troubledHosts(hosts: readonly KnownHost[]): Pick<CrawlSummary, 'setAside' | 'failing'> {
  const setAside: GivenUpHost[] = [];
  const failing: FailingHost[] = [];
  for (const { host, head } of hosts) {
    const refused = refusedNote(head);
    if (head.setAside) setAside.push({ host, ...said(head.setAside.cause), ...refused });
    else
      failing.push({
        host,
        ...said(refusingCause(head) ?? head.clock.cause),
        ...refused,
        nextTryAt: isoTime(nextFetchOf(head)),
      });
  }
  return { setAside, failing };
}

function refusedNote(head: Head): Pick<GivenUpHost, 'refused'> {
  const cause = refusingCause(head);
  if (cause === undefined) return {};
  const since = head.refusal?.since ?? head.setAside?.at ?? 0;
  const vendor = cause.code === 'challenged' ? cause.vendor : undefined;
  const price = cause.code === 'priced' && cause.price !== undefined ? priceText(cause.price) : undefined;
  const note = { since: isoTime(since), urls: head.ledger.counts.waiting };
  return {
    refused: {
      ...note,
      ...(vendor !== undefined && { vendor }),
      ...(price !== undefined && { price }),
      ...(cause.asks && { asks: cause.asks }),
    },
  };
}

const said = (cause: Cause | undefined): Pick<GivenUpHost, 'cause' | 'causeCode'> =>
  cause ? { cause: causeText(cause), causeCode: shownCodeOf(cause) } : { cause: '' };
