/**
 * The settings that a deployed stack gives its functions (each as the environment variable `STRAND_SETTINGS`)
 * and its operators' command line (the stack's output `Settings`): one JSON object, one schema.
 */
import { z } from 'zod';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import { optionalShape } from '../../core/crawl/settings/kinds.ts';
import { BOUNDED_SETTINGS, SETTING_LIST } from '../../core/crawl/settings/settings.ts';
import { HOOK_CALLS } from '../../crawler/turn/page-hooks.ts';

const text = z.string().min(1);
const positive = z.int().min(1);

/** More queues of a kind than any stack needs; the limit of its template. */
export const MAX_QUEUES = 64;

/**
 * URLs of queues of a kind. `*` of the pattern means their numbers, 0 to `count` - 1: written out, so
 * many would not fit into a function's environment.
 */
const queueUrls = z
  .union([
    z.array(text),
    z.strictObject({ pattern: z.string().regex(/^[^*]+\*[^*]*$/), count: positive.max(MAX_QUEUES) }),
  ])
  .transform((urls): readonly string[] =>
    'pattern' in urls
      ? Array.from({ length: urls.count }, (_, shard) => urls.pattern.replace('*', String(shard)))
      : urls,
  );

export const stackSettingsSchema = z.strictObject({
  /** The stack's name. */
  stack: text,
  /** The version of Strand that deployed it. */
  version: text.optional(),
  /** Table of heads, crawls and totals. */
  crawlState: text,
  /** Table of the ledgers' parts. */
  urlSeen: text,
  /** Bucket of large parts and WARC files. */
  bucket: text,
  /**
   * FIFO queues of the hosts' messages: a host belongs to queue `hash(host) mod n`. Their number may change only while
   * all of them are empty (all crawls paused, nothing received): else a host's messages may be in two queues at once,
   * and two workers send requests to it at the same time.
   */
  turnQueueUrls: queueUrls.refine((urls) => urls.length > 0, { error: 'at least one turn queue' }),
  /**
   * FIFO queues in which hosts of crawls that hold more than their share wait, one for each turn queue
   * (`fair-turn-queue.ts`).
   */
  backlogQueueUrls: queueUrls,
  /** Standard queue whose messages start workers (`start-message.ts`). */
  startQueueUrl: text,
  /** Workers of one turn queue at most. */
  workersPerQueue: positive,
  /** Standard queue of links between hosts, and of seeds. */
  linkQueueUrl: text,
  /**
   * Standard queues in which the router gathers links once more, by hosts (`link-shards.ts`); none: it does
   * not. Their number may grow at any time, and shrink while they are empty.
   */
  linkShardUrls: queueUrls.default([]),
  /** Where the router puts messages that it cannot read, with the reason. */
  linkDeadLetterUrl: text,
  /** Where a worker puts messages of the turn queues that it cannot read. */
  turnDeadLetterUrl: text,
  /** Partitions of the index of due hosts, for each crawl. May grow, never shrink. */
  dueShards: positive.max(64),
  /** A worker's whole time: the function's time-out. All other times follow from it (`timesOf`). */
  workerTimeoutMs: positive.min(60_000).max(900_000),
  /** Hosts that one worker serves at once. */
  hostsPerWorker: positive.max(500),
  /** Memory of the worker function in MB, by which its time is billed. */
  workerMemoryMb: positive,
  /** Memory of the small worker in MB (`worker/small-worker.ts`). Without it, or if it is not less, there is none. */
  smallWorkerMemoryMb: positive.optional(),
  /** The defaults of a crawl's settings. */
  crawlDefaults: z.record(z.string(), z.unknown()),
  /** The crawl that a seed belongs to which names none. */
  defaultCrawl: text,
  /** CIDR blocks of special addresses that crawls of this stack may be allowed to connect to. */
  allowPrivateAddresses: z.array(z.string()),
  /** Limits that no caller can exceed (`control/deployer-limits.ts`). */
  limits: z
    .strictObject({
      ...optionalShape(BOUNDED_SETTINGS),
      maxCostPerDay: z.number().positive(),
      maxRunningCrawls: positive,
      allowedDomains: z.array(text),
    })
    .partial()
    .optional(),
  /** US dollars that all crawls may cost in an hour before the operator's attention is called. */
  maxCostPerHour: z.number().positive().optional(),
  /** Days after which WARC files are deleted. Absent: they are kept. */
  archiveDays: positive.optional(),
  /** Whether the compactor writes the captures of joined files as Parquet tables. Default: yes. */
  indexTables: z.boolean().optional(),
  /** Ports that browsers refuse, and that crawls of this stack may be allowed to request. */
  allowPorts: z.array(z.int()).optional(),
  /** Parameter of the Systems Manager with the identity that signs all requests. Absent: they are not signed. */
  identityParameter: text.optional(),
  /** Whether the workers have the code of a project, whose hooks make requests. */
  hasHooks: z.boolean().optional(),
  /** Parameter of the Systems Manager with the webhook. Absent: events go to the event bus alone. */
  webhookParameter: text.optional(),
  /** The function that renders pages. Absent: the stack renders none. */
  rendererFunction: text.optional(),
  /** Parameter of the Systems Manager with headers, cookies, passwords and proxies of all crawls. Absent: none. */
  secretsParameter: text.optional(),
});

