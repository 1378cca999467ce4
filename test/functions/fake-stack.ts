/** A stack as functions see it, over the engine in memory; and the events that start them. */
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { activeMembers, type PoolMember } from '../../shared/crawler/worker/pool-plan.ts';
import { createMeter, type Meter } from '../../shared/engines/aws/cost/meter.ts';
import type { LinkShards } from '../../shared/engines/aws/queues/link-shards.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import type { Agenda } from '../../shared/engines/aws/state/agenda.ts';
import type { DueHosts } from '../../shared/engines/aws/state/ledger-store.ts';
import type { CrawlLook } from '../../shared/engines/aws/state/registry.ts';
import type { UnannouncedCrawl } from '../../shared/engines/aws/state/unannounced.ts';
import type { StartOptions, WorkerPool } from '../../shared/engines/aws/workers/worker-pool.ts';
import type { FakeClock } from '../crawler/worker/fake-clock.ts';
import type { MemoryEngine } from '../crawler/worker/memory-engine.ts';

export const SETTINGS: StackSettings = {
  stack: 'Test',
  crawlState: 'state',
  urlSeen: 'seen',
  bucket: 'bucket',
  turnQueueUrls: ['https://sqs/1/turns-0.fifo', 'https://sqs/1/turns-1.fifo'],
  backlogQueueUrls: [],
  startQueueUrl: 'https://sqs/1/starts',
  workersPerQueue: 25,
  linkQueueUrl: 'https://sqs/1/links',
  linkShardUrls: [],
  linkDeadLetterUrl: 'https://sqs/1/dead-links',
  turnDeadLetterUrl: 'https://sqs/1/dead-turns.fifo',
  dueShards: 8,
  workerTimeoutMs: 120_000,
  hostsPerWorker: 10,
  workerMemoryMb: 1024,
  crawlDefaults: {},
  defaultCrawl: 'default',
  allowPrivateAddresses: [],
  hasHooks: true,
};

export interface LogEntry {
  readonly level: string;
  readonly [field: string]: unknown;
}

/** A request to start a worker, and its time. */
export interface Started {
  readonly queue: number;
  readonly workers: number;
  readonly delayMs: number;
  readonly isSmall?: true;
}

/** The workers of two turn queues, in memory. */
export function createFakePool(starts: Started[] = []): WorkerPool & {
  readonly all: Map<string, PoolMember>[];
  readonly smallStarts: Started[];
  readonly fewHosts: number[];
} {
  const smallStarts: Started[] = [];
  const fewHosts: number[] = [];
  const all = [new Map<string, PoolMember>(), new Map<string, PoolMember>()];
  const membersOf = (queue: number) => all[queue] as Map<string, PoolMember>;
  const pool = {
    all,
    smallStarts,
    queues: 2,
    maxWorkers: 4,
    members: async (queue: number) => [...membersOf(queue).values()],
    show: async (queue: number, member: PoolMember) => void membersOf(queue).set(member.id, member),
    hide: async (queue: number, id: string) => void membersOf(queue).delete(id),
    waiting: async (_queue: number) => 0,
    async start(queue: number, count: number, workers: number, { delayMs = 0, isSmall }: StartOptions = {}) {
      for (let sent = 0; sent < count; sent++)
        starts.push({ queue, workers, delayMs, ...(isSmall && { isSmall: true as const }) });
    },
    startSmall: async (queue: number, workers: number) => {
      smallStarts.push({ queue, workers, delayMs: 0 });
      return true;
    },
    hasLostSmall: async () => false,
    noteFewHosts: async (queue: number) => void fewHosts.push(queue),
    fewHosts,
    async claimApart() {
      return true;
    },
    async startApart() {
      return false;
    },
    async endApart() {},
    async startMissing(queue: number) {
      const isWaiting = (await pool.waiting(queue)) > 0;
      if (isWaiting) await pool.ensure(queue);
      return isWaiting;
    },
    async ensure(queue: number) {
      if (activeMembers(await pool.members(queue)).length === 0) await pool.start(queue, 1, 1);
    },
  };
  return pool;
}

