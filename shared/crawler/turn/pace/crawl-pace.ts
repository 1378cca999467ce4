import { receivedBytesOf } from '../../../core/frontier/byte-rate.ts';
import type { HostWait } from '../../../core/frontier/head.ts';
import type { Place } from '../../../core/frontier/rate-line.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** A slot that came this long ago is lost: others have had their time since, or the crawl was paused. */
export const LATE_MS = 120_000;

type Services = Pick<TurnServices, 'engine' | 'rates' | 'stopping'>;

/** Why requests to the host must wait: its slot comes then, or it has none and claims one then. */
export interface CrawlWait {
  readonly ms: number;
  /** The bytes that are reserved for its slot. */
  readonly bytes: number | undefined;
}

const placeAt = (at: number, bytes: number): Place => ({ at, from: at, bytes });

/**
 * The pace of a turn's host in a crawl that takes a certain number of bytes a second of all hosts
 * (`maxBytesPerSecond`): each request has a slot in the queue of all workers. If that comes later than the turn waits,
 * the host's head has it, so that any worker can use it.
 */
export class CrawlPace {
  readonly #services: Services;
  readonly #crawl: TurnCrawl;
  /** By the clock's `elapsed`. */
  #place: Place | undefined;
  /** The slot is one of this turn, not the one in its head. */
  #isNew = false;
  /** Claims for bytes beyond the expected ones, in progress or done. */
  readonly #settling: Promise<{ readonly error: unknown } | undefined>[] = [];

  constructor(services: Services, crawl: TurnCrawl, wait: HostWait | undefined) {
    this.#services = services;
    this.#crawl = crawl;
    if (wait?.for !== 'crawlBytes' || wait.bytes === undefined || !this.isOn) return;
    const ms = wait.until - services.engine.clock.now();
    if (ms > -LATE_MS) this.#place = placeAt(this.#elapsed() + ms, wait.bytes);
  }

  get isOn(): boolean {
    return this.#rate !== undefined;
  }

  /** Returns the reason of the host's wait; undefined: its slot has come. */
  async next(): Promise<CrawlWait | undefined> {
    const place = this.#place ?? (await this.#take());
    if ('askAgainMs' in place) return { ms: place.askAgainMs, bytes: undefined };
    const now = this.#elapsed();
    const ms = Math.ceil(Math.max(place.at - now, this.#line.waitMs(now)));
    if (ms > this.#crawl.config.turnMaxWaitMs) return { ms, bytes: place.bytes };
    // A short time is waited for in the line itself: it may become shorter.
    return undefined;
  }

  /**
   * Makes one exchange at the host's slot. Undefined: the slot comes too late. `begun` is to be called when the
   * exchange begins.
   */
  async run(
    latestAt: number,
    request: (begun: () => void) => Promise<FetchOutcome>,
    sentRequest: (outcome: FetchOutcome) => boolean,
  ): Promise<FetchOutcome | undefined> {
    const rate = this.#rate;
    if (rate === undefined) return undefined;
    const own = this.#place;
    this.#place = undefined;
    const { rates } = this.#services;
    const place = own ?? (await rates.take(this.#crawl.id, rate));
    if ('askAgainMs' in place) return undefined;
    const all = rates.lineOf(this.#crawl.id);
    const { line } = all;
    if (!(await this.#passes(place, rate, latestAt))) {
      line.giveBack(place, rate);
      return undefined;
    }
    let bytes: number | undefined;
    try {
      const outcome = await request(() => line.begun(this.#elapsed(), place, rate));
      if (sentRequest(outcome)) bytes = receivedBytesOf(outcome);
      return outcome;
    } finally {
      line.ended(this.#elapsed(), place, bytes, rate);
      all.wake?.abort();
      // The host's own rest is not to wait for it.
      if (line.owedMs > 0) this.#settle(rate);
    }
  }

  /** Waits until the bytes of all that began in this process before are paid. False: that is too late. */
  async #passes(place: Place, rate: number, lastAt: number): Promise<boolean> {
    const { engine, rates, stopping: signal } = this.#services;
    const { clock } = engine;
    const all = rates.lineOf(this.#crawl.id);
    const { line, gate } = all;
    const latestAt = Math.min(lastAt, clock.now() + this.#crawl.config.turnMaxWaitMs);
    const isLate = (ms: number) => clock.now() + ms > latestAt;
    const earlyMs = place.from - this.#elapsed();
    if (isLate(earlyMs)) return false;
    if (earlyMs > 0) await clock.sleep(earlyMs, signal);
    const deadline = { ms: latestAt - clock.now(), clock };
    const release = gate.tryAcquire() ?? (await gate.acquire(1, { signal, deadline }));
    try {
      for (;;) {
        const ms = line.waitMs(this.#elapsed());
        if (release === undefined || signal.aborted || isLate(ms)) return false;
        if (ms === 0) break;
        all.wake = new AbortController();
        await clock.sleep(ms, AbortSignal.any([signal, all.wake.signal]));
      }
      line.join(this.#elapsed(), place, rate);
      return true;
    } finally {
      release?.();
    }
  }

  /** At the turn's end. `isKept`: the host's head has its slot. */
  async end(isKept: boolean): Promise<void> {
    const place = this.#place;
    const rate = this.#rate;
    this.#place = undefined;
    if (place && rate !== undefined && this.#isNew && !isKept) this.#line.giveBack(place, rate);
    for (const failed of await Promise.all(this.#settling.splice(0))) if (failed) throw failed.error;
  }

  #settle(rate: number): void {
    const settled = this.#services.rates.settle(this.#crawl.id, rate);
    this.#settling.push(
      settled.then(
        () => undefined,
        (error: unknown) => ({ error }),
      ),
    );
  }

  async #take(): Promise<Place | { readonly askAgainMs: number }> {
    const place = await this.#services.rates.take(this.#crawl.id, this.#rate as number);
    if ('askAgainMs' in place) return place;
    // A concurrent request of the turn has got a slot meanwhile.
    if (this.#place !== undefined) {
      this.#line.giveBack(place, this.#rate as number);
      return this.#place;
    }
    this.#place = place;
    this.#isNew = true;
    return place;
  }

  get #rate(): number | undefined {
    return this.#crawl.config.maxBytesPerSecond;
  }

  get #line() {
    return this.#services.rates.lineOf(this.#crawl.id).line;
  }

  #elapsed(): number {
    const { clock } = this.#services.engine;
    return (clock.elapsed ?? clock.now)();
  }
}
