import type { Cause } from '../../../core/causes/cause.ts';
import { allowedFrom } from '../../../core/crawl/host-hours.ts';
import { hostRate, paidUntil, receivedBytesOf } from '../../../core/frontier/byte-rate.ts';
import type { Head, HostWait } from '../../../core/frontier/head.ts';
import {
  afterAnswer,
  afterFailure,
  afterNothing,
  gapAfter,
  type HostClock,
  type HostFailure,
  isHopeless,
  maxGapAfter,
} from '../../../core/frontier/politeness.ts';
import { type FetchOutcome, mayHaveReached, sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { TurnServices } from '../services.ts';
import { backoffEventOf } from '../work-events.ts';
import { AddressPace } from './address-pace.ts';
import { CrawlPace } from './crawl-pace.ts';
import { HostRequests, type HostRequestsOptions, type PaceOfRequests } from './host-requests.ts';

/** Waits that are found again in each turn. */
const NOT_OF_CLOCK: ReadonlySet<HostWait['for']> = new Set(['hours', 'refusal', 'account']);
/** The waker would take longer than that. */
const SHORT_WAIT_MS = 30_000;
/** Tries after which a crawl ends if no host has ever answered. */
const FIRST_TRIES = 2;

/** A page that is rendered makes at most 60 requests, after which its host rests seven times as long. */
const REST_OF_PARTS = 7;

/** Whether the host has obeyed that resume, if it has obeyed `last`. Resumes have numbers in their order. */
export const isObeyed = (by: number, last: Head['resumedBy']): boolean => last !== undefined && by <= last;

export interface HostPaceOptions extends HostRequestsOptions {
  /** No URL is begun after this time. It becomes earlier when the worker is to end. */
  readonly endBy: () => number;
}

/**
 * The pace of a turn's requests to its host: the host's clock, its failures, and whether the crawl gives the host up.
 * Has each exchange with the host made, after those of other crawls' turns (`host-requests.ts`).
 */
export class HostPace implements PaceOfRequests {
  readonly #services: TurnServices;
  readonly #options: HostPaceOptions;
  #clock: HostClock;
  /**
   * Another crawl may send requests to the host from this time on: the gap after the last request, without this crawl's
   * back-off.
   */
  #gapUntil = 0;
  #givenUp: Head['setAside'];
  #resumedBy: Head['resumedBy'];
  /** No request before this time, as the host has refused the crawler. */
  #refusedUntil: number;
  /** Failures in a row, as last reported. */
  #reportedFailures: number;
  /** The turn begins no further URL. */
  #isOver: boolean;
  readonly #address: AddressPace;
  readonly #crawlPace: CrawlPace;
  readonly #requests: HostRequests;
  /** The reason for a wait beyond its own rest. */
  #wait: HostWait | undefined;
  #accountUntil: number | undefined;
  /** When the bytes of this turn would have come at the host's rate. The bytes of earlier turns were waited for. */
  #paidUntil = 0;

  constructor(services: TurnServices, head: Head, options: HostPaceOptions) {
    const { crawl } = options;
    this.#services = services;
    this.#options = options;
    this.#clock = head.clock;
    this.#givenUp = head.setAside;
    this.#resumedBy = head.resumedBy;
    this.#refusedUntil = head.refusal?.restUntil ?? 0;
    this.#reportedFailures = head.clock.failures;
    this.#isOver = false;
    this.#address = new AddressPace(services, crawl);
    this.#crawlPace = new CrawlPace(services, crawl, head.wait);
    const paces = { pace: this, address: this.#address, crawlPace: this.#crawlPace };
    this.#requests = new HostRequests(services, options, paces);
    if (head.wait && !NOT_OF_CLOCK.has(head.wait.for) && head.wait.until > services.engine.clock.now())
      this.#wait = head.wait;
    this.postponeTo(services.lanes.restUntil(crawl.host));
  }

  get clock(): HostClock {
    return this.#clock;
  }

  get nextFetchAt(): number {
    return this.#clock.nextFetchAt;
  }

  /** From when on another crawl may send requests to the host. */
  get gapUntil(): number {
    return this.#gapUntil;
  }

  /** Why the crawl does without the host, if it does. */
  get givenUp(): Head['setAside'] {
    return this.#givenUp;
  }

  get resumedBy(): Head['resumedBy'] {
    return this.#resumedBy;
  }

  get lastRequestAt(): number {
    return this.#options.lastRequestAt;
  }

  /** Tries a host again that was given up or rests for a refusal, unless this or a later resume was obeyed already. Returns whether it does. */
  resume(by: number): boolean {
    if (isObeyed(by, this.#resumedBy)) return false;
    if (this.#givenUp) {
      this.#clock = { ...this.#clock, failures: 0 };
      this.#reportedFailures = 0;
    }
    this.#givenUp = undefined;
    this.#refusedUntil = 0;
    this.#resumedBy = by;
    return true;
  }

  /** Tries a host again that was given up so long ago: a crawl that recrawls outlasts most troubles. */
  retryAfter(ms: number): void {
    if (this.#givenUp === undefined || this.#services.engine.clock.now() - this.#givenUp.at < ms) return;
    this.#clock = { ...this.#clock, failures: 0 };
    this.#reportedFailures = 0;
    this.#givenUp = undefined;
  }

  /** Begins no further URL. */
  end(): void {
    this.#isOver = true;
  }

  /** Whether the next request to the host may start now, and nothing has to be waited for to know it. */
  isMoment(): boolean {
    if (this.#isEnded || !this.#options.crawl.isCurrent()) return false;
    return !this.#crawlPace.isOn && !this.#address.isOn && this.#restMs() === 0;
  }

  /**
   * Waits until the next request to the host may start. False: that is too late for this turn, or the turn is over. A login
   * may outlast the turn's time, since half of it is worth nothing.
   */
  async waitForMoment(isLogin = false): Promise<boolean> {
    const { engine, stopping } = this.#services;
    for (;;) {
      if (this.#isEnded) return false;
      // Paused or stopped since the turn began?
      await this.#options.crawl.current();
      const restMs = this.#restMs(isLogin);
      if (restMs === undefined) return false;
      if (restMs > 0) await engine.clock.sleep(restMs, stopping);
      else if (this.#crawlPace.isOn && (await this.#waitsForCrawl())) continue;
      else if (!this.#address.isOn || !(await this.#waitsForAddress())) return true;
    }
  }

  get #isEnded(): boolean {
    return this.#isOver || this.#services.stopping.aborted;
  }

  /** How long the host rests before its next request, by its rest and by its hours. Undefined: for longer than this turn waits. */
  #restMs(isLogin = false): number | undefined {
    const { crawl, lastRequestAt } = this.#options;
    if (crawl.status !== 'running') return undefined;
    const now = this.#services.engine.clock.now();
    const restMs = this.allowedAt(now) - now;
    const endBy = isLogin ? lastRequestAt : this.#options.endBy();
    const mostMs = isLogin ? Number.POSITIVE_INFINITY : crawl.config.turnMaxWaitMs;
    const isTooLong = now > endBy || restMs > mostMs || now + restMs > endBy;
    return isTooLong ? undefined : restMs;
  }

  /** Postpones the host if other hosts have the crawl's bytes a second. */
  async #waitsForCrawl(): Promise<boolean> {
    const wait = await this.#crawlPace.next();
    if (wait === undefined) return false;
    const { ms, bytes } = wait;
    const until = this.#services.engine.clock.now() + ms;
    this.#wait = { for: 'crawlBytes', until, ...(bytes !== undefined && { bytes }) };
    this.postponeTo(until);
    return true;
  }

  /** Postpones the host if its slot in the queue of its address is yet to come. */
  async #waitsForAddress(): Promise<boolean> {
    const wait = await this.#address.next();
    if (wait === undefined) return false;
    const until = this.#services.engine.clock.now() + wait.ms;
    this.#wait = { for: 'address', address: wait.address, until };
    this.postponeTo(until);
    return true;
  }

  /** From when on requests to the host are allowed, by its rests and by its hours; not before `at`. */
  allowedAt(at: number): number {
    return allowedFrom(this.#options.crawl.config, Math.max(at, this.#clock.nextFetchAt, this.#refusedUntil));
  }

  /** The reason for which the next request does not start at once, if it is not the host's own rest. */
  get wait(): HostWait | undefined {
    if (this.#accountUntil !== undefined) return { for: 'account', until: this.#accountUntil };
    const now = this.#services.engine.clock.now();
    const until = this.allowedAt(now);
    const restUntil = Math.max(now, this.#clock.nextFetchAt);
    if (this.#refusedUntil > restUntil) return { for: 'refusal', until };
    if (until > restUntil) return { for: 'hours', until };
    return this.#wait !== undefined && this.#wait.until === this.#clock.nextFetchAt ? this.#wait : undefined;
  }

  /** At the end of the turn: gives back slots that others can use. */
  async release(): Promise<void> {
    await this.#requests.release();
    const { wait } = this;
    try {
      await this.#crawlPace.end(wait?.for === 'crawlBytes' && wait.bytes !== undefined);
    } finally {
      // Though the table may not have answered for the bytes: other hosts wait for the address until its lease ends.
      if (this.#address.isOn) await this.#address.end();
    }
  }

  /** Makes one exchange with the host ({@link HostRequests.exchange}). */
  exchange(
    request: Omit<FetchRequest, 'signal'>,
    crawlDelayMs?: number,
    delayAfterMs = crawlDelayMs,
  ): Promise<FetchOutcome> {
    return this.#requests.exchange(request, crawlDelayMs, delayAfterMs);
  }

  /** Makes a request of a page that is being rendered ({@link HostRequests.part}). */
  part(request: FetchRequest, latestAt: number): Promise<FetchOutcome> {
    return this.#requests.part(request, latestAt);
  }

  /** Keeps the host locked while one of its pages is rendered, and for the rest after it. */
  async lockForRendering(ms: number, crawlDelayMs: number | undefined): Promise<void> {
    const { lease, crawl } = this.#options;
    const restMs = maxGapAfter(ms, crawlDelayMs, crawl.config) * REST_OF_PARTS;
    await lease.lockFor(ms + restMs, restMs);
  }

  /** The host rests after a page that was rendered: by a tenth of its delay longer for each request of the page. */
  restAfterParts(parts: number, crawlDelayMs: number | undefined): void {
    const { crawl } = this.#options;
    const now = this.#services.engine.clock.now();
    const gapMs = gapAfter({ startedAt: now, endedAt: now, crawlDelayMs }, crawl.config);
    const until = now + Math.ceil(gapMs * (1 + parts / 10));
    this.#gapUntil = Math.max(this.#gapUntil, until);
    this.#services.lanes.rest(crawl.host, until);
    this.postponeTo(until);
    this.#restForBytes();
  }

  /**
   * Moves the host's clock on after an exchange, and counts it. `failure`: the host is in trouble. If the crawl's cache
   * has answered, or no connection was allowed, the host's clock stays as it is.
   */
  record(outcome: FetchOutcome, failure: HostFailure | undefined, crawlDelayMs: number | undefined): void {
    const { crawl, counters } = this.#options;
    const { config } = crawl;
    counters.countExchange(outcome);
    if (!mayHaveReached(outcome)) return;
    const { startedAt, endedAt } = outcome;
    const request = { startedAt, endedAt, crawlDelayMs };
    const gapMs = gapAfter(request, config);
    this.#gapUntil = Math.max(this.#gapUntil, endedAt + gapMs);
    this.#services.lanes.restAfterLast(crawl.host, gapMs);
    const random = this.#services.engine.clock.random();
    if (failure) this.#clock = afterFailure(this.#clock, request, this.#ofHost(failure), config, random);
    else if (outcome.status === 'response') this.#clock = afterAnswer(this.#clock, request, config);
    else this.#clock = afterNothing(this.#clock, request, config);
    this.#restForBytes();
  }

  get refusedUntil(): number {
    return this.#refusedUntil;
  }

  get paidUntil(): number {
    return this.#paidUntil;
  }

  pay(outcome: FetchOutcome): void {
    const rate = hostRate(this.#options.crawl.config);
    if (rate === undefined || !sentRequest(outcome)) return;
    this.#paidUntil = paidUntil(this.#paidUntil, outcome, receivedBytesOf(outcome), rate);
  }

  useSlot(): void {
    if (this.#wait?.for === 'crawlBytes') this.#wait = undefined;
  }

  /** Rests until the bytes would have come at the host's rate. For earlier turns this is a part of their rest. */
  #restForBytes(): void {
    const until = this.#paidUntil;
    if (until <= this.#clock.nextFetchAt) return;
    this.#wait = { for: 'bytes', until };
    this.postponeTo(until);
  }

  /**
   * The failure without a code that says something of this URL alone: a host that has answered HTTP before
   * speaks HTTP.
   */
  #ofHost(failure: HostFailure): HostFailure {
    const isOfUrl = failure.code === 'notHttp' && this.#options.counters.hasAnswered;
    return isOfUrl ? { ...failure, code: undefined } : failure;
  }

  /** Counts a failure of the host that no exchange shows. */
  fail(cause: Cause): void {
    const { clock } = this.#services.engine;
    const now = clock.now();
    const moment = { startedAt: now, endedAt: now };
    const failure = { cause, weight: 1 };
    this.#clock = afterFailure(this.#clock, moment, failure, this.#options.crawl.config, clock.random());
  }

  /**
   * The host's accounts may not be used before this time. The host itself does not rest: the operator may unlock an
   * account meanwhile, and resume the crawl.
   */
  waitForAccount(until: number): void {
    if (until - this.#services.engine.clock.now() <= SHORT_WAIT_MS) this.postponeTo(until);
    else this.#accountUntil = until;
  }

  get accountUntil(): number | undefined {
    return this.#accountUntil;
  }

  /** No request to the host starts before this time. */
  postponeTo(at: number): void {
    if (at > this.#clock.nextFetchAt) this.#clock = { ...this.#clock, nextFetchAt: at };
  }

  /** The host rests until then, as it has refused the crawler: only an operator ends that. It takes in links meanwhile. */
  restForRefusal(until: number): void {
    this.#refusedUntil = until;
  }

  /**
   * Sets the failures back to what they were: a redirect of robots.txt answers nothing yet, and an origin that does not
   * give its own nothing that helps, so both forgive none.
   */
  restoreFailures({ failures, cause, code }: Pick<HostClock, 'failures' | 'cause' | 'code'>): void {
    this.#clock = { ...this.#clock, failures, cause, ...(code !== undefined && { code }) };
  }

  /** Reports the host's back-off if its failures in a row have grown since the last call. */
  reportBackoff(): void {
    const { failures } = this.#clock;
    if (failures > this.#reportedFailures)
      this.#services.onEvent?.(backoffEventOf(this.#options.crawl.host, this.#clock));
    this.#reportedFailures = failures;
  }

  /** Whether failures of the host are not forgiven yet. */
  get isInTrouble(): boolean {
    return this.#clock.failures > 0;
  }

  /** Whether the host has failed `maxHostFailures` times in a row. */
  get isHopeless(): boolean {
    return isHopeless(this.#clock, this.#options.crawl.config);
  }

  giveUp(cause: Cause): void {
    this.#givenUp = { cause, at: this.#services.engine.clock.now() };
  }

  /**
   * Gives the host up if it has failed `maxHostFailures` times in a row; or already at its second try if the
   * crawl has not had an answer from any host, unless `keepTrying`: then a seed is misspelt, or this machine
   * has no network.
   */
  async giveUpIfHopeless(): Promise<void> {
    if (this.#givenUp) return;
    if (!this.isHopeless && !(await this.#hasNoAnswerAnywhere())) return;
    this.giveUp(causeOfGivingUp(this.#clock.cause));
  }

  async #hasNoAnswerAnywhere(): Promise<boolean> {
    const { crawl, counters } = this.#options;
    const { engine, stats } = this.#services;
    const { failures } = this.#clock;
    if (crawl.config.keepTrying || failures < FIRST_TRIES || counters.totals.requests < FIRST_TRIES)
      return false;
    if (stats.answers > 0 || counters.hasAnswered) return false;
    const { httpStatus } = await engine.registry.totals(crawl.id);
    return Object.keys(httpStatus).length === 0;
  }
}

/** A host that answers 429 again and again refuses the crawler. */
function causeOfGivingUp(cause: Cause = { code: 'hostFailed' }): Cause {
  const isOfRobots = cause.code === 'robotsStatus';
  if ((cause.code !== 'httpStatus' && !isOfRobots) || cause.httpStatus !== TOO_MANY) return cause;
  return { code: 'blocked', httpStatus: TOO_MANY, ...(isOfRobots && { at: 'robots' }) };
}

const TOO_MANY = 429;
