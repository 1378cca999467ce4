import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { type Attempt, billedUnits, callName, takesReturnConsumedCapacity } from './billed-units.ts';
import { LINE_ITEMS, type LineItem, type Usage } from './prices.ts';

/**
 * Counts this process's use of AWS in billed units, by crawl. The results of `take` add up to the whole use, also with
 * concurrent calls; counts after a process's last `take` are lost with it.
 */
export interface Meter {
  /** Counts every attempt of every call that the client makes from now on. Once for each client. */
  watch(client: DynamoDBClient | S3Client | SQSClient): void;
  /** Charges the crawl for all that `work` uses; within it, another `run` may name another crawl. */
  run<T>(crawl: CrawlId, work: () => T): T;
  /** Adds what no client shows; without a crawl, to that of the `run` it happens in, if any. */
  add(item: LineItem, units: number, crawl?: CrawlId): void;
  /**
   * From here to `endInvocation`, time is paid for. `startedAt` may be earlier than now: the first invocation
   * of a Lambda environment pays for its start, too (since 2025-08). Time that an earlier invocation paid for
   * is not counted again.
   */
  beginInvocation(startedAt?: number): void;
  endInvocation(): void;
  /**
   * Returns the usage since the last `take`, and resets it. Usage outside of any `run` is divided by how
   * often each crawl used something in that time; if none did, by the shares earlier in the invocation; if
   * none did then either, it waits for the first crawl that does.
   */
  take(): Map<CrawlId, Usage>;
  /**
   * Returns the usage since the last `takeTotal`, of all crawls and of none: the same units as `take` gives,
   * counted separately.
   */
  takeTotal(): Usage;
  /** As above, since the last `takeSpent`: for the cost of the day. */
  takeSpent(): Usage;
  /**
   * Attempts since the last `takeCalls`, of all crawls, by call: `sqsFifo.SendMessageBatch`,
   * `dynamo.PutItem`, ...
   */
  takeCalls(): Record<string, number>;
}

export interface MeterOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Memory of this Lambda function; 0: time costs nothing. */
  readonly memoryMb?: number;
}

type Units = Partial<Record<LineItem, number>>;

/**
 * The crawl that pays for current calls, and its meter. A single storage serves all meters of a process:
 * every context holds a copy of the entries of all storages, so one for each meter would make all contexts
 * larger.
 */
const payer = new AsyncLocalStorage<{ readonly meter: object; readonly crawl: CrawlId }>();

export const createMeter = (options: MeterOptions): Meter => boundMethods<Meter>(new UsageMeter(options));

