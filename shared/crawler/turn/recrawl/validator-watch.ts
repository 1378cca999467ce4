import { mixHash } from '../../../core/base/mix-hash.ts';
import type { HostRecrawl, ValidatorTrust } from '../../../core/frontier/head.ts';
import type { RecrawlState, UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { headersOf } from '../response-headers.ts';

/** A conditional request in this number goes without its validator, to check the server's statement ... */
const CHECK_EACH = 20;
/** ... and more often until that was seen some times. */
const FIRST_CHECKS = 8;
const FIRST_CHECK_EACH = 4;
/** As often a server has sent the same content in full though it knew the validator: it does not use them. */
const MAX_IGNORED = 10;
/** A server whose validators were false gets none for this time. */
const LIES_MS = 90 * 86_400_000;
/** Longer validators are not kept: they would outweigh the rest of the record. */
const MAX_VALIDATOR_CHARS = 200;

const NEW_TRUST: ValidatorTrust = { checked: 0, notModified: 0, ignored: 0 };

type Validators = Pick<RecrawlState, 'etag' | 'lastModified'>;

/**
 * Conditional requests (RFC 9110, section 13) to one host, and whether its answers can be believed. Some servers send
 * a validator that covers less than the page, and so answer 304 for ever; others send one and never use it.
 */
export class ValidatorWatch {
  #trust: ValidatorTrust;

  constructor(recrawl: HostRecrawl | undefined) {
    this.#trust = recrawl?.validators ?? NEW_TRUST;
  }

  /** Absent: no conditional request yet. */
  get trust(): ValidatorTrust | undefined {
    return this.#trust === NEW_TRUST ? undefined : this.#trust;
  }

  /** The header fields that make the request for this URL a conditional one; undefined: it is to be a plain one. */
  fieldsFor(record: UrlRecord, now: number): Readonly<Record<string, string>> | undefined {
    const { state, recrawl } = record;
    if (state !== 'fetched' || !recrawl || !this.#isUsed(now) || this.#isCheck(record)) return undefined;
    if (recrawl.etag !== undefined) return { 'If-None-Match': recrawl.etag };
    if (recrawl.lastModified !== undefined) return { 'If-Modified-Since': recrawl.lastModified };
    return undefined;
  }

  /**
   * Whether the answer to a conditional request says that the page has not changed. A response with an ETag other than
   * the sent one means other content.
   */
  isNotModified({ recrawl }: UrlRecord, response: FetchedResponse): boolean {
    if (response.httpStatus !== 304) return false;
    const etag = headersOf(response, 'etag')[0];
    return etag === undefined || recrawl?.etag === undefined || opaque(etag) === opaque(recrawl.etag);
  }

  /** The validators of the response that are worth keeping. Texts as the server sent them, byte for byte. */
  validatorsOf(response: FetchedResponse, now: number): Validators {
    if (!this.#isUsed(now)) return {};
    const etag = kept(headersOf(response, 'etag')[0]);
    return etag === undefined ? { lastModified: kept(headersOf(response, 'last-modified')[0]) } : { etag };
  }

  countNotModified(): void {
    this.#trust = { ...this.#trust, notModified: this.#trust.notModified + 1 };
  }

  /** Counts a response in full to a page whose validators were known. `wasSent`: the request was a conditional one. */
  countFull(before: RecrawlState, response: FetchedResponse, wasSent: boolean, hasChanged: boolean): void {
    if (before.etag === undefined && before.lastModified === undefined) return;
    const trust = this.#trust;
    const now = response.endedAt;
    const after = this.validatorsOf(response, now);
    const isSame = after.etag === before.etag && after.lastModified === before.lastModified;
    if (wasSent) {
      if (!hasChanged) this.#trust = { ...trust, ignored: trust.ignored + 1 };
      // It has noticed a change, which a server that always answers 304 never does.
      else if (!isSame) this.#trust = { ...trust, checked: trust.checked + 1 };
      return;
    }
    if (!isSame) return;
    this.#trust = hasChanged
      ? { ...NEW_TRUST, liesUntil: now + LIES_MS }
      : { ...trust, checked: trust.checked + 1 };
  }

  #isUsed(now: number): boolean {
    const { liesUntil = 0, notModified, ignored } = this.#trust;
    return liesUntil <= now && (notModified > 0 || ignored < MAX_IGNORED);
  }

  /** By chance that depends on the URL and its last fetch, so that a repeated turn does the same. */
  #isCheck({ url, result }: UrlRecord): boolean {
    const each = this.#trust.checked < FIRST_CHECKS ? FIRST_CHECK_EACH : CHECK_EACH;
    return mixHash(url.length * 31 + url.charCodeAt(url.length - 1) + (result?.fetchedAt ?? 0)) % each === 0;
  }
}

const kept = (text: string | undefined): string | undefined =>
  text === undefined || text.length === 0 || text.length > MAX_VALIDATOR_CHARS || CONTROL.test(text)
    ? undefined
    : text;

/** A request header cannot carry these. */
const CONTROL = /[^\t\x20-\x7e\x80-\xff]/;

/** ETags are compared weakly here (RFC 9110, section 8.8.3.2). */
const opaque = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag);
