/**
 * The one list of what can be set about a stack: name, type, unit, default. From the command line or
 * `cdk.json` (`-c workerTimeout=300`, where all values are texts), over the key `aws` of `strand.config.ts`.
 */
import { z } from 'zod';
import { DOMAIN } from '../shared/core/crawl/domains.ts';
import { didYouMean } from '../shared/core/text/nearest.ts';
import { parseCidr } from '../shared/crawler/fetcher/ip-address.ts';
import { MAX_QUEUES, STACK_POOL_DEFAULTS } from '../shared/engines/aws/settings.ts';
import { InvalidOptions } from './invalid-options.ts';

/**
 * Returns the value of a text from the command line: `300`, `true`, `{"a":"b"}`; otherwise the text itself.
 */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The message of each check names the expected value: the error for people is made of it. */
const number = (unit: string, min: number, max: number) => {
  const error = `a number of ${unit} from ${min} to ${max}`;
  return z.preprocess(fromText, z.number({ error }).min(min, { error }).max(max, { error }));
};
const whole = (unit: string, min: number, max: number) => {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return z.preprocess(fromText, z.int({ error }).min(min, { error }).max(max, { error }));
};
const oneOf = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });
const matching = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });
const flag = z.preprocess(fromText, z.boolean({ error: 'true or false' }));

const CIDRS = 'CIDR blocks, such as 10.0.0.0/8, separated by commas';
const cidrs = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter((part) => part !== '') : value),
  z.array(
    z.string({ error: CIDRS }).refine((text) => parseCidr(text) !== undefined, { error: CIDRS }),
    { error: CIDRS },
  ),
);

const DOMAINS = 'domains in lower case, such as example.org, separated by commas';
const domains = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value),
  z.array(matching(DOMAIN, DOMAINS), { error: DOMAINS }).max(100, { error: '100 domains at most' }),
);

const PORTS = 'ports from 1 to 65535, separated by commas';
const ports = z.preprocess(
  (value) =>
    typeof value === 'string' || typeof value === 'number'
      ? String(value).split(',').filter(Boolean).map(Number)
      : value,
  z.array(z.int({ error: PORTS }).min(1, { error: PORTS }).max(65_535, { error: PORTS }), { error: PORTS }),
);

const ADOPTED = 'a JSON object of the names crawlState, urlSeen and bucket';
const NAME = matching(/^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/, ADOPTED);

const SMALL_MIN_MB = 384;
const SMALL = `0 or a whole number of MB from ${SMALL_MIN_MB} to 10240`;

/** US dollars that crawls may cost in a day where the deployer says nothing: some ten million pages of a fast crawl. */
export const DEFAULT_COST_PER_DAY = 10;
const MAX_DOLLARS = 1_000_000;
const DOLLARS_OR_NONE = `a number of dollars from 0.01 to ${MAX_DOLLARS}, or none`;

const TAGS = 'a JSON object of texts by names of tags';
const VARIABLES = 'a JSON object of texts by names of environment variables';
const variables = z.preprocess(
  fromText,
  z.record(matching(/^[A-Za-z]\w*$/, VARIABLES), z.string({ error: VARIABLES }), { error: VARIABLES }),
);

/** The name of a parameter of the Systems Manager, or below `/aws` a reference to a secret of the Secrets Manager. */
const PARAMETER = /^(?:\/[A-Za-z0-9_.-]+){1,15}$/;
/** As above, for a writable one. */
const OWN_PARAMETER = /^(?!\/aws\/)(?:\/[A-Za-z0-9_.-]+){1,15}$/;

/** The numbers of days that a log group may keep its lines (CloudWatch Logs API, PutRetentionPolicy). */
const RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

