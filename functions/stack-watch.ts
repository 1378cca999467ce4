import type { SQSClient } from '@aws-sdk/client-sqs';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { HostTotals } from '../shared/core/frontier/host-totals.ts';
import { countsAgainstHost } from '../shared/core/frontier/verdict.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlTotals } from '../shared/crawler/ports/crawl-registry.ts';
import { countMessages } from '../shared/engines/aws/queues/sqs-queue.ts';
import { withRetry } from '../shared/engines/aws/retry.ts';
import type {
  AttentionNotes,
  Figures,
  Sample,
  WatchState,
} from '../shared/engines/aws/state/attention-notes.ts';
import { type Attention, REPEAT_MS, type Trouble } from './attention.ts';

export interface StackWatchOptions {
  readonly now: () => number;
  readonly attention: Attention;
  readonly notes: AttentionNotes;
  /** Returns how many messages the dead-letter queue of that trouble keeps. */
  readonly deadLetters: (trouble: 'DeadTurns' | 'DeadLinks') => Promise<number>;
  /** US dollars of all crawls in an hour; none: no limit. */
  readonly maxCostPerHour?: number | undefined;
}

/** Time between two looks. */
const LOOK_MS = 300_000;
/** The waker runs once a minute, by a clock that is not exact. */
const EARLY_MS = 20_000;
const HOUR_MS = 3_600_000;
/** The share of a sample's requests that may count against hosts, if there are enough requests. */
const ERROR_RATIO = 0.5;
const MIN_REQUESTS = 200;
/** The ratio is too high in this number of samples in a row. */
const BAD_SAMPLES = 3;
/** Crawls whose figures are remembered: they are one item. */
const MAX_CRAWLS = 2000;

/** Returns a function that counts the messages of a dead-letter queue. */
export function countDead(
  client: Pick<SQSClient, 'send'>,
  urls: Readonly<Record<'DeadTurns' | 'DeadLinks', string>>,
  clock: Clock,
): StackWatchOptions['deadLetters'] {
  return (trouble) =>
    withRetry('counting dead letters', () => countMessages(client, urls[trouble]), { clock });
}

type Found = Partial<Record<Trouble, Readonly<Record<string, unknown>>>>;
/** The queues that are watched. Functions that meet a newer format announce that themselves. */
const WATCHED = ['DeadTurns', 'DeadLinks', 'ErrorRatio', 'Spend'] as const satisfies readonly Trouble[];

/** The totals of a crawl that are watched. */
export type WatchedTotals = Pick<HostTotals, 'requests' | 'errors' | 'httpStatus'> &
  Pick<CrawlTotals, 'cost' | 'activeMs'>;

/** Looks every five minutes for troubles of the whole stack, and announces them. */
export class StackWatch {
  readonly #options: StackWatchOptions;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #state: WatchState | undefined;
  /** When each trouble was announced that has not ended since. */
  #announced: Map<string, number> | undefined;
  /** The crawls that were looked at since the last sample. */
  readonly #noted = new Map<CrawlId, WatchedTotals>();

  constructor(options: StackWatchOptions) {
    this.#options = options;
  }

  /** Adds a crawl's use so far. A resting crawl uses nothing, and needs no note. */
  note(crawl: CrawlId, totals: WatchedTotals): void {
    this.#noted.set(crawl, totals);
  }

  /** Reads nothing between two looks. */
  async look(): Promise<void> {
    const now = this.#options.now();
    if (Math.abs(now - this.#lookedAt) < LOOK_MS - EARLY_MS) return;
    if (!this.#announced) {
      const { state, announced } = await this.#options.notes.load();
      this.#announced = new Map(announced);
      this.#state = state;
    }
    const announced = this.#announced;
    await this.#sample(now);
    const found = await this.#troubles(now);
    for (const trouble of WATCHED) await this.#settle(trouble, found[trouble], announced);
    this.#lookedAt = now;
  }

  async #settle(trouble: Trouble, fields: Found[Trouble], announced: Map<string, number>): Promise<void> {
    const { attention, notes, now } = this.#options;
    const last = announced.get(trouble);
    if (fields === undefined) {
      if (last !== undefined) await notes.forget(trouble);
      announced.delete(trouble);
    } else if (last === undefined || now() - last >= REPEAT_MS) {
      await attention.announce(trouble, fields);
      announced.set(trouble, now());
    }
  }

  /** Adds a sample if the last one is old enough, and something ran since. */
  async #sample(now: number): Promise<void> {
    const before = this.#state;
    if (before && Math.abs(now - before.at) < LOOK_MS - EARLY_MS) return;
    if (this.#noted.size === 0 && before) return;
    const known = new Map(Object.entries(before?.crawls ?? {}));
    const crawls = new Map<CrawlId, Figures>();
    let sum: Figures = [0, 0, 0];
    for (const [id, totals] of this.#noted) {
      const figures = figuresOf(totals);
      // A crawl that is new has used all of it since the last look.
      const isNew = before !== undefined && totals.activeMs <= now - before.at;
      sum = plus(sum, minus(figures, known.get(id) ?? (isNew ? [0, 0, 0] : figures)));
      if (crawls.size < MAX_CRAWLS) crawls.set(id, figures);
    }
    this.#noted.clear();
    const samples = (before?.samples ?? []).filter(({ at }) => at <= now && now - at < HOUR_MS);
    this.#state = {
      at: now,
      crawls: Object.fromEntries(crawls),
      samples: [...samples, { at: now, figures: sum }],
    };
    await this.#options.notes.store(this.#state);
  }

  async #troubles(now: number): Promise<Found> {
    const { deadLetters, maxCostPerHour = Number.POSITIVE_INFINITY } = this.#options;
    const found: Found = {};
    for (const trouble of ['DeadTurns', 'DeadLinks'] as const) {
      const messages = await deadLetters(trouble);
      if (messages > 0) found[trouble] = { messages };
    }
    const samples = (this.#state?.samples ?? []).filter(({ at }) => now - at < HOUR_MS);
    const [requests, errors, cost] = samples.reduce<Figures>(
      (sum, { figures }) => plus(sum, figures),
      [0, 0, 0],
    );
    if (cost > maxCostPerHour) found.Spend = { dollars: Number(cost.toFixed(2)), maxCostPerHour };
    if (isFailing(samples, now)) found.ErrorRatio = { requests, errors };
    return found;
  }
}

/** Whether most requests failed in each of the last samples. */
function isFailing(samples: readonly Sample[], now: number): boolean {
  const last = samples.slice(-BAD_SAMPLES);
  const isRecent = now - (last[0]?.at ?? 0) < (BAD_SAMPLES + 1) * LOOK_MS;
  const isBad = ({ figures: [requests, errors] }: Sample) =>
    requests > MIN_REQUESTS && errors / requests > ERROR_RATIO;
  return last.length === BAD_SAMPLES && isRecent && last.every(isBad);
}

/** Errors that no host has to answer for: those of the project's hooks, and addresses that are refused. */
const NOT_OF_HOSTS: ReadonlySet<string> = new Set([
  'middleware',
  'blockedAddress',
  'blockedPort',
  'blocked',
  'extraction',
  'onPage',
]);

function figuresOf({ requests, errors, httpStatus, cost = 0 }: WatchedTotals): Figures {
  let failed = 0;
  for (const reason in errors) if (!NOT_OF_HOSTS.has(reason)) failed += errors[reason] as number;
  for (const status in httpStatus)
    if (countsAgainstHost(Number(status))) failed += httpStatus[status] as number;
  return [requests, failed, cost];
}

const plus = (a: Figures, b: Figures): Figures => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a: Figures, b: Figures): Figures => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