/** An agenda by which each of these crawls is looked at in each run. */
function createFakeAgenda(crawls: () => readonly CrawlId[]): Agenda {
  const entryOf = (crawl: CrawlId) => ({
    crawl,
    at: 0,
    isDue: true,
    isUnsure: false,
    partition: '#soon',
    sort: `0 ${crawl}`,
  });
  return {
    enter: async () => {},
    entry: () => ({ Put: { TableName: '', Item: {} } }),
    ensureDue: async () => {},
    due: async () => crawls().map(entryOf),
    replace: async () => {},
    crawls: async () => new Set(crawls()),
  };
}

export function fakeStack(engine: MemoryEngine, clock: FakeClock) {
  const texts: string[] = [];
  const starts: Started[] = [];
  let flushes = 0;
  const meter: Meter = createMeter({ clock, memoryMb: 1024 });
  const log: LogEntry[] = [];
  const { queue, ledgers, exchange, registry } = engine;

  const stack = {
    meter,
    async flushMeter() {
      flushes++;
      meter.take();
    },
    noteSpend: async () => {},
    takeCost: () => 0,
    engine: {
      ...engine,
      agenda: createFakeAgenda(() => crawls),
      queue: { ...queue },
      workers: createFakePool(starts),
      linkShards: { count: 0, send: async () => {} } as LinkShards,
      exchange: { ...exchange, sendTexts: async (more: readonly string[]) => void texts.push(...more) },
      ledgers: {
        ...ledgers,
        async due(...[crawl, now, ...rest]: Parameters<typeof ledgers.dueHosts>): Promise<DueHosts> {
          const hosts = await stack.engine.ledgers.dueHosts(crawl, now, ...rest);
          const times: number[] = [];
          for await (const { head } of ledgers.hosts(crawl))
            if (head.dueAt !== undefined && head.dueAt > now) times.push(head.dueAt);
          return { hosts, ...(times.length > 0 && { nextAt: Math.min(...times) }) };
        },
        async hostPage(crawl: CrawlId, cursor: string | undefined, limit: number) {
          const all = [];
          for await (const entry of ledgers.hosts(crawl)) all.push(entry);
          const from = Number(cursor ?? 0);
          const isLast = from + limit >= all.length;
          return { hosts: all.slice(from, from + limit), ...(!isLast && { cursor: String(from + limit) }) };
        },
      },
      registry: {
        ...registry,
        async look(crawl: CrawlId): Promise<CrawlLook | undefined> {
          const { load, totals } = stack.engine.registry;
          const record = await load(crawl);
          if (!record) return undefined;
          // By such counters the index is looked at each time.
          return { record, totals: await totals(crawl), lastAt: 0, hostsDue: 0 };
        },
        loadMany: async () => new Map(),
        noteBusy: async () => {},
        listUnannounced: async () => [] as UnannouncedCrawl[],
        list: async () => [...crawls],
        listRunning: async () => [...crawls],
        async countWaitingHosts(crawl: CrawlId): Promise<number | undefined> {
          let count = 0;
          for await (const { head } of ledgers.hosts(crawl)) if (head.ledger.counts.waiting > 0) count++;
          return count;
        },
      },
    },
  };
  const crawls: CrawlId[] = [];

  return {
    stack,
    texts,
    starts,
    crawls,
    logged: log,
    log: (level: string, fields: object) => void log.push({ level, ...fields }),
    flushes: () => flushes,
  };
}

/** The event of a message each. */
export const linkEvent = (...bodies: readonly string[]): SQSEvent => eventFrom('links', bodies);

/** The same, from the queue of that name. */
export const eventFrom = (queue: string, bodies: readonly string[]): SQSEvent => ({
  Records: bodies.map((body, i) => record(`m${i}`, body, `arn:aws:sqs:us-east-1:1:${queue}`)),
});

/** An invocation that may take so long from now. */
export function contextFor(clock: FakeClock, ms: number) {
  const endsAt = clock.now() + ms;
  return { getRemainingTimeInMillis: () => endsAt - clock.now() };
}

export const failedIds = (response: { readonly batchItemFailures: { itemIdentifier: string }[] }): string[] =>
  response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

function record(messageId: string, body: string, eventSourceARN: string): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: messageId,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: 'us-east-1',
  };
}
