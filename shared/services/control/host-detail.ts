import { isoTime } from '../../core/base/iso-time.ts';
import { optionalText } from '../../core/causes/cause-text.ts';
import type { Head } from '../../core/frontier/head.ts';
import { refusingCause } from '../../core/frontier/host-refusal.ts';
import { countUrls } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { nextFetchOf, waitText } from '../report/url-detail.ts';
import type { HostDetail, HostEntry } from './control.ts';

/** A host's head as the API shows it. */
export function hostEntry(host: HostKey, head: Head): HostEntry {
  const { ledger, totals, clock, dueAt, setAside, wait } = head;
  const nextFetchAt = nextFetchOf(head);
  return {
    host,
    known: countUrls(ledger.counts),
    waiting: ledger.counts.waiting,
    pages: totals.pages,
    bytes: totals.bytes,
    nextFetchAt: nextFetchAt > 0 ? isoTime(nextFetchAt) : undefined,
    dueAt: dueAt === undefined ? undefined : isoTime(dueAt),
    ...(wait && { waitsFor: waitText(wait) }),
    failures: clock.failures,
    cause: optionalText(clock.cause),
    setAside: optionalText(setAside?.cause),
    refused: optionalText(refusingCause(head)),
  };
}

export function hostDetail(host: HostKey, head: Head): HostDetail {
  const { ledger, totals, robots } = head;
  return {
    ...hostEntry(host, head),
    requests: totals.requests,
    byStatus: ledger.counts,
    httpStatus: totals.httpStatus,
    errors: totals.errors,
    skipped: totals.skipped,
    robots: robots.map(({ origin, kind, expiresAt }) => ({ origin, kind, expiresAt: isoTime(expiresAt) })),
  };
}
