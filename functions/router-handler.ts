import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Control } from '../shared/control/control.ts';
import type { Crawls } from '../shared/crawl-state/crawls.ts';
import { polledRequests } from '../shared/engines/aws/cost/billed-units.ts';
import { type LinkMessage, parseLinkText, wakeAllText } from '../shared/engines/aws/queues/link-message.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { InvalidCursor } from '../shared/engines/aws/state/host-page.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Engine } from '../shared/ports/engine.ts';
import { deliverLinks, gatherLinks } from '../shared/routing/router.ts';
import { wakeResumed } from '../shared/routing/waker.ts';
import { sizesOf } from '../shared/sizes.ts';
import { sourceIn } from './event-source.ts';
import { errorFields, type Log } from './log.ts';
import { parcelFault } from './parcel-fault.ts';
import { type SeedRecord, takeSeeds } from './router-seeds.ts';
import { invoked } from './stack.ts';

export interface RouterDeps {
  readonly settings: Pick<StackSettings, 'defaultCrawl' | 'linkShardUrls'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: RouterStack;
  readonly control: Pick<Control, 'seed'>;
  /** Kept over the invocations. */
  readonly crawls: Crawls;
  /** Puts a message that cannot be worked on where people find it, with the reason. */
  readonly deadLetter: (body: string, reason: string) => Promise<void>;
}

export interface RouterStack extends Pick<OpenedStack, 'meter' | 'flushMeter'> {
  readonly engine: Pick<Engine, 'queue' | 'sizes'> & {
    readonly ledgers: Pick<OpenedStack['engine']['ledgers'], 'hostPage'>;
    readonly exchange: OpenedStack['engine']['exchange'];
    readonly linkShards: OpenedStack['engine']['linkShards'];
  };
}

/** What is not begun so long before the end comes again. */
const END_MS = 10_000;

type Parcel = Extract<LinkMessage, { kind: 'parcel' }> & { readonly record: SQSRecord };
type WakeAll = Extract<LinkMessage, { kind: 'wakeAll' }>;

/**
 * Routes links to their hosts, takes seeds in, wakes the hosts of a crawl. What cannot be understood goes to
 * the dead letters at once, and counts as done. What fails by our own fault comes again, and nothing else
 * does.
 */
export function createRouterHandler({
  settings,
  clock,
  log,
  stack,
  control,
  crawls,
  deadLetter,
}: RouterDeps) {
  const { engine, meter } = stack;
  const { linkShards } = engine;
  const { splitHosts, wakePageHosts, wakePages } = sizesOf(engine);

  /** To the hosts, or, where those are very many, to the shards. The poller deletes the parcels. */
  async function route(crawl: string, parcels: readonly Parcel[], maySplit: boolean): Promise<void> {
    const links = parcels.map(({ record, outLinks }) => ({ id: record.messageId, outLinks }));
    await meter.run(crawl, async () => {
      const gathered = await gatherLinks(crawls, links);
      const byHost = gathered.get(crawl);
      if (maySplit && byHost && byHost.size > splitHosts) await linkShards.send(crawl, byHost);
      else await deliverLinks(engine, gathered);
    });
  }

  /** Some pages; what remains is a message of its own, which another invocation gets. */
  async function wakeAll({ crawl, cursor }: WakeAll, timeLeft: () => number): Promise<void> {
    // Resuming a crawl makes it run first. One that does not any more would be read through, host by host,
    // for nothing.
    crawls.refresh(crawl);
    if ((await crawls.get(crawl))?.status !== 'running') return;
    let next = cursor;
    for (let pages = 0; pages < wakePages && timeLeft() >= END_MS; pages++) {
      const page = await engine.ledgers.hostPage(crawl, next, wakePageHosts);
      await wakeResumed(engine.queue, crawl, page.hosts);
      if (page.cursor === undefined) return;
      next = page.cursor;
    }
    await engine.exchange.sendTexts([wakeAllText(crawl, next)]);
  }

  async function handle(event: SQSEvent, timeLeft: () => number): Promise<ReadonlySet<string>> {
    const { Records: records } = event;
    const isOfShard = sourceIn(settings.linkShardUrls, event) !== undefined;
    const failed = new Set<string>();
    async function attempt(some: readonly SQSRecord[], work: () => Promise<void>): Promise<void> {
      try {
        if (timeLeft() < END_MS) throw new Error('Expected the time for all messages, but it is up');
        await work();
      } catch (error) {
        for (const { messageId } of some) failed.add(messageId);
        log('error', { messages: some.length, ...errorFields(error) });
      }
    }
    const refuse = (record: SQSRecord, reason: string) =>
      attempt([record], async () => {
        log('warn', { message: 'A message goes to the dead letters', id: record.messageId, reason });
        await deadLetter(record.body, reason);
      });

    const parcels: Parcel[] = [];
    const seeds: SeedRecord[] = [];
    const wakes: { readonly record: SQSRecord; readonly message: WakeAll }[] = [];
    for (const record of records) {
      const message = understood(record.body, isOfShard);
      if (message instanceof Error) await refuse(record, message.message);
      else if (message.kind === 'parcel') parcels.push({ record, ...message });
      else if (message.kind === 'wakeAll') wakes.push({ record, message });
      else seeds.push({ record, ...message, crawl: message.crawl ?? settings.defaultCrawl });
    }
    // Each crawl's by itself: one that cannot be read holds up no other.
    for (const [crawl, some] of Map.groupBy(parcels, ({ outLinks }) => outLinks.crawl)) {
      await attempt(
        some.map(({ record }) => record),
        () => route(crawl, some, linkShards.count > 0 && !isOfShard),
      );
    }
    await takeSeeds(seeds, { control, log, attempt, refuse });
    for (const { record, message } of wakes) {
      await attempt([record], async () => {
        try {
          await wakeAll(message, timeLeft);
        } catch (error) {
          if (!(error instanceof InvalidCursor)) throw error;
          await refuse(record, error.message);
        }
      });
    }
    return failed;
  }

  return (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> =>
    invoked(stack, { clock, log }, async () => {
      meter.add('sqsStandardRequests', polledRequests(event.Records.map(({ body }) => body)));
      const failed = await handle(event, () => context.getRemainingTimeInMillis());
      return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
    });
}

/** Parcels of a shard are the router's own, which nobody else may send there: they have been looked at. */
function understood(body: string, isOfShard: boolean): LinkMessage | Error {
  try {
    const message = parseLinkText(body);
    const fault = message.kind === 'parcel' && !isOfShard ? parcelFault(message.outLinks) : undefined;
    return fault === undefined ? message : new Error(fault);
  } catch (error) {
    return error as Error;
  }
}
