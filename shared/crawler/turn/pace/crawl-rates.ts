import { Semaphore } from '../../../core/base/semaphore.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { claimTime, MAX_AHEAD_MS, RATE_NAME } from '../../../core/frontier/crawl-rate.ts';
import { type Place, RateLine } from '../../../core/frontier/rate-line.ts';
import type { Engine } from '../../ports/engine.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';
import type { DomainHeads } from '../links/domain-heads.ts';

/** The requests of a process in a crawl that takes a certain number of bytes a second. */
export interface CrawlLine {
  readonly line: RateLine;
  /** Requests whose slots have come begin one after the other: each when the bytes of those before it are paid. */
  readonly gate: Semaphore;
  /** Ends the sleep of the next request: the one before may have had fewer bytes than expected. */
  wake?: AbortController;
}

/** The bytes a second of crawls, of which a worker claims some time at once. */
export interface CrawlRates {
  lineOf(crawl: CrawlId): CrawlLine;
  /** A slot by the clock's `elapsed`, or in how many ms to claim again. */
  take(crawl: CrawlId, bytesPerSecond: number): Promise<Place | { readonly askAgainMs: number }>;
  /** Claims at once what the worker has used already without having claimed it. */
  settle(crawl: CrawlId, bytesPerSecond: number): Promise<void>;
}

interface CrawlRatesContext {
  readonly domains: Pick<DomainHeads, 'change'>;
  readonly clock: Pick<Engine['clock'], 'now' | 'elapsed' | 'random'>;
  /** The lines of the process. */
  readonly lines: Map<CrawlId, CrawlLine>;
}

/** Other processes write at the same time. */
const CONTENDED_MS = 2000;
const MAX_TRIES = 6;

export function createCrawlRates({ domains, clock, lines }: CrawlRatesContext): CrawlRates {
  const elapsed = clock.elapsed ?? clock.now;
  /** The claim in progress of each crawl: it resolves to the time of the next try, if nothing was left. */
  const claiming = new Map<CrawlId, Promise<number | undefined>>();

  function lineOf(crawl: CrawlId): CrawlLine {
    const line = lines.get(crawl) ?? { line: new RateLine(), gate: new Semaphore(1) };
    lines.set(crawl, line);
    return line;
  }

  /** Claims do not overlap. */
  function claim(crawl: CrawlId, bytesPerSecond: number, isOwed: boolean): Promise<number | undefined> {
    const claimed = claimNow(crawl, bytesPerSecond, isOwed).finally(() => claiming.delete(crawl));
    claiming.set(crawl, claimed);
    return claimed;
  }

  async function claimNow(crawl: CrawlId, bytesPerSecond: number, isOwed: boolean) {
    const { line } = lineOf(crawl);
    const ms = isOwed ? line.owedMs : line.claimMs(elapsed(), bytesPerSecond);
    let from: number | undefined;
    try {
      from = await domains.change(
        crawl,
        RATE_NAME,
        (state) => {
          const claimed = claimTime(state.rate, { now: clock.now(), bytesPerSecond, ms, isOwed });
          return { ...(claimed.rate && { state: { ...state, rate: claimed.rate } }), result: claimed.from };
        },
        MAX_TRIES,
      );
    } catch (error) {
      // A debt is a part of the next claim.
      if (!(error instanceof StaleTurn)) throw error;
      return CONTENDED_MS;
    }
    // Requests without a slot must not all claim at once.
    if (from === undefined) return MAX_AHEAD_MS * (0.5 + 0.5 * clock.random());
    if (isOwed) line.settled(ms);
    else line.add(ms, elapsed() + Math.max(0, from - clock.now()));
    return undefined;
  }

  return {
    lineOf,
    async take(crawl, bytesPerSecond) {
      const { line } = lineOf(crawl);
      for (;;) {
        const place = line.take(elapsed(), bytesPerSecond);
        if (place === 'far') return { askAgainMs: Math.ceil(MAX_AHEAD_MS * (0.5 + 0.5 * clock.random())) };
        if (place) return place;
        const askAgainMs = await (claiming.get(crawl) ?? claim(crawl, bytesPerSecond, false));
        if (askAgainMs !== undefined) return { askAgainMs: Math.ceil(askAgainMs) };
      }
    },
    async settle(crawl, bytesPerSecond) {
      const { line } = lineOf(crawl);
      while (line.owedMs > 0) {
        const other = claiming.get(crawl);
        if ((await (other ?? claim(crawl, bytesPerSecond, true))) !== undefined) return;
      }
    },
  };
}
