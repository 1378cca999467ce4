import { isRevisitable } from '../../../core/archive/capture.ts';
import { warcDate } from '../../../core/archive/warc-record.ts';
import { type RecrawlState, UNKNOWN_CAPTURE, type UrlRecord } from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { UsageStatement } from '../../../core/usage/usage-statement.ts';
import type { TurnOutput } from '../turn-output.ts';
import type { RecrawlPlan, Sighting } from './recrawl-plan.ts';

export interface RefetchOptions {
  readonly recrawl: RecrawlPlan;
  readonly output: TurnOutput;
}

/** A 304 is the answer of a page that is there. */
const NOT_MODIFIED: Verdict = { state: 'fetched', isAttempt: true, isFinal: true, retryMs: 0 };

/**
 * The part of a visit that only a URL has which was fetched before: its request is conditional if possible, and the
 * URL's record stays unless the response shows a change.
 */
export class Refetch {
  readonly #options: RefetchOptions;
  readonly #record: UrlRecord;
  readonly #isRendered: boolean;
  /** Validators of the request; undefined: it is not conditional. */
  readonly fields: Readonly<Record<string, string>> | undefined;

  /** `record`: as it was taken from the ledger. `isRendered`: equal bytes are not an equal page, so its body is wanted in any case. */
  constructor(options: RefetchOptions, record: UrlRecord, now: number, isRendered = false) {
    this.#options = options;
    this.#record = record;
    this.#isRendered = isRendered;
    this.fields = isRendered ? undefined : options.recrawl.validators.fieldsFor(record, now);
  }

  /** The verdict on an answer by which the page has not changed; undefined for any other outcome. */
  notModified(outcome: FetchOutcome): Verdict | undefined {
    if (outcome.status !== 'response' || this.fields === undefined) return undefined;
    return this.#options.recrawl.validators.isNotModified(this.#record, outcome) ? NOT_MODIFIED : undefined;
  }

  /**
   * Archives the exchange and returns the record if it stays: the content is unchanged, or the fetch has failed.
   * Undefined: the response is to be read as that of a new URL. `usage`: the site's statements at this fetch about the
   * use of the content.
   */
  async keep(
    startedAt: number,
    response: FetchedResponse | undefined,
    verdict: Verdict,
    usage: readonly UsageStatement[],
  ): Promise<UrlRecord | undefined> {
    const { recrawl, output } = this.#options;
    const record = this.#record;
    if (verdict === NOT_MODIFIED && response && record.recrawl) {
      recrawl.validators.countNotModified();
      return this.#unchanged(startedAt, response, record.recrawl, usage);
    }
    if (!verdict.isFinal || verdict.state === 'failed' || !response) {
      if (response && verdict.isFinal) await output.archive(record, response, undefined);
      // A validator that led to a strange answer is not sent again.
      const plain = record.recrawl && { ...record.recrawl, etag: undefined, lastModified: undefined };
      return recrawl.afterFailure({ ...record, recrawl: plain }, startedAt, verdict);
    }
    if (verdict.state !== 'fetched' || record.state !== 'fetched' || !record.recrawl) return undefined;
    if (record.recrawl.capturedAt === UNKNOWN_CAPTURE) return undefined;
    if (!this.#hasSamePayload(response)) return undefined;
    recrawl.validators.countFull(record.recrawl, response, this.fields !== undefined, false);
    return this.#unchanged(startedAt, response, record.recrawl, usage);
  }

  /** Counts the evidence about the host's validators in a response in full to a page of which `after` is known now. */
  countChange(after: UrlRecord, { response, textDigest, isRendered }: Sighting): void {
    const { changes, validators } = this.#options.recrawl;
    const { recrawl: known } = this.#record;
    const hasChanged = changes.hasChanged(this.#record, after, textDigest, isRendered);
    if (known) validators.countFull(known, response, this.fields !== undefined, hasChanged);
  }

  async #unchanged(
    startedAt: number,
    response: FetchedResponse,
    known: RecrawlState,
    usage: readonly UsageStatement[],
  ): Promise<UrlRecord> {
    const { recrawl, output } = this.#options;
    const record = this.#record;
    const sha1 = record.result?.digest;
    const original = { url: known.capturedUrl ?? record.url, date: warcDate(known.capturedAt) };
    if (sha1) await output.archiveAgain(record, response, { ...original, sha1 }, usage);
    return recrawl.unchanged(record, startedAt, response);
  }

  #hasSamePayload(response: FetchedResponse): boolean {
    const digest = this.#record.result?.digest;
    return (
      !this.#isRendered &&
      digest !== undefined &&
      isRevisitable(response) &&
      Buffer.from(digest).equals(response.body.sha1)
    );
  }
}
