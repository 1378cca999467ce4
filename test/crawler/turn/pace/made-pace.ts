import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/crawl-options.ts';
import { createHostConfigs } from '../../../../shared/core/crawl/host-config.ts';
import { type Head, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { mayHaveReached } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { HostPace, type HostPaceOptions } from '../../../../shared/crawler/turn/pace/host-pace.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';

/** The world of a pace. */
export interface Given {
  readonly head?: Partial<Head>;
  readonly config?: CrawlOptions;
  readonly lanesRestUntil?: number;
  readonly leaseMs?: number;
  readonly endByMs?: number;
  /** By load of the record. The last one stays. */
  readonly statuses?: readonly string[];
  /** The settings of the record that is loaded already. Default: it has to be loaded. */
  readonly fresh?: CrawlOptions;
  readonly isRunning?: boolean;
  /** Whether the crawl runs, by question. Then `isRunning`. */
  readonly runs?: readonly boolean[];
  readonly requests?: number;
  readonly answers?: number;
  readonly hasAnswered?: boolean;
  readonly httpStatus?: Readonly<Record<string, number>>;
  /** How long the lanes keep the request waiting. */
  readonly waitMs?: number;
  /** How long a lock takes. */
  readonly lockMs?: number;
  /** The lanes refuse the request. */
  readonly isRefused?: boolean;
  readonly outcome?: object;
  /** By request. Then `outcome`. */
  readonly outcomes?: readonly object[];
}

/** A pace over lanes, a fetcher and a lease that write down what they are asked. */
export function paceOf({
  head = {},
  config = {},
  lanesRestUntil = 0,
  leaseMs = 600_000,
  endByMs = 600_000,
  statuses = ['running'],
  fresh,
  isRunning = true,
  requests = 9,
  answers = 0,
  hasAnswered = false,
  httpStatus = {},
  waitMs = 0,
  lockMs = 0,
  isRefused = false,
  outcome = { status: 'response', httpStatus: 200, body: {} },
  outcomes = [],
  runs = [],
}: Given = {}) {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const said: unknown[] = [];
  const events: unknown[] = [];
  const [first, ...later] = statuses;
  const [runsLeft, outcomesLeft] = [[...runs], [...outcomes]];
  const counted: unknown[] = [];
  const services = {
    engine: {
      clock: { ...clock, random: () => 0.5 },
      registry: { isShared: true, totals: async () => ({ httpStatus: { ...httpStatus } }) },
    },
    stats: { answers },
    lanes: {
      restUntil: () => lanesRestUntil,
      restAfterLast: (host: string, ms: number) => said.push(['rest', host, ms]),
      async run(host: string, spacing: object, request: () => Promise<unknown>, wasMade: unknown) {
        const { signal, ...times } = spacing as { signal: AbortSignal };
        said.push(['lane', host, times, signal === stopping.signal, wasMade === mayHaveReached]);
        await clock.advance(waitMs);
        return isRefused ? undefined : request();
      },
    },
    fetcherOf: (crawl: string) => ({
      async fetch({ signal, ...request }: { signal: AbortSignal }) {
        said.push(['fetch', crawl, request, signal === stopping.signal]);
        return outcomesLeft.shift() ?? outcome;
      },
    }),
    stopping: stopping.signal,
    onEvent: (event: unknown) => events.push(event),
  } as unknown as TurnServices;
  const configOf = (more: CrawlOptions) =>
    createHostConfigs(parseConfig({ adaptive: false, delayMs: 1000, totalTimeoutMs: 5000, ...more }))(
      'a.test',
    );
  let isLoaded = false;
  const crawl = {
    id: 'c',
    host: 'a.test',
    everywhere: 'the crawl',
    config: configOf(config),
    status: first,
    async current() {
      if (isLoaded) this.status = later.shift() ?? this.status;
      isLoaded = true;
    },
    isCurrent() {
      if (fresh) this.config = configOf({ ...config, ...fresh });
      return fresh !== undefined;
    },
    isRunning: async () => runsLeft.shift() ?? isRunning,
  };
  const options = {
    crawl,
    counters: { totals: { requests }, hasAnswered, countExchange: (one: unknown) => counted.push(one) },
    quarantine: {
      async watch<T>(work: () => Promise<T>) {
        said.push('watched');
        return work();
      },
    },
    lease: {
      endsAt: T0 + leaseMs,
      async lockFor(ms: number) {
        await clock.advance(lockMs);
        said.push(['lock', ms]);
      },
    },
    access: NO_ACCESS,
    endBy: () => T0 + endByMs,
    lastRequestAt: T0 + leaseMs,
  } as unknown as HostPaceOptions;
  const pace = new HostPace(services, { ...NEW_HEAD, ...head }, options);
  return { pace, clock, stopping, said, events, counted };
}

export const NO_ACCESS = { isOn: false };

/** A response that took this time, after the start of the world. */
export const answered = (startedMs: number, endedMs: number, more = {}) =>
  ({ status: 'response', startedAt: T0 + startedMs, endedAt: T0 + endedMs, ...more }) as never;
