/**
 * Which AWS calls a program can make, and about what: read from the imports of all modules that it reaches.
 */
import type { ResourceName } from '../../cdk/permissions.ts';
import { reachable } from './reachable.ts';

export type Resource = ResourceName | 'stack' | 'parameter';

/**
 * The permissions that a call needs (service authorization reference). Those of a batch are the single call's
 * on SQS and S3.
 */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  SendMessageCommand: ['sqs:SendMessage'],
  GetObjectCommand: ['s3:GetObject'],
  HeadObjectCommand: ['s3:GetObject'],
  PutObjectCommand: ['s3:PutObject'],
  CreateMultipartUploadCommand: ['s3:PutObject'],
  UploadPartCommand: ['s3:PutObject'],
  CopyObjectCommand: ['s3:GetObject', 's3:PutObject'],
  UploadPartCopyCommand: ['s3:GetObject', 's3:PutObject'],
  CompleteMultipartUploadCommand: ['s3:PutObject'],
  AbortMultipartUploadCommand: ['s3:AbortMultipartUpload'],
  DeleteObjectsCommand: ['s3:DeleteObject'],
  ListObjectsV2Command: ['s3:ListBucket'],
  ListMultipartUploadsCommand: ['s3:ListBucketMultipartUploads'],
  GetQueueAttributesCommand: ['sqs:GetQueueAttributes'],
  DescribeStacksCommand: ['cloudformation:DescribeStacks'],
  GetParameterCommand: ['ssm:GetParameter'],
  PutEventsCommand: ['events:PutEvents'],
  InvokeCommand: ['lambda:InvokeFunction'],
  PutParameterCommand: ['ssm:PutParameter'],
  // Functions of ours that get the table, the queue or the bucket as a parameter: a module that imports one
  // makes its calls.
  getItem: ['dynamodb:GetItem'],
  putItem: ['dynamodb:PutItem'],
  updateItem: ['dynamodb:UpdateItem'],
  deleteItem: ['dynamodb:DeleteItem'],
  // The permissions of its parts.
  transact: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
  tryTransact: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
  queryItems: ['dynamodb:Query'],
  queryPage: ['dynamodb:Query'],
  queryIndex: ['dynamodb:Query'],
  getItems: ['dynamodb:BatchGetItem'],
  putItems: ['dynamodb:BatchWriteItem'],
  deleteItems: ['dynamodb:BatchWriteItem'],
  gatheredSends: ['sqs:SendMessage'],
  gatheredDeletes: ['sqs:DeleteMessage'],
  deleteAll: ['sqs:DeleteMessage'],
  gatheredHides: ['sqs:ChangeMessageVisibility'],
  hideAll: ['sqs:ChangeMessageVisibility'],
  deleteObjects: ['s3:DeleteObject'],
  parker: ['sqs:ChangeMessageVisibility'],
  settleCorrupt: ['sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
  receiveRecords: ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
  countMessages: ['sqs:GetQueueAttributes'],
  messageCounts: ['sqs:GetQueueAttributes'],
  readRange: ['s3:GetObject'],
  listFiles: ['s3:ListBucket'],
  // Without it, an object that is not there is a 403, which this takes for a failure.
  isMissing: ['s3:ListBucket'],
};

const HELPERS: ReadonlySet<string> = new Set([
  'table.ts',
  'query.ts',
  'batch.ts',
  'transact.ts',
  'delete-objects.ts',
  'read-range.ts',
  'sqs-queue.ts',
  'sqs-receive.ts',
]);

/**
 * The resources of each module's calls: by call, otherwise by service. Modules of the engine by their file's
 * name.
 */
