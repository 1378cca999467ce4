/** The hosts that an answer about a whole crawl lacks: each counts once, however often their ledgers are read for it. */
import type { HostKey } from '../../core/url/host-key.ts';

/** A host of whose ledger a part is gone or damaged. */
export interface UnreadableHost {
  readonly host: HostKey;
  /** How many of its URLs are not known. */
  readonly urls: number;
  readonly reason: string;
}

export interface UnreadableHosts {
  /** The first ones. */
  readonly hosts: readonly UnreadableHost[];
  readonly hostCount: number;
  /** URLs that are not known. */
  readonly urls: number;
}

const MAX_NAMED = 20;

export function createUnreadableHosts() {
  const met = new Set<string>();
  const hosts: UnreadableHost[] = [];
  let urls = 0;
  return {
    /** The source, whose unreadable hosts are collected. */
    of: <Source extends object>(source: Source): Source => ({
      ...source,
      leaveOut(lost: UnreadableHost) {
        if (met.has(lost.host)) return;
        met.add(lost.host);
        urls += lost.urls;
        if (hosts.length < MAX_NAMED) hosts.push(lost);
      },
    }),
    /** Empty if there are none. */
    found: (): { readonly unreadable?: UnreadableHosts } =>
      met.size > 0 ? { unreadable: { hosts, hostCount: met.size, urls } } : {},
  };
}
