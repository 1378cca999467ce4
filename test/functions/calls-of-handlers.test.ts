import { gzipSync } from 'node:zlib';
/** The handlers of functions: what each calls, in which order and when, and what follows a failure. */

import { describe, test } from 'vitest';
import { createCompactorHandler } from '../../functions/compactor-handler.ts';
import { createExporterHandler } from '../../functions/exporter-handler.ts';
import { createRouterHandler } from '../../functions/router-handler.ts';
import { createWakerHandler } from '../../functions/waker-handler.ts';
import { BEING_DELETED } from '../../shared/core/causes/status-reason.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { wakeAllText } from '../../shared/engines/aws/queues/link-message.ts';
import type { LinkShards } from '../../shared/engines/aws/queues/link-shards.ts';
import { parcelTexts } from '../../shared/engines/aws/queues/message-text.ts';
import { ExportImpossible } from '../../shared/services/exports/export-context.ts';
import { type HeldExport, NO_PROGRESS } from '../../shared/services/exports/held-export.ts';
import { T0 } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin } from '../crawler/worker/world.ts';
import { openGolden } from '../golden.ts';
import { afterFailures, type CallRecord, linesOf, type Work } from './call-record.ts';
import { createFakePool, linkEvent, SETTINGS } from './fake-stack.ts';

const golden = openGolden('calls-of-handlers.txt', import.meta.url);

/** The calls of the work, and what follows the failure of each. */
async function compare(name: string, work: Work, hidden?: readonly string[]): Promise<void> {
  golden.compare(name, await linesOf(work));
  golden.compare(`${name}, if a call fails`, await afterFailures(work, hidden));
}

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** The meter of a process, whose costs are stored by a call. */
function meterOf(record: CallRecord) {
  const meter = createMeter({ clock: record.clock, memoryMb: 1024 });
  return { meter, ...record.watch({ flushMeter: async () => void meter.take() }) };
}

const contextFor = ({ clock }: CallRecord, ms: number) => {
  const endsAt = clock.now() + ms;
  return { getRemainingTimeInMillis: () => endsAt - clock.now() };
};

describe('the compactor', () => {
  const compacting =
    (ms: number, round?: number): Work =>
    (record) => {
      const records: Record<string, Partial<CrawlRecord>> = {
        a: { status: 'running' },
        b: { status: 'finished' },
        c: { status: 'stopped', ...{ why: BEING_DELETED, reason: BEING_DELETED.text } } as never,
        d: { status: 'paused' },
      };
      const handle = createCompactorHandler({
        clock: record.clock,
        log: record.log,
        stack: {
          ...meterOf(record),
          engine: {
            registry: record.watch({
              load: async (crawl: string) => records[crawl] as CrawlRecord | undefined,
            }),
            unjoined: record.watch({
              list: async () =>
                [...Object.keys(records), 'gone'].map((crawl) => ({
                  crawl,
                  enteredAt: T0 - HOUR,
                  entry: `of ${crawl}`,
                })),
              strike: async (_entry: object) => true,
              lastBegun: async () => 'a',
              noteBegun: async (_crawl: string) => {},
            }),
          },
        },
        deletions: record.watch({
          pending: async () => ['x', 'y'],
          proceed: async (crawl: string, _options?: object) => ({
            ...{ requestedAt: 0, archive: false },
            ...(crawl === 'x' && { deletedAt: 1 }),
          }),
        }),
        ...record.watch({
          async compact({
            crawl,
            warn,
            deadline = 0,
          }: {
            crawl: string;
            warn?: (m: string) => void;
            deadline?: number;
          }) {
            if (crawl === 'd') warn?.('a file is none');
            record.pass(60_000);
            const isCut = record.clock.now() > deadline - MINUTE;
            const joined = crawl === 'a' ? 2 : 0;
            const itemTables = crawl === 'b' ? 1 : 0;
            return { joined, objects: 4, bytes: 7, aside: [], itemTables, isCut, isDone: !isCut };
          },
          continueAs: async (_round: number) => {},
          announceBehind: async (_rounds: number) => {},
        }),
      });
      const event = round === undefined ? undefined : { detail: { round } };
      return { run: () => handle(event, contextFor(record, ms)) };
    };

  test('calls what it does, and says what fails', async () => {
    golden.compare('the compactor', await linesOf(compacting(900_000)));
    await compare('the compactor that has little time', compacting(200_000, 24));
  });
});

