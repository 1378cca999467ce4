import { sha1Label } from '../../core/archive/digest.ts';
import { isoTime } from '../../core/base/iso-time.ts';
import { nearDuplicateIn, type ShownCauseCode, shownCodeOf } from '../../core/causes/cause.ts';
import { causeText, optionalText, resultText } from '../../core/causes/cause-text.ts';
import type { Head, HostWait } from '../../core/frontier/head.ts';
import { lastChangeOf, type UrlChangeKind } from '../../core/frontier/url-change.ts';
import type { UrlRecord, UrlState } from '../../core/frontier/url-record.ts';
import { hostKey } from '../../core/url/host-key.ts';
import { type HookRequest, ownRequest, pageUrl } from '../../core/url/request-url.ts';
import type { UrlKind } from '../../core/url/url-kind.ts';
import type { NearCopies } from './near-copy.ts';
import { renderingWord } from './rendering-words.ts';

/** The reason of a wait, for people. */
export function waitText(wait: HostWait): string {
  switch (wait.for) {
    case 'address':
      return `other hosts at its IP address, ${wait.address}`;
    case 'hours':
      return 'its hours';
    case 'refusal':
      return 'the rest after it has refused the crawler';
    case 'account':
      return 'its accounts, which rest or are used up';
    case 'crawlBytes':
      return "the crawl's byte rate, which is used up by other hosts";
    default:
      return 'the time that its bytes take at its rate';
  }
}

/** When the next request to the host may start; 0: at once. */
export const nextFetchOf = ({ clock, wait }: Pick<Head, 'clock' | 'wait'>): number =>
  Math.max(clock.nextFetchAt, wait && WAITS_BESIDES.has(wait.for) ? wait.until : 0);

/** Waits that the clock does not hold. */
const WAITS_BESIDES: ReadonlySet<HostWait['for']> = new Set(['hours', 'refusal', 'account']);

/** A URL of the crawl. What is not known, or does not apply, is undefined. */
export interface UrlRow {
  readonly url: string;
  readonly host: string;
  /** Hops from a seed. */
  readonly depth?: number;
  /** The page it was found on; none for a seed. */
  readonly via?: string;
  readonly status: UrlState;
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** The payload digest, as in the WARC record: `sha1:` and Base32. */
  readonly digest?: string;
  /** ISO 8601, UTC. */
  readonly fetchedAt?: string;
  /** Where its WARC record stands; offset and length in bytes. */
  readonly warcFile?: string;
  readonly warcOffset?: number;
  readonly warcLength?: number;
  /** Its kind; none: a page. */
  readonly kind?: UrlKind;
  /** The size of the body as received. */
  readonly bodyBytes?: number;
  /** From the request to the body's end. */
  readonly tookMs?: number;
  /** Why it was denied or skipped, or has failed, for people; of a redirect, where to. */
  readonly cause?: string;
  /** The cause for programs (`causes/cause.ts`). */
  readonly causeCode?: ShownCauseCode;
  /** For a copy: the URL that it names as canonical, or the page whose text is nearly the same (`nearDuplicate`). */
  readonly duplicateOf?: string;
  /** The method of a request by `enqueue` if that is not GET, and its body: in base64 if it is not UTF-8. */
  readonly method?: string;
  readonly requestBody?: string;
}

/** All that is known of it. */
export interface UrlDetail extends UrlRow, Partial<NearCopies> {
  /** When it was first found. ISO 8601, UTC. */
  readonly seenAt?: string;
  /** The project's own request, if `enqueue` made it. */
  readonly request?: HookRequest | undefined;
  /** Tries so far. */
  readonly attempts?: number;
  /** When it may next be fetched. ISO 8601, UTC. */
  readonly dueAt?: string;
  /** In a crawl that recrawls: when its last change was seen, and which it was. */
  readonly changedAt?: string;
  readonly lastChange?: UrlChangeKind;
  /** About the share of its text that the last change was, 0 to 1. */
  readonly changedShare?: number | undefined;
  /** It waits, and its host was given up for this: nothing is fetched there until the crawl is resumed. */
  readonly hostGivenUp?: string;
  /** It waits, as the last tries of its host failed: with this, and the next one is at `hostNextTryAt`. */
  readonly hostFailing?: string;
  readonly hostNextTryAt?: string;
  /** Whether and why pages of its template are rendered, for people. Absent: the crawl has not tried it. */
  readonly rendering?: string | undefined;
}

/** Whether the URL was requested. If not, its result has the time at which it was left out: as a page of a trap, for example. */
const wasRequested = ({ state, attempts, result }: UrlRecord): boolean =>
  state !== 'deniedByRobots' && (attempts > 0 || result?.httpStatus !== undefined);

/**
 * A record of the ledger as `export`, `url` and the API show it. `head`: of its host. `copies`: the
 * copies that the crawl has marked.
 */
export function urlDetail(record: UrlRecord, head?: Head, copies?: NearCopies): UrlDetail {
  const { url, depth, via, state, kind, seenAt, attempts, dueAt, result, recrawl } = record;
  const request = ownRequest(url);
  return {
    url: pageUrl(url),
    request,
    method: request?.method,
    requestBody:
      typeof request?.body === 'object' ? Buffer.from(request.body).toString('base64') : request?.body,
    host: hostKey(url),
    depth,
    via,
    status: state,
    httpStatus: result?.httpStatus,
    contentType: result?.contentType,
    digest: result?.digest && sha1Label(result.digest),
    fetchedAt: result && wasRequested(record) ? isoTime(result.fetchedAt) : undefined,
    warcFile: result?.location?.file,
    warcOffset: result?.location?.offset,
    warcLength: result?.location?.length,
    kind,
    bodyBytes: result?.bodyBytes,
    tookMs: result?.tookMs,
    cause: result && resultText(result),
    causeCode: result?.cause && shownCodeOf(result.cause),
    duplicateOf: result?.duplicateOf ?? nearDuplicateIn(result?.cause)?.of,
    seenAt: isoTime(seenAt),
    attempts: attempts > 0 ? attempts : undefined,
    dueAt: dueAt > 0 ? isoTime(dueAt) : undefined,
    changedAt: recrawl && isoTime(recrawl.changedAt),
    lastChange: recrawl && lastChangeOf(record, recrawl),
    changedShare: recrawl?.changedShare,
    ...(state === 'waiting' && head && hostTrouble(head)),
    ...(kind === undefined &&
      head?.renderNeeds !== undefined && { rendering: renderingWord(url, NEEDED, head) }),
    ...copies,
  };
}

const NEEDED = { render: 'needed' } as const;

function hostTrouble({
  setAside,
  clock,
}: Head): Pick<UrlDetail, 'hostGivenUp' | 'hostFailing' | 'hostNextTryAt'> {
  if (setAside) return { hostGivenUp: causeText(setAside.cause) };
  return clock.failures > 0
    ? { hostFailing: optionalText(clock.cause), hostNextTryAt: isoTime(clock.nextFetchAt) }
    : {};
}
