/** Events of a worker, for listeners of a running crawl. */

import { nearDuplicateIn, type ShownCauseCode, shownCodeOf } from '../../core/causes/cause.ts';
import { causeText, resultText } from '../../core/causes/cause-text.ts';
import type { HostRefusal } from '../../core/frontier/host-refusal.ts';
import type { HostClock } from '../../core/frontier/politeness.ts';
import type { UrlRecord, UrlState } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { ownRequest, pageUrl } from '../../core/url/request-url.ts';
import type { UrlKind } from '../../core/url/url-kind.ts';

/**
 * Reported at once, before the turn is committed. If a turn is repeated (after a crash), its events may come
 * again. JSON, since events go from thread to thread. Times are ms since the epoch.
 */
export type WorkEvent = PageEvent | ItemLineEvent | HostBackoffEvent;

/** The crawl is done with a URL, whatever the outcome. */
export interface PageEvent {
  readonly type: 'page';
  readonly url: string;
  /** The label of a request that `enqueue` made. */
  readonly label?: string;
  readonly host: HostKey;
  readonly status: UrlState;
  /** The kind as which it was fetched; none: a page. */
  readonly kind?: UrlKind;
  /** Hops from a seed. */
  readonly depth: number;
  /** The page it was first found on; none for a seed. */
  readonly via?: string;
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** Size of the body as received. */
  readonly bodyBytes?: number;
  /** From the request to the body's end. */
  readonly tookMs?: number;
  /** Why it failed, was denied or skipped, in words; of a redirect, where to. */
  readonly cause?: string;
  /** The cause for programs, if it has a code. */
  readonly causeCode?: ShownCauseCode;
  /** For a page that counts as a copy: the URL that it names as canonical. */
  readonly duplicateOf?: string;
}

/** `onPage` returned an item. */
interface ItemLineEvent {
  readonly type: 'item';
  readonly url: string;
  /** The item as one line of JSON, without its end. */
  readonly line: string;
}

/** A host failed, and is left alone until `until`. */
export interface HostBackoffEvent {
  readonly type: 'hostBackoff';
  readonly host: HostKey;
  readonly until: number;
  /** Failures in a row. */
  readonly failures: number;
  /** In words. */
  readonly cause?: string;
  readonly causeCode?: ShownCauseCode;
}

export type OnWorkEvent = (event: WorkEvent) => void;

/** The event of a URL that was just settled; undefined while it waits. */
export function pageEventOf(host: HostKey, record: UrlRecord): PageEvent | undefined {
  const { url, state, kind, depth, via, result } = record;
  if (state === 'waiting') return undefined;
  const { httpStatus, contentType, bodyBytes, tookMs, cause, duplicateOf } = result ?? {};
  const words = result && resultText(result);
  const copyOf = duplicateOf ?? nearDuplicateIn(cause)?.of;
  const { label } = ownRequest(url) ?? {};
  return {
    type: 'page',
    url: pageUrl(url),
    ...(label !== undefined && { label }),
    host,
    status: state,
    ...(kind !== undefined && { kind }),
    depth,
    ...(via !== undefined && { via }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(contentType !== undefined && { contentType }),
    ...(bodyBytes !== undefined && { bodyBytes }),
    ...(tookMs !== undefined && { tookMs }),
    ...(words !== undefined && { cause: words }),
    ...(cause !== undefined && { causeCode: shownCodeOf(cause) }),
    ...(copyOf !== undefined && { duplicateOf: copyOf }),
  };
}

/** The event of a host that has refused the crawler, and rests or is set aside. */
export function refusalEventOf(host: HostKey, refusal: HostRefusal, isOver: boolean): HostBackoffEvent {
  const { cause, rests, restUntil = 0 } = refusal;
  return {
    type: 'hostBackoff',
    host,
    until: isOver ? 0 : restUntil,
    failures: rests,
    cause: causeText(cause),
    causeCode: shownCodeOf(cause),
  };
}

/** The event of a host that has failed, and rests. */
export function backoffEventOf(host: HostKey, { failures, nextFetchAt, cause }: HostClock): HostBackoffEvent {
  return {
    type: 'hostBackoff',
    host,
    until: nextFetchAt,
    failures,
    ...(cause !== undefined && { cause: causeText(cause), causeCode: shownCodeOf(cause) }),
  };
}
