/** The one list of what can be set about a stack. */
import { z } from 'zod';
import { MAX_QUEUES, STACK_POOL_DEFAULTS } from '../shared/engines/aws/settings.ts';
import * as kind from './option-kinds.ts';
import { option } from './option-kinds.ts';
import type { StackOption } from './stack-option.ts';

export const ADOPTED = 'a JSON object of the names crawlState, urlSeen and bucket';
const NAME = z.string({ error: ADOPTED }).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/, { error: ADOPTED });

const SMALL_MIN_MB = 384;
const SMALL = `0 or a whole number of MB from ${SMALL_MIN_MB} to 10240`;

/** US dollars that crawls may cost in a day where the deployer says nothing: some ten million pages of a fast crawl. */
const DEFAULT_COST_PER_DAY = 10;
const MAX_DOLLARS = 1_000_000;
const DOLLARS_OR_NONE = `a number of dollars from 0.01 to ${MAX_DOLLARS}, or none`;

const dollars = z.number().min(0.01, { error: DOLLARS_OR_NONE }).max(MAX_DOLLARS, { error: DOLLARS_OR_NONE });
const dollarsOrNone = z.union([z.literal('none'), dollars], { error: DOLLARS_OR_NONE });

/** The numbers of days that a log group may keep its lines (CloudWatch Logs API, PutRetentionPolicy). */
const RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;
const retention = z.literal(RETENTIONS, { error: `one of ${RETENTIONS.join(', ')} days` });