const USES: Readonly<Record<string, Readonly<Record<string, readonly Resource[]>>>> = {
  'crawl-checks.ts': { queryIndex: ['dueIndex'] },
  'crawl-store.ts': { dynamodb: ['crawlState'] },
  'crawl-directory.ts': { dynamodb: ['crawlState'] },
  'quiet.ts': { dynamodb: ['crawlState'] },
  'crawl-counters.ts': { dynamodb: ['crawlState'] },
  'ledger-store.ts': { dynamodb: ['crawlState'], queryIndex: ['dueIndex'] },
  'jar-store.ts': { dynamodb: ['crawlState'] },
  'hook-state.ts': { dynamodb: ['crawlState'] },
  'state-commits.ts': { dynamodb: ['crawlState'] },
  'host-page.ts': { dynamodb: ['crawlState'] },
  'host-directory.ts': { dynamodb: ['crawlState'] },
  'host-list.ts': { dynamodb: ['crawlState'] },
  'part-store.ts': { dynamodb: ['urlSeen'], s3: ['parts'], isMissing: ['partsList'] },
  'archive-object.ts': { s3: ['warc'] },
  'item-objects.ts': {
    PutObjectCommand: ['stagedItems'],
    CopyObjectCommand: ['stagedItems', 'items'],
    deleteObjects: ['stagedItems'],
    isMissing: ['itemsList'],
  },
  'skip-objects.ts': { s3: ['items'] },
  'joined-warcs.ts': { dynamodb: ['crawlState'] },
  'earlier-payloads.ts': { readRange: ['warc'] },
  'capture-pages.ts': { isMissing: ['warcList'], listFiles: ['warcList'], readRange: ['warc'] },
  'quarantined-files.ts': { dynamodb: ['crawlState'] },
  'compact-candidates.ts': { dynamodb: ['crawlState'] },
  'compact-lease.ts': { dynamodb: ['crawlState'] },
  'compact-finish.ts': { s3: ['warcList'] },
  'compact-scan.ts': { s3: ['warcList'] },
  'compact-tables.ts': { PutObjectCommand: ['tables'], deleteObjects: ['tables'] },
  'compact-objects.ts': { s3: ['warc'], ListObjectsV2Command: ['warcList'], isMissing: ['warcList'] },
  'compact-upload.ts': { s3: ['warc'], ListMultipartUploadsCommand: ['uploads'] },
  'item-lines.ts': { readRange: ['items'] },
  'item-table-plan.ts': { dynamodb: ['crawlState'] },
  'item-tables.ts': { PutObjectCommand: ['tables'], readRange: ['items'], listFiles: ['stateLists'] },
  'daily-spend.ts': { dynamodb: ['crawlState'] },
  'attention-notes.ts': { dynamodb: ['crawlState'] },
  'site-lists.ts': { dynamodb: ['crawlState'] },
  'agenda.ts': { dynamodb: ['crawlState'] },
  'unannounced.ts': { dynamodb: ['crawlState'] },
  'unjoined.ts': { dynamodb: ['crawlState'] },
  'functions/event-sinks.ts': { events: ['eventBus'] },
  'invoke-renderer.ts': { lambda: ['renderer'] },
  'functions/change-feed.ts': {
    GetObjectCommand: ['changes'],
    ListObjectsV2Command: ['changesList'],
    deleteObjects: ['changes'],
  },
  'deletions.ts': { dynamodb: ['crawlState'] },
  'referrers.ts': { dynamodb: ['crawlState'] },
  'delete-data.ts': {
    dynamodb: ['crawlState', 'urlSeen'],
    ListObjectsV2Command: ['warcList', 'stateLists'],
    deleteObjects: ['warc', 'tables', 'parts', 'stagedItems', 'items', 'exports', 'exportWork'],
    ListMultipartUploadsCommand: ['uploads'],
    AbortMultipartUploadCommand: ['warc', 'exports'],
    isMissing: ['warcList'],
  },
  'control-engine.ts': { s3: ['warcList'] },
  'any-messages.ts': { sqs: ['turnQueues', 'linkQueue', 'linkShards'] },
  'turn-queue.ts': { sqs: ['turnQueues'] },
  'worker-pool.ts': {
    dynamodb: ['crawlState'],
    SendMessageCommand: ['startQueue'],
    messageCounts: ['turnQueues'],
  },
  'link-exchange.ts': { sqs: ['linkQueue'] },
  'link-shards.ts': { sqs: ['linkShards'] },
  // The first is the router's, the second the worker's.
  'functions/dead-letter.ts': { sqs: ['linkDeadLetters', 'turnDeadLetters'] },
  'functions/stack-watch.ts': { sqs: ['linkDeadLetters', 'turnDeadLetters'] },
  'functions/router.ts': { parker: ['linkQueue', 'linkShards'] },
  'api/stack/find-stack.ts': { cloudformation: ['stack'] },
  'api/stack/connect-stack.ts': { ssm: ['parameter'] },
  'api/stack/put-identity.ts': { ssm: ['identity'] },
  'shared/services/accounts/read-parameter.ts': {
    ssm: ['identity', 'webhook', 'secrets', 'accountParameters'],
  },
  'stack-archive.ts': { s3: ['warcList'], readRange: ['warc'] },
  // The first is an operator's, the second the exporter's.
  'stack-items.ts': { listFiles: ['stateLists', 'exportLists'] },
  'export-jobs.ts': { dynamodb: ['crawlState'] },
  'export-objects.ts': {
    PutObjectCommand: ['exports', 'exportWork'],
    CreateMultipartUploadCommand: ['exports'],
    UploadPartCommand: ['exports'],
    CompleteMultipartUploadCommand: ['exports'],
    AbortMultipartUploadCommand: ['exports'],
    readRange: ['exportWork'],
    listFiles: ['exportLists'],
    deleteObjects: ['exportWork'],
  },
  'own-events.ts': { events: ['eventBus'] },
};

export interface Call {
  /** Without `shared/engines/aws/` and the folder of its group. */
  readonly module: string;
  readonly name: string;
  readonly resource: Resource;
  readonly actions: readonly string[];
}

/** Throws for a call that the lists above do not name. */
export function callsFrom(entry: string): Call[] {
  const calls: Call[] = [];
  for (const [path, imports] of reachable(entry)) {
    const module = path.replace(/^shared\/engines\/aws\/(?:\w+\/)?/, '');
    if (HELPERS.has(module)) continue;
    for (const name of imports.flatMap(({ names }) => names)) {
      const actions = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (!actions && !/^[A-Z]\w+Command$/.test(name)) continue;
      const service = actions?.[0]?.split(':')[0] ?? '';
      const resources = USES[module]?.[name] ?? USES[module]?.[service];
      if (!actions || !resources)
        throw new Error(`Say in test/cdk/calls.ts what ${name} of ${path} needs, and of which resource`);
      calls.push(
        ...resources.map((resource, i) => ({ module, name, resource, actions: actionsAt(name, actions, i) })),
      );
    }
  }
  return calls;
}

/** A copy reads the first of its resources, and writes the second. */
const actionsAt = (name: string, actions: readonly string[], i: number): readonly string[] =>
  name === 'CopyObjectCommand' ? actions.slice(i, i + 1) : actions;
