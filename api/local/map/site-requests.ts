/** Requests to a few hosts, one after the other, each at its host's pace. */

import type { Cause } from '../../../shared/core/causes/cause.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import { createHostConfigs } from '../../../shared/core/crawl/host-config.ts';
import { allowedFrom, hoursText } from '../../../shared/core/crawl/host-hours.ts';
import {
  afterAnswer,
  afterFailure,
  type EndedRequest,
  FRESH_CLOCK,
  type HostClock,
  type HostFailure,
  isHopeless,
} from '../../../shared/core/frontier/politeness.ts';
import { judge } from '../../../shared/core/frontier/verdict.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { type HostKey, hostKey } from '../../../shared/core/url/host-key.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { retryAfterOf } from '../../../shared/crawler/turn/response-headers.ts';
import { PageNotRead } from '../page-not-read.ts';

/** A host that wants a longer rest is not requested again: somebody waits for the answer. */
const MAX_REST_MS = 60_000;
const FIRST_TRY = { attempts: 0 };

export interface SiteRequestsOptions {
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly config: CrawlConfig;
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random'>;
  readonly signal?: AbortSignal | undefined;
}

export class SiteRequests {
  readonly #options: SiteRequestsOptions;
  readonly #configOf: ReturnType<typeof createHostConfigs>;
  readonly #clocks = new Map<HostKey, HostClock>();
  /** As robots.txt of the host says. */
  readonly #crawlDelays = new Map<HostKey, number>();
  /** Durations of the answers, in milliseconds. */
  readonly durations: number[] = [];

  constructor(options: SiteRequestsOptions) {
    this.#options = options;
    this.#configOf = createHostConfigs(options.config);
  }

  /** Returns the least time between two requests to the host. */
  delayOf(host: HostKey): number {
    const { delayMs, maxCrawlDelayMs } = this.#configOf(host);
    return Math.max(delayMs, Math.min(this.#crawlDelays.get(host) ?? 0, maxCrawlDelayMs));
  }

  /** The host's next request keeps to this delay, too. */
  setCrawlDelay(host: HostKey, ms: number): void {
    this.#crawlDelays.set(host, Math.max(ms, this.#crawlDelays.get(host) ?? 0));
    const clock = this.#clocks.get(host);
    if (clock === undefined) return;
    const nextFetchAt = Math.max(clock.nextFetchAt, this.#options.clock.now() + this.delayOf(host));
    this.#clocks.set(host, { ...clock, nextFetchAt });
  }

  /**
   * Makes the request when its host may be requested. Throws {@link PageNotRead} if that is too late, and the reason of
   * the signal.
   */
  async exchange(request: FetchRequest): Promise<FetchOutcome> {
    const { fetcher, signal } = this.#options;
    const host = hostKey(request.url);
    await this.#waitFor(host, request.url);
    const outcome = await fetcher.fetch({ ...request, ...(signal && { signal }) });
    if (signal?.aborted && outcome.status === 'response') await outcome.body.dispose();
    signal?.throwIfAborted();
    this.#count(host, outcome);
    return outcome;
  }

  async #waitFor(host: HostKey, url: string): Promise<void> {
    const { clock, signal } = this.#options;
    signal?.throwIfAborted();
    const config = this.#configOf(host);
    const known = this.#clocks.get(host) ?? FRESH_CLOCK;
    const now = clock.now();
    if (isHopeless(known, config))
      throw new PageNotRead(`${url} was not requested: ${failureOf(known.cause)}`);
    const at = allowedFrom(config, Math.max(now, known.nextFetchAt));
    if (at - now <= MAX_REST_MS + this.delayOf(host)) {
      await clock.sleep(at - now, signal);
      signal?.throwIfAborted();
      return;
    }
    const why =
      allowedFrom(config, now) > now ? `its hours are ${hoursText(config)}` : failureOf(known.cause);
    throw new PageNotRead(`${url} was not requested: ${why}`);
  }

  #count(host: HostKey, outcome: FetchOutcome): void {
    const { clock, config } = this.#options;
    const { startedAt, endedAt } = outcome;
    const request: EndedRequest = { startedAt, endedAt, crawlDelayMs: this.#crawlDelays.get(host) ?? 0 };
    const known = this.#clocks.get(host) ?? FRESH_CLOCK;
    const failure = this.#failureOf(outcome);
    if (!failure) this.durations.push(endedAt - startedAt);
    this.#clocks.set(
      host,
      failure
        ? afterFailure(known, request, failure, config, clock.random())
        : afterAnswer(known, request, this.#configOf(host)),
    );
  }

  #failureOf(outcome: FetchOutcome): HostFailure | undefined {
    const { config, clock } = this.#options;
    return judge(outcome, FIRST_TRY, config, retryAfterOf(outcome, clock.now())).hostFailure;
  }
}

const failureOf = (cause: Cause | undefined): string =>
  cause === undefined ? 'its host rests' : `its host rests after a failure (${causeText(cause)})`;
