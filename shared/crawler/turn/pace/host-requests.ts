import { allowedFrom } from '../../../core/crawl/host-hours.ts';
import { maxBytesRestMs } from '../../../core/frontier/byte-rate.ts';
import { gapAfter, maxGapAfter } from '../../../core/frontier/politeness.ts';
import {
  type FetchFailure,
  type FetchOutcome,
  mayHaveReached,
  sentRequest,
} from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import { MAX_AGE_MS } from '../../crawl-state/crawls.ts';
import type { TurnAccess } from '../access/turn-access.ts';
import type { TurnCounters } from '../counters.ts';
import type { Lease } from '../lease.ts';
import { HeldBodies } from '../page/held-bodies.ts';
import { watchProxy } from '../page/proxy-watch.ts';
import type { Quarantine } from '../quarantine.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { AddressPace } from './address-pace.ts';
import type { CrawlPace } from './crawl-pace.ts';

const NO_TIME = 'there was no time left for it';
const OUTSIDE_HOURS = 'the hours of the host were over';
const BYTES_DUE = 'the host rests for the bytes that it has sent';
const SIGNS_OUT = 'it would sign the account out';
const REFUSED = 'the host rests, as it has refused the crawler';
const NO_PLACE = "the crawl's byte rate (--limit-rate) is used up by other hosts";

/** If its worker dies during a request, a host rests no longer than this for what it may have sent. */
export const MAX_BYTES_LOCK_MS = 300_000;
/** If its worker stands still during a request, the host has its rest after it if the request takes no longer than this. */
const STILL_MS = 15_000;

/** The pace of the host as a request needs it: its values are those of the moment. */
export interface PaceOfRequests {
  /** No request before this time, as the host has refused the crawler. */
  readonly refusedUntil: number;
  /** No request before this time: then the bytes of this turn would have come at the host's rate. */
  readonly paidUntil: number;
  /** Counts the bytes of the outcome. */
  pay(outcome: FetchOutcome): void;
  /** The host's slot in the queue for the crawl's bytes is used. */
  useSlot(): void;
}

export interface HostRequestsOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly quarantine: Quarantine;
  readonly access: Pick<TurnAccess, 'isOn' | 'accounts' | 'withCookies' | 'take'>;
  readonly lease: Lease;
  /** No request is begun after this time: it could outlive the lease. */
  readonly lastRequestAt: number;
}

interface Paces {
  readonly pace: PaceOfRequests;
  readonly address: AddressPace;
  readonly crawlPace: CrawlPace;
}

/**
 * The requests of a turn to its host. Each waits for those of other turns to the host, its address and the crawl's
 * byte rate, and locks the host before it begins. What made its moment right may have changed while it waited: one
 * that may not begin any more is not made, and its outcome says why.
 */
export class HostRequests {
  readonly #services: TurnServices;
  readonly #options: HostRequestsOptions;
  readonly #pace: PaceOfRequests;
  readonly #address: AddressPace;
  readonly #crawlPace: CrawlPace;
  readonly #bodies = new HeldBodies();

  constructor(services: TurnServices, options: HostRequestsOptions, { pace, address, crawlPace }: Paces) {
    this.#services = services;
    this.#options = options;
    this.#pace = pace;
    this.#address = address;
    this.#crawlPace = crawlPace;
  }

  /**
   * Makes one exchange with the host. If it could be begun only when the turn's time for requests is over, it
   * is not begun, and counts as aborted by ourselves. The host stays locked for the request and the rest that
   * is due after it: if this process dies, the next owner of the host knows of neither. `delayAfterMs`: the
   * `Crawl-delay` for that rest, if it is another one than for the gap before the request.
   */
  async exchange(
    request: Omit<FetchRequest, 'signal'>,
    crawlDelayMs?: number,
    delayAfterMs = crawlDelayMs,
  ): Promise<FetchOutcome> {
    const { engine, lanes, stopping: signal } = this.#services;
    const { crawl, lastRequestAt: latestAt } = this.#options;
    const { perHost } = crawl.config;
    const gapMs = gapAfter({ startedAt: 0, endedAt: 0, crawlDelayMs }, crawl.config);
    const askedAt = engine.clock.now();
    const outcome = await lanes.run(
      crawl.host,
      { perHost, gapMs, latestAt, signal },
      () => this.#inLine(request, delayAfterMs, askedAt),
      mayHaveReached,
    );
    return this.#bodies.hold(outcome ?? this.#unmade(request.url, NO_TIME));
  }