/** The settings of a deployed stack. */
export type StackSettings = Readonly<Omit<z.output<typeof stackSettingsSchema>, 'crawlDefaults'>> & {
  readonly crawlDefaults: CrawlOptions;
};

/** The settings as encoded: queues may be given by a pattern. */
export type EncodedSettings = Readonly<Omit<z.input<typeof stackSettingsSchema>, 'crawlDefaults'>> & {
  readonly crawlDefaults: CrawlOptions;
};

/** Throws an error that names the key at fault. */
export function parseStackSettings(json: string | undefined): StackSettings {
  if (json === undefined) throw new Error('Expected the settings of a stack in STRAND_SETTINGS, got nothing');
  const parsed = stackSettingsSchema.safeParse(JSON.parse(json));
  if (!parsed.success)
    throw new Error(`The settings of the stack are not valid: ${z.prettifyError(parsed.error)}`);
  return parsed.data as StackSettings;
}

/** The defaults of a stack's crawls where they differ from one machine's. */
export const STACK_CRAWL_DEFAULTS = Object.fromEntries(
  SETTING_LIST.flatMap(([key, { stackDefault }]) =>
    stackDefault === undefined ? [] : [[key, stackDefault]],
  ),
) as { readonly turnMaxMs: number };

/** The defaults of the options that decide how many workers a stack has, and what each costs (`cdk/options.ts`). */
export const STACK_POOL_DEFAULTS = {
  hostsPerWorker: 300,
  maxConcurrency: 50,
  workerMemoryMb: 1280,
  smallWorkerMemoryMb: 512,
};

export interface StackTimes {
  /** The lease of a host: if its worker dies, the host waits until its end. */
  readonly leaseMs: number;
  /** The queues' own visibility timeout, for messages that an event source holds: outlasts any worker. */
  readonly visibilityMs: number;
  /** `totalTimeoutMs` of a crawl may be so long: a worker must see its last request to the end. */
  readonly maxTotalTimeoutMs: number;
  /** `hookTimeoutMs` may be so long, if the project has hooks: the same for the hooks after that request. */
  readonly maxHookTimeoutMs: number;
  /** Reading a document may take so long: the same for one that is the answer to the last request. */
  readonly maxDocumentMs: number;
  /** A worker takes on no host later than this after its start. */
  readonly receiveMs: number;
}

/** For the work after a worker's last request: the commit of its turns. */
const END_MS = 13_000;
/** The longest that the reading of a document takes. */
export const DOCUMENT_MS = 20_000;
/** A lease leaves a turn this long for its requests, even if the last of them and its hooks take longest. */
const TURN_MS = 60_000;

/**
 * All times that depend on each other, from the one that the operator sets. Lambda refuses an event source
 * whose visibility timeout is below the function's time-out.
 */
export function timesOf({ workerTimeoutMs }: Pick<StackSettings, 'workerTimeoutMs'>): StackTimes {
  const maxTotalTimeoutMs = Math.floor(workerTimeoutMs / 5);
  const visibilityMs = Math.ceil((workerTimeoutMs * 1.1) / 1000) * 1000;
  // With the shortest time-out, 60 s, a worker has 19 s for receiving hosts beside the longest of everything else: with less,
  // most of its time is paid for only to end its turns.
  const maxDocumentMs = Math.min(DOCUMENT_MS, Math.floor(workerTimeoutMs / 15));
  return {
    // The longest exchange, hooks that may take as long, and the reading of a document.
    leaseMs: Math.min(visibilityMs, TURN_MS + 2 * maxTotalTimeoutMs + maxDocumentMs + END_MS),
    visibilityMs,
    maxTotalTimeoutMs,
    maxHookTimeoutMs: Math.floor(maxTotalTimeoutMs / HOOK_CALLS),
    maxDocumentMs,
    receiveMs: workerTimeoutMs - maxTotalTimeoutMs - END_MS,
  };
}

/**
 * The region that the queues' URLs name, `https://sqs.REGION.amazonaws.com/...`: the stack's own, known
 * without a call.
 */
export const regionOf = ({ linkQueueUrl }: Pick<StackSettings, 'linkQueueUrl'>): string | undefined =>
  /^https?:\/\/sqs\.([a-z0-9-]+)\./.exec(linkQueueUrl)?.[1];
