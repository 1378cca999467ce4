import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { sizesOf } from '../shared/core/base/sizes.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import { NewerFormat } from '../shared/core/frontier/bytes.ts';
import type { Crawls } from '../shared/crawler/crawl-state/crawls.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { Engine } from '../shared/crawler/ports/engine.ts';
import { withoutCrowds } from '../shared/crawler/routing/crowded-domains.ts';
import { deliverLinks, gatherLinks } from '../shared/crawler/routing/router.ts';
import { wakeResumed } from '../shared/crawler/routing/waker.ts';
import { polledRequests } from '../shared/engines/aws/cost/billed-units.ts';
import { newerAgainS } from '../shared/engines/aws/queues/delivery.ts';
import { type LinkMessage, parseLinkText, wakeAllText } from '../shared/engines/aws/queues/link-message.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { InvalidCursor } from '../shared/engines/aws/state/host-page.ts';
import type { Control } from '../shared/services/control/control.ts';
import { sourceIn } from './event-source.ts';
import { errorFields, type Log } from './log.ts';
import { parcelFault } from './parcel-fault.ts';
import { type SeedRecord, takeSeeds } from './router-seeds.ts';
import { invoked } from './stack.ts';
import { startingWorkers } from './start-workers.ts';
import type { ReportNewer } from './unread-messages.ts';

export interface RouterDeps {
  readonly settings: Pick<StackSettings, 'defaultCrawl' | 'linkQueueUrl' | 'linkShardUrls' | 'hasHooks'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: RouterStack;
  readonly control: Pick<Control, 'seed'>;
  /** Kept over the invocations. */
  readonly crawls: Crawls;
  /** Puts a message that cannot be worked on where people find it, with the reason. */
  readonly deadLetter: (body: string, reason: string) => Promise<void>;
  /** Hides a message of that queue for that time. */
  readonly park: (queueUrl: string, record: SQSRecord, seconds: number) => Promise<void>;
  readonly reportNewer: ReportNewer;
}

export interface RouterStack extends Pick<OpenedStack, 'meter' | 'flushMeter'> {
  readonly engine: Pick<Engine, 'queue' | 'sizes'> & {
    readonly workers: OpenedStack['engine']['workers'];
    readonly ledgers: Pick<OpenedStack['engine']['ledgers'], 'hostPage' | 'loadHead' | 'commit'>;
    readonly exchange: OpenedStack['engine']['exchange'];
    readonly linkShards: OpenedStack['engine']['linkShards'];
  };
}

/** Messages that are not begun this long before the end come again. */
const END_MS = 10_000;

/** No process of the stack has sent the message: callers that may send seeds can send it, too. */
class InvalidWake extends Error {
  override name = 'InvalidWake';
}

type Parcel = Extract<LinkMessage, { kind: 'parcel' }> & { readonly record: SQSRecord };
type WakeAll = Extract<LinkMessage, { kind: 'wakeAll' }>;

interface Wake {
  readonly record: SQSRecord;
  readonly message: WakeAll;
}

interface SortedMessages {
  readonly parcels: readonly Parcel[];
  readonly seeds: readonly SeedRecord[];
  readonly wakes: readonly Wake[];
}

/**
 * Routes links to their hosts, takes seeds in, wakes the hosts of a crawl. What cannot be understood goes to
 * the dead letters at once, and counts as done. What fails by our own fault comes again, and nothing else
 * does.
 */
