import { version } from '../shared/core/base/version.ts';
import { type CrawlOptions, InvalidConfig, parseConfig } from '../shared/core/crawl/config.ts';
import { type BoundedKey, missingAt, SETTINGS } from '../shared/core/crawl/settings/settings.ts';
import { isOpenName } from '../shared/crawler/fetcher/without-secrets.ts';
import { smallWorkerOf } from '../shared/crawler/worker/small-worker.ts';
import { RENDERING_REFUSED } from '../shared/engines/aws/control-policy.ts';
import {
  type EncodedSettings,
  STACK_CRAWL_DEFAULTS,
  type StackTimes,
  timesOf,
} from '../shared/engines/aws/settings.ts';
import { crawlFaults } from '../shared/services/project/project-file.ts';
import type { Stores } from './constructs/grants.ts';
import type { CrawlerProps } from './crawler-props.ts';
import { InvalidOptions } from './invalid-options.ts';
import type { StackOptions } from './options.ts';
import { STACK_OPTION_LIST } from './stack-options.ts';

/**
 * The settings that the stack gives its functions and its operators. Names are the CDK's placeholders until
 * it is deployed.
 */
export function settingsOf(
  options: StackOptions,
  { crawl = {}, configFile }: Pick<CrawlerProps, 'crawl' | 'configFile'>,
  { frontier, state, archive, renderer }: Stores,
): EncodedSettings {
  const workerTimeoutMs = options.workerTimeout * 1000;
  const faults = crawlFaults(crawl, ['crawl']);
  if (faults.length > 0) throw new InvalidConfig(faults.join('; '));
  refuseSecrets(crawl);
  const crawlDefaults = fittedCrawl(withoutMachine(crawl, options), timesOf({ workerTimeoutMs }));
  const settings: EncodedSettings = {
    stack: options.stackName,
    version,
    crawlState: state.crawlState.tableName,
    urlSeen: state.urlSeen.tableName,
    bucket: archive.bucket.bucketName,
    turnQueueUrls: frontier.turns.urls,
    backlogQueueUrls: frontier.backlogs.urls,
    startQueueUrl: frontier.startQueue.queueUrl,
    workersPerQueue: Math.floor(options.maxConcurrency / options.turnQueues),
    linkQueueUrl: frontier.linkQueue.queueUrl,
    ...(options.linkShards > 0 && { linkShardUrls: frontier.linkShards.urls }),
    linkDeadLetterUrl: frontier.linkDeadLetters.queueUrl,
    turnDeadLetterUrl: frontier.turnDeadLetters.queueUrl,
    dueShards: options.dueShards,
    workerTimeoutMs,
    hostsPerWorker: options.hostsPerWorker,
    workerMemoryMb: options.workerMemoryMb,
    ...(smallWorkerOf(options) && { smallWorkerMemoryMb: options.smallWorkerMemoryMb }),
    crawlDefaults,
    defaultCrawl: options.defaultCrawl,
    allowPrivateAddresses: options.allowPrivateAddresses,
    limits: limitsOf(options),
    maxCostPerHour: options.maxCostPerHour,
    archiveDays: options.archiveDays,
    ...(!options.indexTables && { indexTables: false }),
    ...(options.allowPorts.length > 0 && { allowPorts: options.allowPorts }),
    ...(configFile !== undefined && { hasHooks: true }),
    ...(options.identityParameter !== undefined && { identityParameter: options.identityParameter }),
    ...(options.webhookParameter !== undefined && { webhookParameter: options.webhookParameter }),
    ...(options.secretsParameter !== undefined && { secretsParameter: options.secretsParameter }),
    ...(renderer && { rendererFunction: renderer.functionName }),
  };
  checkSize(settings, options);
  return settings;
}

/**
 * Leaves out the settings that a stack does not have: a project's file is for both places. A stack has an identity of its
 * own, since settings are in each function's environment and in the stack's outputs. Throws {@link InvalidOptions} if there
 * is none: requests would not be signed.
 */
function withoutMachine(crawl: CrawlOptions, { identityParameter, rendering }: StackOptions): CrawlOptions {
  if (crawl.identity !== undefined && identityParameter === undefined)
    throw new InvalidOptions(
      'crawl.identity: a stack keeps its key in a parameter of the Systems Manager: set the option identityParameter, such ' +
        'as /strand/identity, and after the deployment: strand --stack NAME identity upload FILE',
    );
  const missing = { ...missingAt('stack'), ...(!rendering && RENDERING_REFUSED) };
  const entries = Object.entries(crawl).filter(([key]) => !Object.hasOwn(missing, key));
  return Object.fromEntries(entries);
}

/**
 * Throws {@link InvalidOptions} for settings with secrets: the settings are in the environment of each function, in an
 * output of the stack, and on the deployer's terminal. `identity` is treated by {@link withoutMachine}.
 */
