import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Archive } from '../../../ports/archive.ts';
import type { HostDeliveries } from '../../../ports/turn-queue.ts';
import type { AwsEngine } from '../engine.ts';
import type { Meter } from './meter.ts';

/**
 * The same engine, in which each call is paid for by the crawl that it is made for. What is done for several
 * crawls at once (receiving, batches of several) is shared out by the meter.
 */
export function meterEngine(engine: AwsEngine, meter: Meter): AwsEngine {
  const { queue, exchange, linkShards, ledgers, registry, items, skips, payloads, archiveOf } = engine;

  /** The port's methods within `meter.run`, where the arguments name the crawl. */
  function paid<T extends object>(port: T, crawlOf: CrawlOf): T {
    const members = Object.entries(port).map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...args: unknown[]) => payFor(meter, crawlOf(args), () => member.apply(port, args))
        : member,
    ]);
    return Object.fromEntries(members);
  }

  const archives = new WeakMap<Archive, Archive>();
  function paidArchive(crawl: CrawlId): Archive {
    const archive = archiveOf(crawl);
    const metered = archives.get(archive) ?? paid(archive, () => crawl);
    archives.set(archive, metered);
    return metered;
  }

  const send = paid({ send: queue.send }, ([messages]) =>
    onlyOne((messages as Parameters<typeof queue.send>[0]).map(({ message }) => message.crawl)),
  );
  const settle = paid({ acknowledge: queue.acknowledge, hold: queue.hold, park: queue.park }, ([received]) =>
    onlyOne((received as HostDeliveries).deliveries.map(({ message }) => message.crawl)),
  );
  return {
    ...engine,
    queue: {
      ...queue,
      ...send,
      ...settle,
    },
    exchange: {
      ...exchange,
      send: (outLinks) => meter.run(outLinks.crawl, () => exchange.send(outLinks)),
      acknowledge: (parcels) =>
        payFor(meter, onlyOne(parcels.map(({ outLinks }) => outLinks.crawl)), () =>
          exchange.acknowledge(parcels),
        ),
    },
    linkShards: paid(linkShards, firstArgument),
    ledgers: paid(ledgers, firstArgument),
    registry: paid(registry, firstArgument),
    items: paid(items, firstArgument),
    payloads: paid(payloads, firstArgument),
    skips: { ...skips, ...paid({ makeDurable: skips.makeDurable }, firstArgument) },
    archiveOf: paidArchive,
  };
}

type CrawlOf = (args: readonly unknown[]) => CrawlId | undefined;

/** The crawl, or a note about one. None for what is about all crawls. */
const firstArgument: CrawlOf = ([about]) => {
  if (typeof about === 'string') return about;
  const { crawl } = (about ?? {}) as { readonly crawl?: unknown };
  return typeof crawl === 'string' ? crawl : undefined;
};

const onlyOne = ([first, ...rest]: readonly CrawlId[]): CrawlId | undefined =>
  rest.every((crawl) => crawl === first) ? first : undefined;

function payFor<T>(meter: Meter, crawl: CrawlId | undefined, work: () => T): T {
  if (crawl === undefined) return work();
  const result = meter.run(crawl, work);
  return isAsyncIterable(result) ? (iteratePaid(meter, crawl, result) as T) : result;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** An iteration runs within the context of the caller that asks for the next item. */
async function* iteratePaid<T>(meter: Meter, crawl: CrawlId, items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await meter.run(crawl, () => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