export const stackOptionsSchema = z.strictObject({
  /** It distinguishes several stacks in one account and region. */
  stackName: matching(
    /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
    'a letter, then letters, digits and hyphens, 64 at most',
  ).default('Strand'),

  // ---- the worker
  /**
   * Seconds that a worker may run. All other times follow from it: lease, last request, last host taken on.
   */
  workerTimeout: whole('seconds', 60, 900).default(600),
  /**
   * MB. 1,769 is one whole CPU (Lambda developer guide, memory). A worker mostly waits, so its memory decides what a page
   * costs; a worker of 200 hosts with pages of 160 KB has used 740 MB.
   */
  workerMemoryMb: whole('MB', 256, 10_240).default(STACK_POOL_DEFAULTS.workerMemoryMb),
  /**
   * MB of the small worker, which serves a pool's hosts when there are few of them, as at a crawl's end: of the same code, and
   * cheaper while it waits. 0, or no less than `workerMemoryMb`: there is none.
   */
  smallWorkerMemoryMb: z
    .preprocess(fromText, z.union([z.literal(0), z.int().min(SMALL_MIN_MB).max(10_240)], { error: SMALL }))
    .default(STACK_POOL_DEFAULTS.smallWorkerMemoryMb),
  /** Hosts that one worker serves at once: each waits most of the time, so this decides the bill. */
  hostsPerWorker: whole('hosts', 1, 500).default(STACK_POOL_DEFAULTS.hostsPerWorker),
  /** Workers at once, over all turn queues, at most. There are as many as the hosts need. */
  maxConcurrency: whole('workers', 2, 1000).default(STACK_POOL_DEFAULTS.maxConcurrency),

  // ---- shards
  /**
   * FIFO queues of the hosts' messages. SQS looks at the first 120,000 messages of a queue for free groups:
   * with one queue for each 25,000 hosts that are crawled at the same time, each host can have some messages.
   */
  turnQueues: whole('queues', 1, MAX_QUEUES).default(1),
  /**
   * Queues in which the router gathers links to very many hosts once more, for up to 5 minutes: one for each
   * 100 pages a second of a broad crawl. 0: links go to their hosts at once.
   */
  linkShards: whole('queues', 0, MAX_QUEUES).default(0),
  /** Partitions of the index of due hosts. May grow, never shrink. */
  dueShards: whole('shards', 1, 64).default(8),
  /** Seconds over which the router gathers links: longer means fewer, larger messages to each host. */
  routerWindow: whole('seconds', 0, 300).default(5),

  // ---- access
  /** Who may call the API: callers that IAM allows, or callers with the key. Never everybody. */
  apiAuth: oneOf('iam', 'key').default('iam'),
  /** CIDR blocks of special addresses that crawls of this stack may be allowed to connect to. */
  allowPrivateAddresses: cidrs.default([]),

  /** Ports that browsers refuse, and that crawls of this stack may be allowed to request. */
  allowPorts: ports.default([]),

  /**
   * Parameter of the Systems Manager (SecureString) with the identity by which all requests are signed. It is not a part
   * of the stack, whose template would hold the key: `strand --stack NAME identity upload FILE` makes it.
   */
  identityParameter: matching(
    OWN_PARAMETER,
    'a path such as /strand/identity: letters, digits, ., - and _ after each /',
  ).optional(),

  /**
   * Parameter of the Systems Manager (SecureString) with the webhook of the stack, `{ "url": ..., "secret": ... }`. It is not a
   * part of the stack either: `aws ssm put-parameter` makes it. `/aws/reference/secretsmanager/NAME` is a secret of the Secrets
   * Manager.
   */
  webhookParameter: matching(
    PARAMETER,
    'a path such as /strand/webhook: letters, digits, ., - and _ after each /',
  ).optional(),

  /**
   * Parameter of the Systems Manager (SecureString) with headers, cookies, passwords and proxies that all crawls use, as JSON of the
   * project file's keys. The worker alone reads it. `aws ssm put-parameter` makes it. `/aws/reference/secretsmanager/NAME` is a
   * secret of the Secrets Manager.
   */
  secretsParameter: matching(
    PARAMETER,
    'a path such as /strand/secrets: letters, digits, ., - and _ after each /',
  ).optional(),

  // ---- limits that no caller can exceed
  /**
   * Seconds between two requests to a host at least. By default 0.1, or 0 where crawls may connect to private addresses:
   * such a stack is for servers of the deployer's own.
   */
  minDelay: number('seconds', 0, 3600).optional(),
  /** Seconds between two requests to an IP address at least, over all hosts at it. */
  minIpDelay: number('seconds', 0, 60).optional(),
  /** Requests to a host at once. */
  maxPerHost: whole('requests', 1, 64).optional(),
  /** Bytes a second of all hosts of a crawl together. */
  maxBytesPerSecond: whole('bytes', 100, 1_000_000_000_000).optional(),
  /** Bytes a second of one host. */
  maxBytesPerSecondPerHost: whole('bytes', 100, 1_000_000_000_000).optional(),
  /** US dollars of one crawl. */
  maxCostPerCrawl: number('dollars', 0.01, MAX_DOLLARS).optional(),
  /** US dollars of all crawls in a day (UTC): then they are paused until the next one. */
  maxCostPerDay: z
    .preprocess(
      fromText,
      z.union(
        [
          z.literal('none'),
          z.number().min(0.01, { error: DOLLARS_OR_NONE }).max(MAX_DOLLARS, { error: DOLLARS_OR_NONE }),
        ],
        { error: DOLLARS_OR_NONE },
      ),
    )
    .default(DEFAULT_COST_PER_DAY),
  /** Crawls that run at the same time. */
  maxRunningCrawls: whole('crawls', 1, 10_000).optional(),
  /** Domains that may be crawled, with all below them. */
  allowedDomains: domains.default([]),

  // ---- data
  /**
   * Write units a second that both tables can take from the first moment on. DynamoDB gives a new one 4,000, and twice its last
   * peak later (developer guide, "Warm throughput"). The rise is paid for once, and can not be taken back.
   */
  warmWriteUnits: whole('write units a second', 4000, 40_000).optional(),
  /** The removal policy of tables and bucket. `destroy` deletes all that was ever fetched. */
  removalPolicy: oneOf('retain', 'destroy').default('retain'),
  /**
   * Tables and bucket of an earlier stack, which its removal policy `retain` has left: they are used as they are, and neither
   * changed nor deleted.
   */
  adopt: z
    .preprocess(
      fromText,
      z.strictObject({ crawlState: NAME, urlSeen: NAME, bucket: NAME }, { error: ADOPTED }),
    )
    .optional(),
  /** ARN of a KMS key that encrypts tables, bucket and queues. */
  kmsKey: matching(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/\S{1,200}$/, 'the ARN of a KMS key').optional(),
  /** Every state of the tables in the last 35 days can be restored; $0.20 for each GB and month. */
  pointInTimeRecovery: flag.default(false),
  /** The crawl that a seed belongs to which names none. */
  defaultCrawl: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ., _ and -').default(
    'default',
  ),

  /** Storage class of WARC files, their tables and items after {@link archiveClassAfterDays}. All of these are read at once. */
  archiveClass: oneOf('STANDARD', 'STANDARD_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR').default('STANDARD'),
  /** S3 moves no younger object to STANDARD_IA; younger files may still be joined. */
  archiveClassAfterDays: whole('days', 30, 3650).default(30),
  /** WARC files, their tables and items are deleted when they are so old. Default: never. */
  archiveDays: whole('days', 1, 36_500).optional(),

  // ---- tables for queries
  /**
   * Whether the compactor writes the captures of the files that it joins as Parquet tables, too, for Athena, Spark and
   * DuckDB. It takes less than half a percent of what a crawl costs (docs/tables.md), so it is on.
   */
  indexTables: flag.default(true),
  /**
   * Whether these tables are in a Glue database, with an Athena workgroup. Database and workgroup cost nothing at rest.
   */
  catalog: flag.default(false),
  /** GB that one query of the workgroup may read at most: $0.005 each. */
  catalogMaxScanGb: whole('GB', 1, 10_000).default(10),

  // ---- the account's own rules
  /** Tags of all resources, as a JSON object of texts. */
  tags: z
    .preprocess(
      fromText,
      z.record(matching(/^[^\s].{0,127}$/, TAGS), z.string({ error: TAGS }).max(256), { error: TAGS }),
    )
    .default({}),
  /** ARN of a managed policy that bounds all roles of the stack. */
  permissionsBoundary: matching(
    /^arn:[\w-]+:iam::[\w]*:policy\/\S{1,200}$/,
    'the ARN of a managed policy',
  ).optional(),
  /** Whether there is a managed policy for operators: all that the command line needs. */
  operatorPolicy: flag.default(false),
  /** Whether requests leave by one fixed address: a VPC with a NAT gateway, $33 a month and $0.045 for each GB. */
  fixedAddress: flag.default(false),

  // ---- watching
  logRetentionDays: z
    .preprocess(fromText, z.literal(RETENTIONS, { error: `one of ${RETENTIONS.join(', ')} days` }))
    .default(30),
  /** Traces by X-Ray; $5 for a million. */
  tracing: flag.default(false),
  /** The first three dashboards of an account are free; another is $3 a month. */
  dashboard: flag.default(true),
  /** Where alarms go by mail; the address has to confirm. Without one, they only are in CloudWatch. */
  alarmEmail: z.email({ error: 'a mail address' }).optional(),
  /**
   * US dollars that crawls may cost in an hour before an alarm says so. It stops nothing: `maxCost` of a
   * crawl does.
   */
  maxCostPerHour: number('dollars', 0.01, MAX_DOLLARS).default(5),

  /** US dollars of the account's bill of a month: AWS Budgets mails `alarmEmail` at 80 % and when more are expected. */
  budgetUsd: number('dollars', 1, MAX_DOLLARS).optional(),

  /**
   * Parameter of the Systems Manager that holds the stack's settings, for a command line without access to
   * CloudFormation.
   */
  parameterName: matching(
    /^(?:\/[A-Za-z0-9_.-]+){1,15}$/,
    'a path such as /strand/news: letters, digits, ., - and _ after each /',
  ).optional(),

  // ---- the project's code
  /** Environment variables of the worker, and of the waker if the project has a file. */
  workerEnvironment: variables.default({}),
});

