/**
 * The limits of AWS and of the stack, and a run's share of each, sorted: the first limit is reached first.
 */

export interface Limit {
  readonly name: string;
  readonly unit: string;
  /** In the world of full size. */
  readonly allowed: number;
  /** Where it is documented; who sets it. */
  readonly source: string;
  /** The remedy for a run that the limit holds up. */
  readonly remedy: string;
}

export const LIMITS = {
  configuredWorkers: {
    name: 'workers of the stack',
    unit: 'at once',
    allowed: Number.NaN,
    source: '`maxConcurrency` of the deployment, as this run had it',
    remedy: 'raise `maxConcurrency`',
  },
  accountConcurrency: {
    name: "Lambda's concurrency of the account",
    unit: 'invocations at once',
    allowed: 1000,
    source: 'Lambda quotas: default of an account and region; raised on request',
    remedy: 'ask for a higher quota',
  },
  routers: {
    name: 'routers of the stack',
    unit: 'at once',
    allowed: 10,
    source: '`routersFor` in cdk/constructs/sizes.ts, with 20 workers or more',
    remedy: 'a longer `routerWindow`, or more routers',
  },
  workerCpu: {
    name: "a worker's CPU",
    unit: 'of one CPU',
    allowed: 1,
    source: '1,769 MB are one CPU (Lambda developer guide); the crawler uses one thread',
    remedy: 'lower `hostsPerWorker`, or raise `workerMemoryMb` up to 1,769',
  },
  lookAhead: {
    name: 'messages at which a turn queue looks for free hosts',
    unit: 'messages in a queue',
    allowed: 120_000,
    source:
      'SQS developer guide, "FIFO queues scan the first 120,000 messages": those beyond wait for their turn',
    remedy: 'more `turnQueues`; fewer, larger messages by a longer `routerWindow`',
  },
  inFlight: {
    name: 'messages in flight of a turn queue',
    unit: 'messages in a queue',
    allowed: 120_000,
    source: 'SQS quotas, FIFO',
    remedy: 'more `turnQueues`',
  },
  sqsCalls: {
    name: 'calls of one kind to SQS FIFO',
    unit: 'a second',
    allowed: 70_000,
    source: 'SQS quotas, high throughput, us-east-1; 19,000 and fewer in other regions',
    remedy: 'fewer, larger requests by a longer `routerWindow`; another region',
  },
  sqsMessages: {
    name: 'messages by one kind of call of SQS FIFO',
    unit: 'a second',
    allowed: 700_000,
    source: 'SQS quotas, high throughput with batches of 10, us-east-1',
    remedy: 'a longer `routerWindow`; another region',
  },
  stateWrites: {
    name: 'writes of table CrawlState',
    unit: 'units a second',
    allowed: 40_000,
    source: 'DynamoDB quotas: default of a table; raised on request',
    remedy: 'ask for a higher quota',
  },
  stateReads: {
    name: 'reads of table CrawlState',
    unit: 'units a second',
    allowed: 40_000,
    source: 'DynamoDB quotas: default of a table; raised on request',
    remedy: 'ask for a higher quota',
  },
  seenWrites: {
    name: 'writes of table UrlSeen',
    unit: 'units a second',
    allowed: 40_000,
    source: 'DynamoDB quotas: default of a table; raised on request',
    remedy: 'ask for a higher quota',
  },
  seenReads: {
    name: 'reads of table UrlSeen',
    unit: 'units a second',
    allowed: 40_000,
    source: 'DynamoDB quotas: default of a table; raised on request',
    remedy: 'ask for a higher quota',
  },
  newTableWrites: {
    name: 'writes of a table that is new',
    unit: 'units a second',
    allowed: 4000,
    source: 'DynamoDB, on demand: a new table; it grows to twice the last peak within 30 minutes',
    remedy: 'let the rate grow over half an hour, or buy warm throughput ahead',
  },
  newTableReads: {
    name: 'reads of a table that is new',
    unit: 'units a second',
    allowed: 12_000,
    source: 'DynamoDB, on demand: a new table; it grows to twice the last peak within 30 minutes',
    remedy: 'let the rate grow over half an hour, or buy warm throughput ahead',
  },
  sharedKeyWrites: {
    name: 'writes of the hottest partition key that hosts share',
    unit: 'units a second',
    allowed: 1000,
    source: 'DynamoDB developer guide: a partition',
    remedy: 'see which key it is: counters and crawls are one key, due times have `dueShards`',
  },
  sharedKeyReads: {
    name: 'reads of the hottest partition key that hosts share',
    unit: 'units a second',
    allowed: 3000,
    source: 'DynamoDB developer guide: a partition',
    remedy: 'fewer workers with more hosts each',
  },
  hostKeyWrites: {
    name: 'writes of the hottest host',
    unit: 'units a second',
    allowed: 1000,
    source: 'DynamoDB developer guide: a partition',
    remedy: 'none is needed: a host has one turn at a time',
  },
  hostKeyReads: {
    name: 'reads of the hottest host',
    unit: 'units a second',
    allowed: 3000,
    source: 'DynamoDB developer guide: a partition',
    remedy: 'none is needed: a host has one turn at a time',
  },
  archivePuts: {
    name: 'writes to `warc/` of the bucket',
    unit: 'requests a second',
    allowed: 3500,
    source: 'S3 performance guidelines: a prefix, before S3 has split it',
    remedy: 'more hosts to a worker, which share a PUT',
  },
  partPuts: {
    name: 'writes to `parts/` of the bucket',
    unit: 'requests a second',
    allowed: 3500,
    source: 'S3 performance guidelines: a prefix, before S3 has split it',
    remedy: 'none is needed: names begin with a hash, by which S3 splits',
  },
  partGets: {
    name: 'reads of `parts/` of the bucket',
    unit: 'requests a second',
    allowed: 5500,
    source: 'S3 performance guidelines: a prefix, before S3 has split it',
    remedy: 'none is needed: names begin with a hash, by which S3 splits',
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

export interface LimitUse extends Limit {
  readonly id: LimitName;
  /** In the world of full size; where the run's windows differ, the mean of the steady state. */
  readonly used: number;
  /** The highest that a minute had. */
  readonly peak: number;
  /** `used` of `allowed`: 0.5 is half. */
  readonly share: number;
}

export type Used = Partial<
  Record<LimitName, { readonly used: number; readonly peak: number; readonly allowed?: number }>
>;

/** The nearest first. */
export function limitUses(used: Used): LimitUse[] {
  return (Object.keys(used) as LimitName[])
    .map((id): LimitUse => {
      const { used: mean, peak, allowed = LIMITS[id].allowed } = used[id]!;
      return { id, ...LIMITS[id], allowed, used: mean, peak, share: mean / allowed };
    })
    .sort((a, b) => b.share - a.share);
}
