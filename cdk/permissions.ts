/**
 * What each function may do: the one list, which the stack grants and the tests hold it to. Beyond it, a function may
 * write its own log, and traces where they are wanted.
 */

export const FUNCTIONS = ['worker', 'router', 'waker', 'api', 'compactor'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** What permissions are about. `warc` and `parts` are the objects under that prefix; `...List` their listing. */
export type ResourceName =
  | 'turnQueues'
  | 'linkQueue'
  | 'linkDeadLetters'
  | 'crawlState'
  | 'dueIndex'
  | 'urlSeen'
  | 'warc'
  | 'warcList'
  | 'parts';

export type Permissions = Readonly<Partial<Record<ResourceName, readonly string[]>>>;

const SEND = ['sqs:SendMessage'];
const COUNT = ['sqs:GetQueueAttributes'];
/** What an event source mapping asks of the function's role. */
const CONSUME = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', ...COUNT];
/** Of one item at a time; a transaction needs what its parts need. */
const ITEMS = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
const QUERY = ['dynamodb:Query'];
const SCAN = ['dynamodb:Scan'];
const BATCH_GET = ['dynamodb:BatchGetItem'];
const BATCHES = [...BATCH_GET, 'dynamodb:BatchWriteItem'];
const READ = ['s3:GetObject'];
const LIST = ['s3:ListBucket'];
const OBJECTS = [...READ, 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'];

export const PERMISSIONS: Readonly<Record<FunctionName, Permissions>> = {
  worker: {
    // It receives more hosts than the event brings, parks and acknowledges, and sends each host its next token.
    turnQueues: [...CONSUME, 'sqs:ChangeMessageVisibility', ...SEND],
    linkQueue: SEND,
    crawlState: [...ITEMS, ...QUERY, ...BATCHES],
    dueIndex: QUERY,
    urlSeen: [...ITEMS, ...QUERY, ...BATCHES],
    warc: OBJECTS,
    parts: OBJECTS,
  },
  router: {
    // It sends itself what remains of a long job, such as waking all hosts of a resumed crawl, which it finds by a scan.
    linkQueue: [...CONSUME, ...SEND],
    linkDeadLetters: SEND,
    turnQueues: SEND,
    crawlState: [...ITEMS, ...QUERY, ...SCAN],
  },
  waker: {
    // Whether a crawl has ended, it knows by the queues' counts.
    turnQueues: [...SEND, ...COUNT],
    linkQueue: COUNT,
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET],
    dueIndex: QUERY,
  },
  api: {
    turnQueues: COUNT,
    linkQueue: [...SEND, ...COUNT],
    crawlState: [...ITEMS, ...QUERY, ...BATCH_GET, ...SCAN],
    urlSeen: ['dynamodb:GetItem', ...QUERY, ...BATCH_GET],
    parts: READ,
    warcList: LIST,
  },
  compactor: {
    warc: OBJECTS,
    warcList: LIST,
    crawlState: [...ITEMS, ...QUERY, ...BATCHES],
  },
};
