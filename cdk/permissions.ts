/**
 * The permissions of each function: the one list, which the stack grants and the tests check. Beyond it, a
 * function may write its own log, and traces if they are enabled.
 */

import { COMPACT_MORE, EXPORT_MORE, START_SMALL } from '../shared/services/webhook/event-types.ts';

export const FUNCTIONS = ['worker', 'router', 'waker', 'api', 'compactor', 'exporter'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** The resources of permissions. `warc` and `parts` are the objects under that prefix. */
export type ResourceName =
  /** And their backlogs. */
  | 'turnQueues'
  | 'startQueue'
  | 'linkQueue'
  /** If there are any. */
  | 'linkShards'
  | 'linkDeadLetters'
  | 'turnDeadLetters'
  | 'crawlState'
  | 'dueIndex'
  | 'urlSeen'
  | 'warc'
  /**
   * Listing the keys under `warc/`; and hearing that one of them is not there, which is else a 403
   * (`grants.ts`).
   */
  | 'warcList'
  /** Tables of the captures in joined files, and of items. */
  | 'tables'
  /** Unfinished uploads, of the whole bucket: S3 knows no narrower permission. */
  | 'uploads'
  | 'parts'
  /** Hearing that a part is not there. */
  | 'partsList'
  /** Items of the project's hooks, changes of pages, and links left out, as published. */
  | 'items'
  /** Items and changes before they are published. */
  | 'stagedItems'
  /** Hearing that a staged object is not there. */
  | 'itemsList'
  /** Changes of pages that are to be sent to the operator's programs. */
  | 'changes'
  | 'changesList'
  /** The files of exports. */
  | 'exports'
  /** Objects that exports keep until they are done. */
  | 'exportWork'
  /** Listing that, and published items. */
  | 'exportLists'
  /** Listing parts, tables and items, staged and published. */
  | 'stateLists'
  /** The account's default event bus: events of the stack's own source alone, and for most functions of one type ({@link OWN_EVENTS}). */
  | 'eventBus'
  /** The parameter with the identity, if the stack has one. */
  | 'identity'
  /** The parameter with the webhook, if the stack has one. */
  | 'webhook'
  /** The parameter with the secrets of all crawls, if the stack has one. */
  | 'secrets'
  /** The function that renders pages, if the stack has it. */
  | 'renderer'
  /** The secrets of the Secrets Manager that the last two parameters refer to, if they do. */
  | 'webhookSecret'
  | 'crawlSecrets'
  /** The parameters that the project's accounts name, and the secrets of the Secrets Manager that these refer to. */
  | 'accountParameters'
  | 'accountSecrets';

export type Permissions = Readonly<Partial<Record<ResourceName, readonly string[]>>>;

const SEND = ['sqs:SendMessage'];
const COUNT = ['sqs:GetQueueAttributes'];
/** Permissions that an event source mapping needs of the function's role. */
export const CONSUME = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', ...COUNT] as const;
const GET_ITEM = ['dynamodb:GetItem'];
/**
 * Changes of one crawl or head, each by a condition. A change of a crawl begins by deleting its item `quiet`;
 * usage is added by an update.
 */
const ITEMS = [...GET_ITEM, 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
const QUERY = ['dynamodb:Query'];
/** The batch calls are permissions of their own, and need no others. */
const BATCH_GET = ['dynamodb:BatchGetItem'];
const BATCH_WRITE = ['dynamodb:BatchWriteItem'];
const READ = ['s3:GetObject'];
const LIST = ['s3:ListBucket'];
/**
 * Also each step of a multipart upload, and what it takes to write only where nothing is (`If-None-Match`).
 */
const WRITE = ['s3:PutObject'];
const ABORT = ['s3:AbortMultipartUpload'];
const DELETE = ['s3:DeleteObject'];
/** `GetParameter` passes a reference on to the Secrets Manager, by the caller's own rights (Systems Manager user guide). */
export const GET_SECRET = ['secretsmanager:GetSecretValue'] as const;

/** The only type of event that the function may put on the bus. The waker announces crawls, by types of several kinds. */
export const OWN_EVENTS: Readonly<Partial<Record<FunctionName, string>>> = {
  worker: START_SMALL,
  api: EXPORT_MORE,
  compactor: COMPACT_MORE,
  exporter: EXPORT_MORE,
};

export const PERMISSIONS: Readonly<Record<FunctionName, Permissions>> = {
  worker: {
    // It receives hosts, parks and acknowledges, and sends each host its next token.
    turnQueues: [...CONSUME, 'sqs:ChangeMessageVisibility', ...SEND],
    // It starts further workers, and its successor.
    startQueue: [...CONSUME, ...SEND],
    linkQueue: SEND,
    turnDeadLetters: SEND,
    // It starts the small worker, which has the same role.
    eventBus: ['events:PutEvents'],
    // By a batch it reads where records of an earlier crawl stand.
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET],
    urlSeen: [...GET_ITEM, 'dynamodb:PutItem', ...QUERY, ...BATCH_WRITE],
    // It reads records of an earlier crawl, and an object's size where the answer to an upload's end was lost.
    warc: [...READ, ...WRITE, ...ABORT],
    parts: [...READ, ...WRITE, ...DELETE],
    // A host whose parts are gone is given up.
    partsList: LIST,
    // It copies staged items, then deletes them. Without the permission to list, S3 answers 403 instead of 404 for a
    // missing key. Published ones it neither reads nor deletes.
    stagedItems: [...READ, ...WRITE, ...DELETE],
    items: WRITE,
    itemsList: LIST,
    // Nobody else reads the private key. It is decrypted by the key of the Systems Manager, whose policy allows that to all
    // that may read the parameter.
    identity: ['ssm:GetParameter'],
    secrets: ['ssm:GetParameter'],
    crawlSecrets: GET_SECRET,
    // It has pages rendered.
    renderer: ['lambda:InvokeFunction'],
    // It signs in.
    accountParameters: ['ssm:GetParameter'],
    accountSecrets: GET_SECRET,
  },
  router: {
    // It sends itself the rest of a long job, such as waking all hosts of a resumed crawl, which it finds by their
    // directory. A message of a newer version it hides for minutes.
    linkQueue: [...CONSUME, 'sqs:ChangeMessageVisibility', ...SEND],
    linkDeadLetters: SEND,
    // No other function sends there, so its messages need no further check.
    linkShards: [...CONSUME, 'sqs:ChangeMessageVisibility', ...SEND],
    turnQueues: SEND,
    startQueue: SEND,
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET],
  },
  waker: {
    // Whether a crawl has ended, it knows by the queues' counts.
    turnQueues: [...SEND, ...COUNT],
    startQueue: SEND,
    // Crawls that were paused for a day go on: the router wakes their hosts.
    linkQueue: [...COUNT, ...SEND],
    linkShards: COUNT,
    // It announces dead letters.
    linkDeadLetters: COUNT,
    turnDeadLetters: COUNT,
    // The event of a crawl's end names the hosts that were given up, which it finds by their directory.
    // By a batch it strikes the looks at crawls that are done.
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET, ...BATCH_WRITE],
    dueIndex: QUERY,
    eventBus: ['events:PutEvents'],
    // It sends the changes of pages, and deletes the delivered ones.
    changes: [...READ, ...DELETE],
    changesList: LIST,
    // Nobody else reads the key of the webhook.
    webhook: ['ssm:GetParameter'],
    webhookSecret: GET_SECRET,
  },
  api: {
    linkQueue: SEND,
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET],
    urlSeen: GET_ITEM,
    parts: READ,
    // It looks captures up in the archive.
    warc: READ,
    warcList: LIST,
    // It has an export begin.
    eventBus: ['events:PutEvents'],
  },
  compactor: {
    warc: [...READ, ...WRITE, ...ABORT, ...DELETE],
    warcList: LIST,
    tables: [...WRITE, ...DELETE],
    uploads: ['s3:ListBucketMultipartUploads'],
    // It deletes the data of crawls that an operator has deleted: their hosts it finds by their directory.
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET, ...BATCH_WRITE],
    urlSeen: [...QUERY, ...BATCH_WRITE],
    parts: DELETE,
    stagedItems: DELETE,
    items: [...READ, ...DELETE],
    exports: [...ABORT, ...DELETE],
    exportWork: DELETE,
    stateLists: LIST,
    // It has itself run again.
    eventBus: ['events:PutEvents'],
  },
  exporter: {
    // It reads crawls and ledgers, and writes its own items and what it has used.
    crawlState: [...GET_ITEM, 'dynamodb:UpdateItem', ...QUERY, ...BATCH_GET],
    urlSeen: GET_ITEM,
    parts: READ,
    warc: READ,
    warcList: LIST,
    items: READ,
    exports: [...WRITE, ...ABORT],
    exportWork: [...READ, ...WRITE, ...DELETE],
    exportLists: LIST,
    // It has itself run again.
    eventBus: ['events:PutEvents'],
  },
};