export function createRouterHandler(deps: RouterDeps) {
  const { stack, clock, log } = deps;
  const { queue, startWorkers } = startingWorkers(stack.engine.queue, stack.engine.workers, log);
  const starting: RouterDeps = { ...deps, stack: { ...stack, engine: { ...stack.engine, queue } } };
  return (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> =>
    invoked(stack, { clock, log, context }, async () => {
      stack.meter.add('sqsStandardRequests', polledRequests(event.Records.map(({ body }) => body)));
      const failed = await new RouterEvent(starting, event, () =>
        context.getRemainingTimeInMillis(),
      ).handle();
      await startWorkers();
      return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
    });
}

/** Handles an event of the router function. */
class RouterEvent {
  readonly #deps: RouterDeps;
  readonly #records: readonly SQSRecord[];
  readonly #isOfShard: boolean;
  readonly #queueUrl: string;
  readonly #timeLeft: () => number;
  readonly #failed = new Set<string>();

  constructor(deps: RouterDeps, event: SQSEvent, timeLeft: () => number) {
    this.#deps = deps;
    this.#records = event.Records;
    const { linkShardUrls, linkQueueUrl } = deps.settings;
    const shardUrl = sourceIn(linkShardUrls, event);
    this.#isOfShard = shardUrl !== undefined;
    this.#queueUrl = shardUrl ?? linkQueueUrl;
    this.#timeLeft = timeLeft;
  }

  /** Returns the ids of the messages that must come again. */
  async handle(): Promise<ReadonlySet<string>> {
    const { parcels, seeds, wakes } = await this.#sort();
    // Each crawl's by itself: one that cannot be read holds up no other.
    for (const [crawl, some] of Map.groupBy(parcels, ({ outLinks }) => outLinks.crawl)) {
      await this.#attempt(
        some.map(({ record }) => record),
        () => this.#route(crawl, some),
      );
    }
    const { control, log } = this.#deps;
    await takeSeeds(seeds, {
      control,
      log,
      attempt: (records, work) => this.#attempt(records, work),
      refuse: (record, reason) => this.#refuse(record, reason),
    });
    for (const wake of wakes) await this.#attempt([wake.record], () => this.#wakeOrRefuse(wake));
    return this.#failed;
  }

  /** The messages by kind. Unknown messages are refused. */
  async #sort(): Promise<SortedMessages> {
    const parcels: Parcel[] = [];
    const seeds: SeedRecord[] = [];
    const wakes: Wake[] = [];
    for (const record of this.#records) {
      const message = understood(record.body, this.#isOfShard, this.#deps.settings.hasHooks);
      if (message instanceof Error && message.cause instanceof NewerFormat)
        await this.#park(record, message.cause);
      else if (message instanceof Error) await this.#refuse(record, message.message);
      else if (message.kind === 'parcel') parcels.push({ record, ...message });
      else if (message.kind === 'wakeAll') wakes.push({ record, message });
      else seeds.push({ record, ...message, crawl: message.crawl ?? this.#deps.settings.defaultCrawl });
    }
    return { parcels, seeds, wakes };
  }

  async #attempt(some: readonly SQSRecord[], work: () => Promise<void>): Promise<void> {
    try {
      if (this.#timeLeft() < END_MS) throw new Error('Expected the time for all messages, but it is up');
      await work();
    } catch (error) {
      // Their crawl waits for the version that wrote its record.
      if (error instanceof NewerFormat)
        return void (await Promise.all(some.map((one) => this.#park(one, error))));
      for (const { messageId } of some) this.#failed.add(messageId);
      this.#deps.log('error', { messages: some.length, ...errorFields(error) });
    }
  }

  #refuse(record: SQSRecord, reason: string): Promise<void> {
    const { log, deadLetter } = this.#deps;
    return this.#attempt([record], async () => {
      log('warn', { message: 'A message goes to the dead letters', id: record.messageId, reason });
      await deadLetter(record.body, reason);
    });
  }

  /** Hides a message of a newer version for minutes: its poller leaves the visibility as it is. */
  async #park(record: SQSRecord, error: NewerFormat): Promise<void> {
    const { park, reportNewer } = this.#deps;
    this.#failed.add(record.messageId);
    reportNewer(error, { id: record.messageId });
    // Where it fails, the message comes again after the queue's own visibility timeout, which is minutes, too.
    await park(this.#queueUrl, record, newerAgainS(record)).catch(() => {});
  }

  /** To the hosts, or, where those are very many, to the shards. The poller deletes the parcels. */
  async #route(crawl: CrawlId, parcels: readonly Parcel[]): Promise<void> {
    const { crawls, stack, clock } = this.#deps;
    const { engine, meter } = stack;
    const { linkShards } = engine;
    const maySplit = linkShards.count > 0 && !this.#isOfShard;
    const links = parcels.map(({ record, outLinks }) => ({ id: record.messageId, outLinks }));
    await meter.run(crawl, async () => {
      const gathered = await gatherLinks(crawls, links);
      const byHost = gathered.get(crawl);
      if (maySplit && byHost && byHost.size > sizesOf(engine).splitHosts)
        await linkShards.send(crawl, byHost);
      else
        await deliverLinks(engine, await withoutCrowds({ ledgers: engine.ledgers, clock }, crawls, gathered));
    });
  }

  async #wakeOrRefuse({ record, message }: Wake): Promise<void> {
    try {
      await this.#wakeAll(message);
    } catch (error) {
      if (!(error instanceof InvalidCursor || error instanceof InvalidWake)) throw error;
      await this.#refuse(record, error.message);
    }
  }

  /** Reads some pages; the rest becomes a message of its own, for another invocation. */
  async #wakeAll({ crawl, cursor, resume }: WakeAll): Promise<void> {
    const { crawls, stack } = this.#deps;
    const { engine } = stack;
    const { wakePageHosts, wakePages } = sizesOf(engine);
    // Resuming a crawl sets its state first. A crawl that does not run any more would be read, host by host, for
    // nothing.
    crawls.refresh(crawl);
    const current = await crawls.get(crawl);
    if (current?.status !== 'running') return;
    // Hosts would obey no resume of the operator before that number.
    if (resume > current.resumes)
      throw new InvalidWake(`Expected a resume up to number ${current.resumes} of the crawl, got ${resume}`);
    let next = cursor;
    for (let pages = 0; pages < wakePages && this.#timeLeft() >= END_MS; pages++) {
      const page = await engine.ledgers.hostPage(crawl, next, wakePageHosts);
      await wakeResumed(engine.queue, crawl, page.hosts, { resume, config: current.config });
      if (page.cursor === undefined) return;
      next = page.cursor;
    }
    await engine.exchange.sendTexts([wakeAllText(crawl, resume, next)]);
  }
}

/** Parcels of a shard are the router's own, which nobody else may send there: they have been looked at. */
function understood(body: string, isOfShard: boolean, hasHooks = false): LinkMessage | Error {
  try {
    const message = parseLinkText(body);
    const fault =
      message.kind === 'parcel' && !isOfShard ? parcelFault(message.outLinks, hasHooks) : undefined;
    return fault === undefined ? message : new Error(fault);
  } catch (error) {
    return error as Error;
  }
}