function refuseSecrets({
  headers = {},
  proxies = [],
  auth,
  cookies,
  clientCertificates,
}: CrawlOptions): void {
  const found = [
    ...Object.entries(headers).flatMap(([hosts, fields]) =>
      Object.keys(fields).flatMap((name) => (isOpenName(name) ? [] : [`headers.${hosts}.${name}`])),
    ),
    ...proxies.flatMap((proxy, i) => (hasPassword(proxy) ? [`proxies[${i}]`] : [])),
    ...Object.entries({ auth, cookies, clientCertificates }).flatMap(([key, value]) =>
      Object.keys(value ?? {}).length > 0 ? [key] : [],
    ),
  ].map((key) => `crawl.${key}`);
  if (found.length === 0) return;
  throw new InvalidOptions(
    `${found.join(', ')}: secrets of a deployed project would be in its template and its outputs: leave them out. Put them into ` +
      'the parameter that the option secretsParameter names, or give them to each crawl, for example strand --stack NAME crawl URL ' +
      '--basic-auth @FILE, --header @FILE, --cookies FILE or --proxy URL',
  );
}

const hasPassword = ({ url }: NonNullable<CrawlOptions['proxies']>[number]): boolean => {
  const { username, password } = URL.parse(url) ?? {};
  return Boolean(username || password);
};

const DEFAULT_MIN_DELAY_S = 0.1;

function limitsOf(options: StackOptions): NonNullable<EncodedSettings['limits']> {
  const { allowPrivateAddresses, maxCostPerDay, maxRunningCrawls, allowedDomains } = options;
  const { minDelay = allowPrivateAddresses.length > 0 ? 0 : DEFAULT_MIN_DELAY_S } = options;
  const given = { ...options, minDelay };
  return {
    ...Object.fromEntries(
      STACK_OPTION_LIST.flatMap(([name, { bounds }]) => {
        const value = given[name];
        return bounds !== undefined && typeof value === 'number' ? [[bounds, inUnitOf(bounds, value)]] : [];
      }),
    ),
    ...(maxCostPerDay !== 'none' && { maxCostPerDay }),
    ...(maxRunningCrawls !== undefined && { maxRunningCrawls }),
    ...(allowedDomains.length > 0 && { allowedDomains }),
  };
}

/** Options are seconds where settings are milliseconds. */
const inUnitOf = (key: BoundedKey, value: number): number =>
  SETTINGS[key].type === 'duration' ? Math.round(value * 1000) : value;

/**
 * Throws {@link InvalidConfig} or {@link InvalidOptions} for faults that would otherwise show only when a crawl begins.
 */
function fittedCrawl(crawl: CrawlOptions, times: StackTimes): CrawlOptions {
  const { maxTotalTimeoutMs, maxHookTimeoutMs } = times;
  const fitted = fittedTime(crawl, 'totalTimeoutMs', maxTotalTimeoutMs, 'a fifth');
  return { ...STACK_CRAWL_DEFAULTS, ...fittedTime(fitted, 'hookTimeoutMs', maxHookTimeoutMs, 'a fifteenth') };
}

/** A time that is not given is lowered to what fits. */
function fittedTime(
  crawl: CrawlOptions,
  key: 'totalTimeoutMs' | 'hookTimeoutMs',
  most: number,
  share: string,
): CrawlOptions {
  const time = parseConfig(crawl)[key];
  if (time <= most) return crawl;
  if (crawl[key] === undefined) return { ...crawl, [key]: most };
  throw new InvalidOptions(`crawl.${key}: expected at most ${most}, ${share} of workerTimeout, got ${time}`);
}

/**
 * A function's environment holds 4 KB (Lambda quotas). Lambda counts it as JSON, in which each quote of the settings takes a
 * backslash (its error has "String measured: {"NAME":"{\\"key\\":..."}").
 */
const ENVIRONMENT_BYTES = 4096;

/** Bytes that a name takes at most which is not known before the deployment. Names of queues have 80 (SQS quotas), functions 64, buckets 63. */
const QUEUE_URL_BYTES = 'https://sqs.ap-southeast-1.amazonaws.com/123456789012/'.length + 80;
const NAME_BYTES: Readonly<Record<string, number>> = {
  bucket: 63,
  rendererFunction: 64,
  startQueueUrl: QUEUE_URL_BYTES,
  linkQueueUrl: QUEUE_URL_BYTES,
  linkDeadLetterUrl: QUEUE_URL_BYTES,
  turnDeadLetterUrl: QUEUE_URL_BYTES,
  // The URLs of many queues.
  pattern: QUEUE_URL_BYTES,
};
/** The stack's name, the path of the construct, and a random end. */
const TABLE_BYTES = 128;

/** The settings as long as they may become. A placeholder of the CDK stands for each name. */
const longest = (settings: EncodedSettings): object =>
  JSON.parse(JSON.stringify(settings), (key, value) => {
    const most = NAME_BYTES[key] ?? TABLE_BYTES;
    return typeof value === 'string' ? value.replace(/\$\{Token\[[^\]]+\]\}/g, 'x'.repeat(most)) : value;
  });

/** Throws {@link InvalidOptions} if the settings may not fit into the environment of each function. */
function checkSize(settings: EncodedSettings, { workerEnvironment }: StackOptions): void {
  const environment = {
    ...workerEnvironment,
    ...{ STRAND_SMALL_WORKER: 'true', NODE_OPTIONS: '--enable-source-maps --max-old-space-size=1200' },
    STRAND_SETTINGS: JSON.stringify(longest(settings)),
  };
  const bytes = Buffer.byteLength(JSON.stringify(environment));
  if (bytes <= ENVIRONMENT_BYTES) return;
  throw new InvalidOptions(
    `The crawl settings of the project's file and the lists of the stack are ${bytes - ENVIRONMENT_BYTES} bytes longer than what fits into a function's environment: give long lists to each crawl`,
  );
}