/** A stack's options, complete. */
export type StackOptions = Readonly<z.infer<typeof stackOptionsSchema>>;

/** The complete options. Throws {@link InvalidOptions} with a line for each that is unknown or wrong. */
export function parseOptions(given: Readonly<Record<string, unknown>>): StackOptions {
  const parsed = stackOptionsSchema.safeParse(given);
  if (!parsed.success) throw new InvalidOptions(parsed.error.issues.flatMap(linesOf(given)).join('\n'));
  const { maxConcurrency, turnQueues } = parsed.data;
  if (maxConcurrency < 2 * turnQueues) {
    throw new InvalidOptions(
      `Option maxConcurrency: expected at least 2 workers for each of ${turnQueues} turnQueues, got ${maxConcurrency}`,
    );
  }
  if (parsed.data.catalog && !parsed.data.indexTables)
    throw new InvalidOptions('Option catalog: expected indexTables=true, whose tables it is for, got false');
  if (parsed.data.budgetUsd !== undefined && parsed.data.alarmEmail === undefined)
    throw new InvalidOptions('Option budgetUsd: expected alarmEmail, the address to which it is mailed');
  return parsed.data;
}

/** The options among the context of a CDK app, whose own keys have a `:`, a `/` or an `@` in them. */
export function optionsInContext(context: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOption = (key: string) => !/[:/@]/.test(key) && !NO_OPTIONS.has(key);
  return Object.fromEntries(Object.entries(context).filter(([key]) => isOption(key)));
}

/** The project's file, where the context names one (`-c config=FILE`). Throws {@link InvalidOptions}. */
export function projectFileIn({ config }: Readonly<Record<string, unknown>>): string | undefined {
  if (config === undefined || (typeof config === 'string' && config !== '')) return config;
  throw new InvalidOptions(`Option config: expected the path of a file, got ${JSON.stringify(config)}`);
}

/** `config` names the project's file; the others are the CDK command line's. */
const NO_OPTIONS: ReadonlySet<string> = new Set(['config', 'acknowledged-issue-numbers', 'cli-telemetry']);

const linesOf =
  (given: Readonly<Record<string, unknown>>) =>
  (issue: z.core.$ZodIssue): string[] => {
    const names = Object.keys(stackOptionsSchema.shape);
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      return issue.keys.map((key) => {
        const hint = didYouMean(key, names, `expected one of ${names.join(', ')}`);
        return `There is no option ${key}: ${hint}`;
      });
    }
    const name = String(issue.path[0]);
    // Keys that an object of an option does not have.
    const expected = issue.code === 'unrecognized_keys' ? ADOPTED : issue.message;
    return [`Option ${name}: expected ${expected}, got ${JSON.stringify(given[name])}`];
  };