export const STACK_OPTIONS = {
  stackName: option(
    kind.matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter, then letters, digits and hyphens, 64 at most'),
    {
      doc: 'Name of the stack; it distinguishes several stacks in one account and region',
      default: 'Strand',
    },
  ),

  // ---- the worker. Lease, last request and last host taken on follow from its time.
  workerTimeout: option(kind.wholeSeconds(60, 900), {
    doc: 'How long a worker may run, 60 to 900 seconds; the other times follow from it',
    page: 'aws.md#times',
    default: 600,
  }),
  // A worker of 200 hosts with pages of 160 KB has used 740 MB.
  workerMemoryMb: option(kind.whole('MB', 256, 10_240), {
    doc: 'MB of a worker, 256 to 10,240; 1,769 is one whole CPU',
    more: 'A worker mostly waits, so its memory decides the cost of a page.',
    page: 'aws.md#while-it-crawls',
    default: STACK_POOL_DEFAULTS.workerMemoryMb,
  }),
  smallWorkerMemoryMb: option(
    kind.checkedBy(
      z.union([z.literal(0), z.int().min(SMALL_MIN_MB).max(10_240)], { error: SMALL }) as z.ZodType<number>,
    ),
    {
      doc: "MB of the small worker, which serves few hosts, as at a crawl's end: 384 to 10,240; 0, or no less than `workerMemoryMb`: there is none",
      more: 'A project with code of its own (hooks, middleware, modules) runs in full-size workers alone.',
      page: 'decisions/0043-a-small-worker-for-few-hosts.md',
      default: STACK_POOL_DEFAULTS.smallWorkerMemoryMb,
    },
  ),
  hostsPerWorker: option(kind.whole('hosts', 1, 500), {
    doc: 'Hosts that one worker serves at once, 1 to 500; it decides the cost, because a worker mostly waits',
    more: 'A worker that uses more than four fifths of its memory takes on no more hosts; a worker that uses more than four fifths of its CPU for a minute serves fewer, so that another worker is started.',
    default: STACK_POOL_DEFAULTS.hostsPerWorker,
  }),
  maxConcurrency: option(kind.whole('workers', 2, 1000), {
    doc: 'Workers at once for all turn queues together at most, 2 to 1,000; at least 2 for each queue',
    more: 'There are as many as the hosts need.',
    default: STACK_POOL_DEFAULTS.maxConcurrency,
  }),

  // ---- pages that scripts fill
  rendering: option(kind.flag, {
    doc: 'Whether the stack has a function that renders pages, for crawls with `render`; it needs the package `@sparticuz/chromium`',
    costs: '$27 to $55 for a million rendered pages; nothing at rest',
    page: 'rendering.md#on-a-stack',
    default: false,
  }),
  // A new account has a concurrency of 10, of which nothing can be reserved.
  maxRenderers: option(kind.whole('pages', 1, 1000), {
    doc: 'Pages that all workers render at once at most, 1 to 1,000: so much concurrency of the account is reserved for them',
    more: 'Default: what the workers need, eight each at most.',
    page: 'rendering.md#on-a-stack',
  }),

  // ---- shards. SQS looks at the first 120,000 messages of a queue for free groups.
  turnQueues: option(kind.whole('queues', 1, MAX_QUEUES), {
    doc: "FIFO queues of the hosts' messages, 1 to 64: one for each 25,000 hosts that are crawled at the same time",
    more: 'Change it only while all of them are empty.',
    page: 'aws.md#shards',
    default: 1,
  }),
  linkShards: option(kind.whole('queues', 0, MAX_QUEUES), {
    doc: 'Queues that gather links to very many hosts for up to 5 minutes, 0 to 64: one for each 100 pages a second of a broad crawl',
    page: 'aws.md#shards',
    default: 0,
  }),
  dueShards: option(kind.whole('shards', 1, 64), {
    doc: 'Partitions of the index of due hosts, 1 to 64; may be raised, never lowered',
    default: 8,
  }),
  routerWindow: option(kind.wholeSeconds(0, 300), {
    doc: 'How long the router gathers links, up to 300 seconds; longer means fewer, larger messages',
    default: 5,
  }),

  // ---- access
  apiAuth: option(kind.oneOf('iam', 'key'), {
    doc: 'Who may call the API: callers that IAM allows (`iam`), or callers that have the key (`key`)',
    default: 'iam',
  }),
  allowPrivateAddresses: option(kind.cidrs, {
    doc: 'CIDR blocks of special addresses, such as `10.0.0.0/8`, that crawls may be allowed to connect to',
    default: [],
  }),
  allowPorts: option(kind.ports, {
    doc: 'Ports that browsers refuse, and that crawls may be allowed to use',
    default: [],
  }),
  identityParameter: option(kind.parameter('/strand/identity', '(?!/aws/)'), {
    doc: 'Name of a Systems Manager parameter with the identity that signs all requests, such as `/strand/identity`',
    more: '`strand --stack NAME identity upload FILE` makes it, after the deployment.',
    page: 'identity.md#on-a-stack',
  }),
  webhookParameter: option(kind.parameter('/strand/webhook'), {
    doc: 'Name of a Systems Manager parameter (SecureString) with the webhook, such as `/strand/webhook`',
    more: '`{ "url": ..., "secret": ... }`: an http(s) URL, and the key of the signature, at least 16 characters. Make it with `aws ssm put-parameter`: a template must not hold it. `/aws/reference/secretsmanager/NAME` is a secret of the Secrets Manager.',
    page: 'aws.md#events',
  }),
  secretsParameter: option(kind.parameter('/strand/secrets'), {
    doc: 'Name of a Systems Manager parameter (SecureString) with headers, cookies, passwords and proxies that all crawls use, such as `/strand/secrets`',
    more: '`{ "headers": ..., "cookies": ..., "auth": ..., "proxies": ... }`, each as in `crawl`, headers and passwords for hosts by name. Make it with `aws ssm put-parameter`. `/aws/reference/secretsmanager/NAME` is a secret of the Secrets Manager.',
    page: 'network.md#where-secrets-are-kept',
  }),

  // ---- limits that no caller can exceed
  minDelay: option(kind.seconds(0, 3600), {
    doc: 'Seconds between two requests to a host at least, 0 to 3,600: no crawl can be faster',
    preset: '0.1, or 0 with `allowPrivateAddresses`',
    bounds: 'delayMs',
  }),
  minIpDelay: option(kind.seconds(0, 60), {
    doc: 'Seconds between two requests to an IP address at least, 0 to 60, over all hosts at it',
    more: "A crawl can then except only blocks that the deployment's own `ipDelayExcept` has.",
    page: 'politeness.md#hosts-that-share-an-ip-address',
    bounds: 'ipDelayMs',
  }),
  maxPerHost: option(kind.whole('requests', 1, 64), {
    doc: 'Requests to a host at once at most, 1 to 64: no crawl can have more',
    bounds: 'perHost',
  }),
  maxBytesPerSecond: option(kind.whole('bytes', 100, 1_000_000_000_000), {
    doc: 'Bytes a second that all hosts together send a crawl at most; a crawl that names none gets this',
    page: 'politeness.md#bytes-a-second-of-all-hosts',
    bounds: 'maxBytesPerSecond',
  }),
  maxBytesPerSecondPerHost: option(kind.whole('bytes', 100, 1_000_000_000_000), {
    doc: 'Bytes a second that a host sends a crawl at most; a crawl that names none gets this',
    page: 'politeness.md#bytes-a-second',
    bounds: 'maxBytesPerSecondPerHost',
  }),
  maxCostPerCrawl: option(kind.number('dollars', 0.01, MAX_DOLLARS), {
    doc: 'US dollars that a crawl may cost: it is paused before it costs more; a crawl without `maxCost` gets this one',
    bounds: 'maxCost',
  }),
  maxCostPerDay: option(kind.checkedBy(dollarsOrNone), {
    doc: "US dollars that all crawls together may cost in a day (UTC), or `'none'`",
    more: 'When they have, all are paused, and none can begin or resume on that day. They go on by themselves on the next one.',
    page: 'aws.md#limit-of-a-day',
    default: DEFAULT_COST_PER_DAY,
  }),
  maxRunningCrawls: option(kind.whole('crawls', 1, 10_000), {
    doc: 'Crawls that run at the same time at most',
  }),
  allowedDomains: option(kind.domains, {
    doc: 'Domains such as `example.org` that crawls may request, with all hosts below them; none: any domain',
    default: [],
  }),

  // ---- data. DynamoDB gives a new table 4,000 units (developer guide, "Warm throughput").
  warmWriteUnits: option(kind.whole('write units a second', 4000, 40_000), {
    doc: 'Write units a second that both tables take from the first moment on, 4,000 to 40,000',
    more: 'DynamoDB gives a new table 4,000, enough for some 7,000 pages a second, and later twice its last peak. The rise is paid for once, and cannot be taken back. Not for tables of an earlier stack.',
  }),
  removalPolicy: option(kind.oneOf('retain', 'destroy'), {
    doc: 'What `destroy` does with the tables and the bucket: `retain` or `destroy`, which deletes all that was ever fetched',
    more: 'A bucket of your own is never deleted.',
    default: 'retain',
  }),
  adopt: option(
    kind.checkedBy(z.strictObject({ crawlState: NAME, urlSeen: NAME, bucket: NAME }, { error: ADOPTED })),
    {
      doc: 'The names `crawlState`, `urlSeen` (tables) and `bucket`, which an earlier stack has left: its crawls continue',
      more: 'The stack neither changes nor deletes them.',
      page: 'aws.md#adopt-what-an-earlier-stack-has-left',
    },
  ),
  kmsKey: option(kind.matching(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/\S{1,200}$/, 'the ARN of a KMS key'), {
    doc: 'ARN of a KMS key that encrypts tables, bucket and queues; its policy must let IAM decide who uses it',
    costs: '$1 a month, and $0.03 for 10,000 requests',
  }),
  pointInTimeRecovery: option(kind.flag, {
    doc: 'Whether you can restore any state of the tables in the last 35 days',
    costs: '$0.20 for each GB and month',
    default: false,
  }),
  defaultCrawl: option(kind.matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ., _ and -'), {
    doc: 'The crawl of a seed message that names none',
    default: 'default',
  }),
  archiveClass: option(kind.oneOf('STANDARD', 'STANDARD_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'), {
    doc: 'Storage class of WARC files, tables and items after `archiveClassAfterDays`: `STANDARD`, `STANDARD_IA`, `INTELLIGENT_TIERING` or `GLACIER_IR`',
    more: 'All are read at once; some cost more to read and to delete early. Not for a bucket of your own: give it such rules yourself.',
    default: 'STANDARD',
  }),
  // S3 moves no younger object to STANDARD_IA; younger files may still be joined.
  archiveClassAfterDays: option(kind.whole('days', 30, 3650), {
    doc: 'Days after which they get that class, 30 or more',
    default: 30,
  }),
  archiveDays: option(kind.whole('days', 1, 36_500), {
    doc: 'Days after which WARC files, tables and items are deleted; without it never',
  }),

  // ---- tables for queries
  indexTables: option(kind.flag, {
    doc: 'Whether the compactor writes tables of the captures as Parquet',
    costs: '$0.002 for a million captures',
    page: 'tables.md',
    default: true,
  }),
  catalog: option(kind.flag, {
    doc: 'Whether these tables are in a Glue database, with an Athena workgroup; both cost nothing at rest',
    page: 'tables.md#athena',
    default: false,
  }),
  catalogMaxScanGb: option(kind.whole('GB', 1, 10_000), {
    doc: 'GB that one query may read at most',
    costs: '$0.005 for each GB',
    default: 10,
  }),

  // ---- the account's own rules
  tags: option(kind.texts(/^[^\s].{0,127}$/, 'a JSON object of texts by names of tags', 256), {
    doc: 'Tags of all resources',
    default: {},
  }),
  permissionsBoundary: option(
    kind.matching(/^arn:[\w-]+:iam::[\w]*:policy\/\S{1,200}$/, 'the ARN of a managed policy'),
    { doc: 'ARN of a managed policy that bounds all roles of the stack' },
  ),
  operatorPolicy: option(kind.flag, {
    doc: 'Whether there are two managed policies: for operators, with all that the command line needs (output `OperatorPolicyArn`), and for readers, with its commands that change nothing (`ReaderPolicyArn`)',
    default: false,
  }),
  fixedAddress: option(kind.flag, {
    doc: 'Whether requests leave by one address (output `EgressAddress`): a VPC with a NAT gateway',
    more: 'The gateway is in one availability zone. All workers of a subnet share 1,024 DNS packets a second: a crawl that begins with more than some thousand hosts has time-outs, which are tried again. Not together with `vpc`.',
    costs:
      '$33 a month, and $0.045 for each GB: **$1.44 for a million pages of 32 KB**, more than the crawl itself',
    default: false,
  }),

  // ---- watching
  logRetentionDays: option(kind.checkedBy<number>(retention), {
    doc: 'Days that logs are kept; one of the numbers that CloudWatch Logs accepts',
    default: 30,
  }),
  tracing: option(kind.flag, {
    doc: 'Whether the functions write traces to X-Ray',
    costs: '$5 for a million traces',
    default: false,
  }),
  // The first three dashboards of an account are free.
  dashboard: option(kind.flag, {
    doc: 'Whether there is a dashboard',
    costs: '$3 a month, if the account has three others',
    default: true,
  }),
  alarmEmail: option(kind.asIs(z.email({ error: 'a mail address' })), {
    doc: 'Where alarms are mailed to; the address has to confirm',
    more: 'Without it, alarms appear only in CloudWatch.',
  }),
  maxCostPerHour: option(kind.number('dollars', 0.01, MAX_DOLLARS), {
    doc: 'US dollars that all crawls may cost in an hour before the alarm `Attention` goes off; it stops nothing',
    default: 5,
  }),
  budgetUsd: option(kind.number('dollars', 1, MAX_DOLLARS), {
    doc: 'US dollars of the account in a month: [AWS Budgets](https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html) mails `alarmEmail` at 80 %, and when more are forecast',
    more: 'It sees storage, logs and everything else in the account, too, and stops nothing.',
  }),
  parameterName: option(kind.parameter('/strand/news'), {
    doc: 'Name of a Systems Manager parameter for the settings, such as `/strand/news`; the command line then takes `--stack /strand/news`',
    more: 'It needs no access to CloudFormation.',
  }),
  workerEnvironment: option(
    kind.texts(/^[A-Za-z]\w*$/, 'a JSON object of texts by names of environment variables'),
    {
      doc: "Environment variables for the code of the project's file, in the worker and in the waker",
      more: 'They are in the template: give the name of a secret, not the secret.',
      default: {},
    },
  ),
};

/** The list, in its order. */
export const STACK_OPTION_LIST = Object.entries<StackOption>(STACK_OPTIONS) as readonly (readonly [
  keyof typeof STACK_OPTIONS,
  StackOption,
])[];