describe('the exporter', () => {
  const exporting =
    (ms: number, exports: readonly string[]): Work =>
    (record) => {
      const records: Record<string, Partial<CrawlRecord>> = { a: { status: 'running' } };
      const shown = (held: HeldExport, ...rest: unknown[]) => [held.crawl, held.id, held.version, ...rest];
      const handle = createExporterHandler({
        clock: record.clock,
        log: record.log,
        stack: {
          ...meterOf(record),
          engine: {
            registry: record.watch({
              load: async (crawl: string) => records[crawl] as CrawlRecord | undefined,
            }),
          },
        },
        jobs: record.watch(
          {
            open: async () => exports.map((id) => ({ crawl: id === 'none' ? 'gone' : 'a', id })),
            take: async (crawl: string, id: string, _until: number): Promise<HeldExport | undefined> =>
              id === 'taken'
                ? undefined
                : {
                    crawl,
                    id,
                    request: { format: 'jsonl' },
                    version: 1,
                    tries: id === 'tried' ? 6 : 1,
                    progress: NO_PROGRESS,
                  },
            advance: async (held: HeldExport, progress: typeof NO_PROGRESS): Promise<HeldExport> => ({
              ...held,
              version: held.version + 1,
              progress,
            }),
            end: async (_held: HeldExport, _state: string, _message?: string) => {},
            release: async (_held: HeldExport) => {},
          },
          { advance: shown, end: shown, release: shown } as never,
        ) as never,
        async contextOf(crawl, of, { id, request }) {
          record.note('contextOf', crawl, of.status, id);
          const work = record.watch({
            async readWork(_name: string) {
              if (id === 'broken') throw new Error('no bucket');
              if (id === 'impossible') throw new ExportImpossible('no such module');
              return gzipSync(JSON.stringify({ stage: 1000, facts: {} }));
            },
            deleteAllWork: async () => {},
          });
          const file = record.watch(
            { add: async (_bytes: Buffer) => {}, complete: async () => {}, abort: async () => {} },
            { add: (bytes) => `${bytes.length}` },
          );
          const objects = { ...work, create: (_name: string) => ({ ...file, bytes: 0 }) };
          return { crawl, record: of, request, objects } as never;
        },
        ...record.watch({ continueNow: async () => {} }),
      });
      return { run: () => handle({}, contextFor(record, ms)) };
    };

  test('calls what it does, and says what fails', async () => {
    const all = ['one', 'none', 'taken', 'tried', 'broken', 'impossible', 'last'];
    golden.compare('the exporter of exports in each state', await linesOf(exporting(900_000, all)));
    golden.compare('the exporter that has little time', await linesOf(exporting(216_000, all)));
    await compare('the exporter of two exports', exporting(900_000, ['one', 'last']));
  });
});

/** A stack over an engine in memory, whose calls are recorded. */
async function stackOf(record: CallRecord, crawls: Readonly<Record<string, object>>) {
  const engine = createMemoryEngine(record.clock);
  for (const [crawl, config] of Object.entries(crawls))
    await begin({ engine }, [`http://${crawl}.test/`], { scope: 'any', ...config }, crawl);
  for (const parcel of await engine.exchange.receive(100, 0)) await engine.exchange.acknowledge([parcel]);
  const { queue, registry, ledgers, exchange } = engine;
  const pool = createFakePool();
  const { ensure, startMissing } = pool;
  const stack = {
    ...meterOf(record),
    engine: {
      ...engine,
      queue: { ...queue, ...record.watch({ send: queue.send }) },
      workers: { ...pool, ...record.watch({ ensure, startMissing }) },
      linkShards: { count: 0, send: async () => {} } as LinkShards,
      registry: {
        ...registry,
        ...record.watch({
          load: registry.load,
          totals: registry.totals,
          setStatus: registry.setStatus,
          isQuiet: registry.isQuiet,
          noteFirstPass: registry.noteFirstPass,
          list: async () => Object.keys(crawls),
          listRunning: async () => Object.keys(crawls),
          countWaitingHosts: async (_crawl: string): Promise<number | undefined> => 0,
        }),
      },
      ledgers: {
        ...ledgers,
        ...record.watch(
          {
            loadHead: ledgers.loadHead,
            commit: ledgers.commit,
            dueHosts: ledgers.dueHosts,
            async hostPage(crawl: string, cursor: string | undefined, limit: number) {
              const all = [];
              for await (const entry of ledgers.hosts(crawl)) all.push(entry);
              const from = Number(cursor ?? 0);
              const isLast = from + limit >= all.length;
              return {
                hosts: all.slice(from, from + limit),
                ...(!isLast && { cursor: String(from + limit) }),
              };
            },
          },
          { commit: (crawl, host) => `${crawl} ${host}` },
        ),
      },
      exchange: {
        ...exchange,
        ...record.watch({ sendTexts: async (_texts: readonly string[]) => {} }),
      },
    },
  };
  return { stack, engine };
}

/** Work whose surroundings take some calls to make. */
const prepared =
  (open: (record: CallRecord) => Promise<() => Promise<unknown>>): Work =>
  (record) => {
    let opened: Promise<() => Promise<unknown>> | undefined;
    return {
      run: async () => {
        opened ??= open(record);
        return (await opened)();
      },
    };
  };