  /**
   * Makes a request of a page of the host that is being rendered, beside its pace: the host rests longer
   * afterwards (`HostPace.restAfterParts`).
   */
  async part(request: FetchRequest, latestAt: number): Promise<FetchOutcome> {
    const { engine, fetcherOf } = this.#services;
    const { crawl, counters, quarantine, access } = this.#options;
    const now = engine.clock.now();
    if (allowedFrom(crawl.config, now) > now) return this.#unmade(request.url, OUTSIDE_HOURS);
    if (access.accounts?.isSignOut(request.url)) return this.#unmade(request.url, SIGNS_OUT);
    const fetch = async () => {
      const sent = access.isOn ? access.withCookies(request) : request;
      // The page may have ended while this request waited.
      const isOver = () => request.signal?.aborted === true;
      const outcome = await quarantine.watch(async () =>
        isOver() ? this.#unmade(request.url, NO_TIME) : fetcherOf(crawl.everywhere).fetch(sent),
      );
      return access.isOn ? access.take(outcome, request) : outcome;
    };
    const atPlace = async () =>
      this.#crawlPace.isOn
        ? this.#crawlPace.run(
            latestAt,
            (begun) => {
              begun();
              return fetch();
            },
            sentRequest,
          )
        : fetch();
    const atAddress = async () => (await atPlace()) ?? this.#unmade(request.url, NO_PLACE);
    const made = this.#address.isOn ? this.#address.run(latestAt, atAddress, sentRequest) : atAddress();
    const outcome = (await made) ?? this.#unmade(request.url, NO_TIME);
    counters.countExchange(outcome);
    this.#pace.pay(outcome);
    return outcome;
  }

  /** If the address has this pace, after requests of others to it. */
  #inLine(
    request: Omit<FetchRequest, 'signal'>,
    crawlDelayMs: number | undefined,
    askedAt: number,
  ): Promise<FetchOutcome> {
    const begin = () => this.#atPlace(request, crawlDelayMs, askedAt);
    if (!this.#address.isOn) return begin();
    const made = this.#address.run(this.#options.lastRequestAt, begin, mayHaveReached);
    return made.then((outcome) => outcome ?? this.#unmade(request.url, NO_TIME));
  }

  /** If the crawl takes a certain number of bytes a second, when the rate has room for those of the request. */
  #atPlace(
    request: Omit<FetchRequest, 'signal'>,
    crawlDelayMs: number | undefined,
    askedAt: number,
  ): Promise<FetchOutcome> {
    if (!this.#crawlPace.isOn) return this.#begin(request, crawlDelayMs, askedAt);
    this.#pace.useSlot();
    const begin = (begun: () => void) => this.#begin(request, crawlDelayMs, askedAt, begun);
    const made = this.#crawlPace.run(this.#options.lastRequestAt, begin, sentRequest);
    return made.then((outcome) => outcome ?? this.#unmade(request.url, NO_PLACE));
  }

  async #begin(
    request: Omit<FetchRequest, 'signal'>,
    crawlDelayMs: number | undefined,
    askedAt: number,
    begun?: () => void,
  ): Promise<FetchOutcome> {
    const { engine, fetcherOf, stopping } = this.#services;
    const { crawl, lease, lastRequestAt, quarantine, access } = this.#options;
    const { totalTimeoutMs, maxBodyBytes } = crawl.config;
    const gapAfterMs = (ms: number) => maxGapAfter(ms, crawlDelayMs, crawl.config);
    const bytesMs = maxBytesRestMs(crawl.config, request.maxBodyBytes ?? maxBodyBytes);
    const bytesLockMs = Math.min(bytesMs, MAX_BYTES_LOCK_MS);
    const lockedMs = Math.max(totalTimeoutMs + gapAfterMs(totalTimeoutMs), bytesLockMs);
    const stillMs = Math.min(totalTimeoutMs, STILL_MS);
    const restMs = Math.max(gapAfterMs(totalTimeoutMs), stillMs + gapAfterMs(stillMs), bytesLockMs);
    const locking = lease.lockFor(lockedMs, restMs);
    if (locking) await locking;
    if (engine.clock.now() > lastRequestAt) return this.#unmade(request.url, NO_TIME);
    // A turn of another crawl may have kept it waiting for long.
    if (engine.clock.now() - askedAt > MAX_AGE_MS) {
      if (!(await crawl.isRunning())) return this.#unmade(request.url, 'the crawl does not run');
      // The process may have frozen meanwhile: nothing may be waited for between the lock and the request.
      await lease.lockFor(lockedMs, restMs);
      if (engine.clock.now() > lastRequestAt) return this.#unmade(request.url, NO_TIME);
    }
    // It may have waited for its turn until they were over.
    const now = engine.clock.now();
    if (allowedFrom(crawl.config, now) > now) return this.#unmade(request.url, OUTSIDE_HOURS);
    if (this.#pace.refusedUntil > now) return this.#unmade(request.url, REFUSED);
    // The concurrent request to the host has ended meanwhile.
    if (this.#pace.paidUntil > now) return this.#unmade(request.url, BYTES_DUE);
    begun?.();
    // The server may have had the first one: where there is a pause between requests, there is one before the second.
    const hasPause = gapAfter({ startedAt: 0, endedAt: 0, crawlDelayMs }, crawl.config) > 0;
    const repeatsStale = (request.repeatsStale ?? !hasPause) || undefined;
    const sent = access.isOn ? access.withCookies(request) : request;
    const received = await quarantine.watch(() =>
      fetcherOf(crawl.everywhere).fetch({ ...sent, repeatsStale, signal: stopping }),
    );
    const outcome = access.isOn ? access.take(received, request) : received;
    // At once: others that wait for the crawl's rate go on as soon as it has ended.
    this.#pace.pay(outcome);
    const mayConcernProxy = outcome.status === 'failed' || this.#services.stats.proxyFailures !== undefined;
    if (mayConcernProxy && sentRequest(outcome)) await watchProxy(this.#services, crawl, outcome);
    return outcome;
  }

  #unmade(url: string, message: string): FetchFailure {
    const now = this.#services.engine.clock.now();
    return {
      status: 'failed',
      reason: 'aborted',
      isNotSent: true,
      url,
      message,
      startedAt: now,
      endedAt: now,
    };
  }

  /** At the turn's end: disposes of the bodies that are left. */
  release(): Promise<void> {
    return this.#bodies.release();
  }
}
