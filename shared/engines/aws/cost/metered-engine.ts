import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import type { HostDeliveries } from '../../../crawler/ports/turn-queue.ts';
import type { AwsEngine } from '../engine.ts';
import type { Meter } from './meter.ts';

/**
 * Wraps an engine so that the crawl for which a call is made pays for it. Calls for several crawls at once (receiving,
 * batches of several) are shared out by the meter.
 */
export function meterEngine(engine: AwsEngine, meter: Meter): AwsEngine {
  const { queue, exchange, linkShards, ledgers, registry, jars, items, skips, payloads, archiveOf } = engine;

  /** The port's methods within `meter.run`. */
  function paid<T extends object>(port: T, payers: Payers<T>): T {
    const members = Object.entries(port).map(([name, member]) => {
      const payerOf = (payers as unknown as Record<string, PayerOf | undefined>)[name];
      if (typeof member !== 'function' || payerOf === undefined) return [name, member];
      return [name, (...args: unknown[]) => payFor(meter, payerOf(...args), () => member.apply(port, args))];
    });
    return Object.fromEntries(members);
  }

  const archives = new WeakMap<Archive, Archive>();
  function paidArchive(crawl: CrawlId): Archive {
    const archive = archiveOf(crawl);
    const metered = archives.get(archive) ?? paid(archive, { append: () => crawl, flush: () => crawl });
    archives.set(archive, metered);
    return metered;
  }

  const send = paid(
    { send: queue.send },
    { send: (messages) => onlyOne(messages.map(({ message }) => message.crawl)) },
  );
  const { acknowledge, hold, park } = queue;
  const ofReceived = ({ deliveries }: HostDeliveries) =>
    onlyOne(deliveries.map(({ message }) => message.crawl));
  const settle = paid(
    { acknowledge, hold, park },
    { acknowledge: ofReceived, hold: ofReceived, park: ofReceived },
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
    linkShards: paid(linkShards, { send: named }),
    ledgers: paid(ledgers, LEDGER_PAYERS),
    registry: paid(registry, REGISTRY_PAYERS),
    jars: paid(jars, { load: named, replace: named, accounts: named }),
    items: paid(items, { stage: named, publish: named }),
    payloads: paid(payloads, { find: named, add: named }),
    skips: { ...skips, ...paid({ makeDurable: skips.makeDurable }, { makeDurable: named }) },
    archiveOf: paidArchive,
  };
}

type PayerOf = (...args: unknown[]) => CrawlId | undefined;

/** Names the crawl that each call of the port is made for; undefined: it is about several or all. */
type Payers<T> = {
  readonly [Name in keyof T as NonNullable<T[Name]> extends (...args: never) => unknown ? Name : never]-?: (
    ...args: Parameters<Extract<T[Name], (...args: never) => unknown>>
  ) => CrawlId | undefined;
};

const named = (crawl: CrawlId): CrawlId => crawl;
const noted = ({ crawl }: { readonly crawl: CrawlId }): CrawlId => crawl;
const ofAll = (): undefined => undefined;

const LEDGER_PAYERS: Payers<AwsEngine['ledgers']> = {
  ...{ loadHead: named, commit: named, importHead: named, hosts: named, hostPage: named, dueHosts: named },
  ...{ due: named, sitePasses: named, putPart: named, readPart: named, listParts: named, deleteParts: named },
};

export const REGISTRY_PAYERS: Payers<AwsEngine['registry']> = {
  ...{ load: named, create: named, setStatus: named, resume: named, configure: named, totals: named },
  ...{ addScopeSeeds: named, setUrlRulesVersion: named, noteFirstPass: named, noteSent: named },
  ...{ isQuiet: named, countWaitingHosts: named, recount: named, endCopy: named, onCommit: named },
  ...{ look: named, noteBusy: named, loadUnannounced: named, loadMany: ofAll },
  ...{ noteAnnounced: noted, delayAnnouncement: noted, noteFinish: noted },
  ...{ storeSites: named, setSites: named, readSites: named },
  ...{ list: ofAll, listRunning: ofAll, listUnannounced: ofAll, flushUsage: ofAll },
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

/** An iteration runs within the context of the caller that requests the next item. */
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
