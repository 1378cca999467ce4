/** Hosts that fail, for the summary: those given up, and those that are tried again. */
import type { Head } from '../frontier/head.ts';
import type { HostKey } from '../url/host-key.ts';
import type { CrawlSummary } from './summary.ts';
import { isoTime } from './url-detail.ts';

export interface KnownHost {
  readonly host: HostKey;
  readonly head: Head;
}

export const isTroubled = ({ setAside, clock, dueAt }: Head): boolean =>
  setAside !== undefined || (clock.failures > 0 && clock.cause !== undefined && dueAt !== undefined);

/** Of hosts that {@link isTroubled}. */
export function troubledHosts(hosts: readonly KnownHost[]): Pick<CrawlSummary, 'setAside' | 'failing'> {
  const setAside: { host: string; cause: string }[] = [];
  const failing: { host: string; cause: string; nextTryAt: string }[] = [];
  for (const { host, head } of hosts) {
    if (head.setAside) setAside.push({ host, cause: head.setAside.cause });
    else failing.push({ host, cause: head.clock.cause ?? '', nextTryAt: isoTime(head.clock.nextFetchAt) });
  }
  return { setAside, failing };
}