describe('the router', () => {
  const parcel = (crawl: string, ...urls: string[]): string =>
    parcelTexts({ crawl, links: urls.map((url) => ({ url, depth: 1 })) }, 1e6)[0] as string;
  const newer = () => {
    const bytes = Buffer.from(parcel('news', 'http://c.test/'), 'base64');
    bytes[1] = 99;
    return bytes.toString('base64');
  };
  const routing = (bodies: readonly string[], ms = MINUTE) =>
    prepared(async (record) => {
      const { stack, engine } = await stackOf(record, { news: {}, other: {} });
      for (let i = 0; i < 5; i++) {
        const counts = { ...NEW_HEAD.ledger.counts, waiting: i % 2 };
        const head = { ...NEW_HEAD, version: 1, ledger: { ...NEW_HEAD.ledger, counts } };
        await engine.ledgers.commit('other', `h${i}.test`, head);
      }
      for (let resumes = 0; resumes < 4; resumes++) await engine.registry.resume('other');
      const handle = createRouterHandler({
        settings: SETTINGS,
        clock: record.clock,
        log: record.log,
        stack: {
          ...stack,
          engine: { ...stack.engine, sizes: { ...engine.sizes, wakePageHosts: 2, wakePages: 2 } as never },
        } as never,
        crawls: createCrawls(stack.engine.registry, record.clock),
        control: record.watch({
          seed: async ({ crawl, seeds }: { crawl: string; seeds: readonly string[] }, _caller?: string) => ({
            ...{ crawl, added: seeds.length },
            refused: seeds.filter((url) => url.startsWith('bad')).map((url) => ({ url, reason: 'no URL' })),
          }),
        }),
        ...record.watch(
          {
            deadLetter: async (_body: string, _reason: string) => {},
            park: async (_url: string, _record: { messageId: string }, _seconds: number) => {},
          },
          { park: (url, { messageId }, seconds) => [url, messageId, seconds] },
        ),
        reportNewer: ({ message }, about) => record.note('reportNewer', message, about),
      });
      return () => handle(linkEvent(...bodies), contextFor(record, ms));
    });

  test('calls what it does, and says what fails', async () => {
    const bodies = [
      parcel('news', 'http://b.test/1', 'http://c.test/'),
      'nonsense',
      newer(),
      parcel('other', 'http://b.test/2'),
      parcel('gone', 'http://b.test/2'),
      'https://s.test/ bad.test',
      'bad.test',
      '{"crawl": "news", "url": "https://t.test/", "config": {"maxPages": 5}}',
      parcel('news', 'http://b.test/2'),
      wakeAllText('other', 4),
      parcel('news', 'http://B.test/2'),
    ];
    // A message that cannot be parked comes again after the queue's own time.
    await compare('the router of messages of each kind', routing(bodies), ['park']);
    golden.compare('the router that has little time', await linesOf(routing(bodies, 27_000)));
  });
});

describe('the waker', () => {
  const waking = (runs: number) =>
    prepared(async (record) => {
      const { stack, engine } = await stackOf(record, {
        a: { maxPages: 5 },
        b: { recrawl: 'changes' },
        c: {},
        fed: { changeFeed: true, recrawl: 'changes', recrawlSchedule: '0 4 * * *' },
      });
      const put = (crawl: string, host: string, fields: object) =>
        engine.ledgers.commit(crawl, host, { ...NEW_HEAD, version: 1, ...fields });
      await put('a', 'h.a.test', { dueAt: T0, totals: { ...NEW_HEAD.totals, pages: 5 } });
      await put('b', 'h.b.test', {
        dueAt: T0,
        ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, fetched: 4 } },
      });
      await put('b', 'i.b.test', { dueAt: T0 - 1 });
      await put('fed', 'h.fed.test', {
        dueAt: T0 + HOUR,
        ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, fetched: 4 } },
      });
      const handle = createWakerHandler({
        clock: record.clock,
        log: record.log,
        stack: stack as never,
        watch: { note() {}, ...record.watch({ look: async () => {} }) },
        announcer: {
          look: record.watch(
            {
              announce: async (_crawl: string, _until: number) => undefined,
            },
            { announce: (crawl, until) => [crawl, until] },
          ).announce,
        },
        changeFeed: { look: record.watch({ feed: async (_crawl: string, _until: number) => true }).feed },
        dailyLimit: {
          ...record.watch({
            isSpent: async () => false,
            pause: async (_crawl: string) => {},
            goOn: async (_until: number) => {},
          }),
        },
      });
      return async () => {
        for (let run = 0; run < runs; run++) {
          await handle({}, contextFor(record, 55_000));
          record.pass(MINUTE);
        }
      };
    });

  test('calls what it does, and says what fails', async () => {
    golden.compare('the waker, for a quarter of an hour', await linesOf(waking(13)));
    await compare('the waker, twice', waking(2));
  });
});