class UsageMeter implements Meter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #memoryMb: number;
  #byCrawl = new Map<CrawlId, Units>();
  #shared: Units = {};
  /** How often each crawl used something: since the last `take`, and in the last time that any did. */
  #uses = new Map<CrawlId, number>();
  #earlierUses = new Map<CrawlId, number>();
  /** All that was used, and what of it was taken. */
  #total: Units = {};
  #takenAsTotal: Units = {};
  #takenAsSpent: Units = {};
  #calls: Record<string, number> = {};
  /** Up to when time is accounted for; and whether an invocation continues. */
  #accountedUntil = Number.NEGATIVE_INFINITY;
  #isInvoked = false;

  constructor({ clock, memoryMb = 0 }: MeterOptions) {
    this.#clock = clock;
    this.#memoryMb = memoryMb;
  }

  watch(client: Parameters<Meter['watch']>[0]): void {
    watch(client, (attempt) => this.#record(attempt));
  }

  run<T>(crawl: CrawlId, work: () => T): T {
    return payer.run({ meter: this, crawl }, work);
  }

  add(item: LineItem, units: number, crawl?: CrawlId): void {
    this.#add({ [item]: units }, crawl);
  }

  beginInvocation(startedAt: number = this.#clock.now()): void {
    // An interval that never ended, as it failed, is not known to have continued until now.
    this.#accountedUntil = Math.max(this.#accountedUntil, startedAt);
    this.#isInvoked = true;
    this.#earlierUses = new Map();
    this.#addShared({ lambdaRequests: 1 });
  }

  endInvocation(): void {
    this.#accountTime();
    this.#isInvoked = false;
  }

  take(): Map<CrawlId, Usage> {
    this.#accountTime();
    if (this.#uses.size > 0) this.#earlierUses = this.#uses;
    const taken = this.#byCrawl;
    if (this.#earlierUses.size > 0) {
      for (const [crawl, part] of shareOut(this.#shared, this.#earlierUses)) {
        const units = taken.get(crawl) ?? {};
        addTo(units, part);
        taken.set(crawl, units);
      }
      this.#shared = {};
    }
    this.#byCrawl = new Map();
    this.#uses = new Map();
    return taken;
  }

  takeTotal(): Usage {
    this.#accountTime();
    const taken = minus(this.#total, this.#takenAsTotal);
    this.#takenAsTotal = { ...this.#total };
    return taken;
  }

  takeSpent(): Usage {
    this.#accountTime();
    const taken = minus(this.#total, this.#takenAsSpent);
    this.#takenAsSpent = { ...this.#total };
    return taken;
  }

  takeCalls(): Record<string, number> {
    const taken = this.#calls;
    this.#calls = {};
    return taken;
  }

  #record(attempt: Attempt): void {
    const name = callName(attempt);
    this.#calls[name] = (this.#calls[name] ?? 0) + 1;
    this.#add(billedUnits(attempt));
  }

  #add(usage: Usage, crawl = this.#payingCrawl()): void {
    if (crawl === undefined) {
      this.#addShared(usage);
      return;
    }
    addTo(this.#total, usage);
    const units = this.#byCrawl.get(crawl) ?? {};
    addTo(units, usage);
    this.#byCrawl.set(crawl, units);
    this.#uses.set(crawl, (this.#uses.get(crawl) ?? 0) + 1);
  }

  #addShared(usage: Usage): void {
    addTo(this.#total, usage);
    addTo(this.#shared, usage);
  }

  #payingCrawl(): CrawlId | undefined {
    const current = payer.getStore();
    return current?.meter === this ? current.crawl : undefined;
  }

  #accountTime(): void {
    if (!this.#isInvoked) return;
    const elapsedMs = Math.max(0, Math.ceil(this.#clock.now() - this.#accountedUntil));
    this.#accountedUntil += elapsedMs;
    this.#addShared({ lambdaMbMs: elapsedMs * this.#memoryMb });
  }
}

function addTo(units: Units, more: Usage): void {
  for (const name in more) {
    const item = name as LineItem;
    if (more[item]) units[item] = (units[item] ?? 0) + more[item];
  }
}

function minus(units: Usage, less: Usage): Units {
  const left: Units = {};
  for (const item of LINE_ITEMS) {
    const difference = (units[item] ?? 0) - (less[item] ?? 0);
    if (difference !== 0) left[item] = difference;
  }
  return left;
}

/**
 * Parts of the usage in proportion to the weights, in whole units but for one of them: they add up exactly.
 */
function shareOut(usage: Usage, weights: ReadonlyMap<CrawlId, number>): Map<CrawlId, Units> {
  const parts = new Map<CrawlId, Units>();
  let total = 0;
  for (const weight of weights.values()) total += weight;
  let before = 0;
  for (const [crawl, weight] of weights) {
    const part: Units = {};
    for (const item of LINE_ITEMS) {
      const units = usage[item];
      if (!units) continue;
      const upTo = (sum: number) => (sum === total ? units : Math.floor((units * sum) / total));
      const share = upTo(before + weight) - upTo(before);
      if (share !== 0) part[item] = share;
    }
    if (Object.keys(part).length > 0) parts.set(crawl, part);
    before += weight;
  }
  return parts;
}

/** All clients have the same kind of middleware stack, typed by their own commands. */
type Stack = DynamoDBClient['middlewareStack'];

function watch({ middlewareStack }: Parameters<Meter['watch']>[0], record: (attempt: Attempt) => void): void {
  const stack = middlewareStack as unknown as Stack;
  stack.add(
    (next, { commandName }) =>
      (args) =>
        next(
          takesReturnConsumedCapacity(commandName)
            ? { ...args, input: { ReturnConsumedCapacity: 'TOTAL', ...args.input } }
            : args,
        ),
    { step: 'initialize', name: 'askConsumedCapacity', override: true },
  );
  stack.add(
    (next, { clientName = '', commandName = '' }) =>
      async (args) => {
        const call = { clientName, commandName, input: args.input };
        try {
          const result = await next(args);
          record({ ...call, output: result.output });
          return result;
        } catch (error) {
          record({ ...call, error });
          throw error;
        }
      },
    // Within the SDK's own retries.
    { step: 'finalizeRequest', priority: 'low', name: 'meter', override: true },
  );
}
