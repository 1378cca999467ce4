/** Hosts that fail, for the summary: those given up, and those that are tried again. */
import { type Cause, shownCodeOf } from '../../core/causes/cause.ts';
import { causeText } from '../../core/causes/cause-text.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { CrawlSummary, FailingHost, GivenUpHost } from './summary.ts';
import { isoTime } from './url-detail.ts';

export interface KnownHost {
  readonly host: HostKey;
  readonly head: Head;
}

export const isTroubled = ({ setAside, clock, dueAt }: Head): boolean =>
  setAside !== undefined || (clock.failures > 0 && clock.cause !== undefined && dueAt !== undefined);

/** Counts the hosts that are {@link isTroubled}. */
export function troubledHosts(hosts: readonly KnownHost[]): Pick<CrawlSummary, 'setAside' | 'failing'> {
  const setAside: GivenUpHost[] = [];
  const failing: FailingHost[] = [];
  for (const { host, head } of hosts) {
    if (head.setAside) setAside.push({ host, ...said(head.setAside.cause) });
    else failing.push({ host, ...said(head.clock.cause), nextTryAt: isoTime(head.clock.nextFetchAt) });
  }
  return { setAside, failing };
}

const said = (cause: Cause | undefined): Pick<GivenUpHost, 'cause' | 'causeCode'> =>
  cause ? { cause: causeText(cause), causeCode: shownCodeOf(cause) } : { cause: '' };
