/** Events of seeds, reported at once, so that an operator sees a mistake in the first seconds of a crawl. */

import type { Cause } from '../../core/causes/cause.ts';
import type { Head } from '../../core/frontier/head.ts';
import { isSeedRecord } from '../../core/frontier/rank.ts';
import type { SiteVisit } from '../../core/frontier/site-visit.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/** A seed, or what a seed redirected to, that was not fetched. JSON, as it goes from thread to thread. */
export interface SeedEvent {
  readonly url: string;
  readonly host: HostKey;
  /** `waiting`: it is tried again at `nextTryAt`, unless its host `isGivenUp`. */
  readonly state: UrlRecord['state'];
  readonly httpStatus?: number;
  /** For a redirect: the target. */
  readonly cause?: Cause;
  /** ms since the epoch. */
  readonly nextTryAt?: number;
  /** The host failed so often that the crawl does without it, until it is resumed. */
  readonly isGivenUp?: boolean;
}

export type OnSeed = (event: SeedEvent) => void;

/** `visit`: JSON, as it goes from thread to thread. */
export type OnSite = (visit: SiteVisit) => void;

/** The host of a seed, in a seed event. */
export interface SeedHost {
  readonly host: HostKey;
  readonly nextFetchAt: number;
  readonly givenUp: Head['setAside'];
}

/** The event of a URL that was just settled; undefined for other URLs, and if there is nothing to report. */
export function seedEventOf(
  { host, nextFetchAt, givenUp }: SeedHost,
  record: UrlRecord,
  cause = record.result?.cause,
): SeedEvent | undefined {
  const { url, state, result, dueAt } = record;
  if (!isSeedRecord(record) || state === 'fetched') return undefined;
  if (state !== 'waiting') return { url, host, state, httpStatus: result?.httpStatus, cause };
  if (cause === undefined) return undefined;
  return givenUp
    ? { url, host, state, cause: givenUp.cause, isGivenUp: true }
    : { url, host, state, cause, nextTryAt: Math.max(dueAt, nextFetchAt) };
}
