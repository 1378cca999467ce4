/** Returns the units for which AWS bills one attempt of a call. Pure. */
import type { AttributeValue, ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { isThrottle } from '../retry.ts';
import type { LineItem, Usage } from './prices.ts';

/** A request as sent once, and what came: `output`, or `error`. Names are the SDK's own. */
export interface Attempt {
  readonly clientName: string;
  readonly commandName: string;
  readonly input: object;
  readonly output?: unknown;
  readonly error?: unknown;
}

type Unit = 'write' | 'read';

/** DynamoDB's commands on items. What they do to tables and indexes is free. */
const DYNAMO_UNITS: Readonly<Record<string, Unit>> = {
  PutItem: 'write',
  UpdateItem: 'write',
  DeleteItem: 'write',
  BatchWriteItem: 'write',
  TransactWriteItems: 'write',
  GetItem: 'read',
  Query: 'read',
  Scan: 'read',
  BatchGetItem: 'read',
  TransactGetItems: 'read',
};

/** Names of operations by those of their commands, which are few: to cut a name for each call takes longer. */
const operations = new Map<string, string>();

function nameOf(commandName = ''): string {
  let name = operations.get(commandName);
  if (name === undefined) {
    name = commandName.endsWith('Command') ? commandName.slice(0, -'Command'.length) : commandName;
    operations.set(commandName, name);
  }
  return name;
}

/** Whether the command can report what it consumed. */
export const takesReturnConsumedCapacity = (commandName: string | undefined): boolean =>
  Object.hasOwn(DYNAMO_UNITS, nameOf(commandName));

/** Names of calls by service and command: made once, as every call is counted by its name. */
const callNames = new Map<string, Map<string, string>>();

/** Names the kind of call for people: `sqsFifo.SendMessageBatch`, `dynamo.PutItem`, `s3.PutObject`. */
export function callName({ clientName, commandName, input }: Attempt): string {
  const service = serviceOf(clientName, input);
  const names = callNames.get(service) ?? new Map<string, string>();
  callNames.set(service, names);
  const name = names.get(commandName) ?? `${service}.${nameOf(commandName)}`;
  names.set(commandName, name);
  return name;
}

function serviceOf(clientName: string, input: object): string {
  if (clientName === 'SQSClient') return isFifo(input) ? 'sqsFifo' : 'sqsStandard';
  if (clientName === 'DynamoDBClient') return 'dynamo';
  if (clientName === 'S3Client') return 's3';
  return clientName.replace(/Client$/, '').toLowerCase();
}

/**
 * A throttled attempt is not billed. Of one whose answer was lost it is not known: it counts as carried out.
 */
export function billedUnits(attempt: Attempt): Usage {
  if (isThrottle(attempt.error)) return {};
  switch (attempt.clientName) {
    case 'DynamoDBClient':
      return dynamoUnits(attempt);
    case 'SQSClient':
      return { [isFifo(attempt.input) ? 'sqsFifoRequests' : 'sqsStandardRequests']: sqsRequests(attempt) };
    case 'S3Client':
      return s3Requests(nameOf(attempt.commandName));
    default:
      return {};
  }
}

// ------------------------------------------------------------------------------------------------ DynamoDB

function dynamoUnits({ commandName, input, output, error }: Attempt): Usage {
  const name = nameOf(commandName);
  const unit = Object.hasOwn(DYNAMO_UNITS, name) ? DYNAMO_UNITS[name] : undefined;
  if (!unit || isRefused(error)) return {};
  const item: LineItem = unit === 'write' ? 'dynamoWriteUnits' : 'dynamoReadUnits';
  return { [item]: consumed(output) ?? leastUnits(name, input, error) };
}

/** As DynamoDB reports it: indexes and the double price of transactions included. */
function consumed(output: unknown): number | undefined {
  const { ConsumedCapacity: consumed } = (output ?? {}) as { ConsumedCapacity?: Consumption };
  if (consumed === undefined) return undefined;
  if (!Array.isArray(consumed)) return consumed.CapacityUnits ?? 0;
  return consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

type Consumption = ConsumedCapacity | ConsumedCapacity[];

/** Refused before anything was read or written. A condition that fails is not: it is billed as a write. */
function isRefused(error: unknown): boolean {
  const { name, $metadata } = (error ?? {}) as { name?: string; $metadata?: { httpStatusCode?: number } };
  const isClients = Math.floor(($metadata?.httpStatusCode ?? 0) / 100) === 4;
  return isClients && name !== 'ConditionalCheckFailedException' && name !== 'TransactionCanceledException';
}

type ItemMap = Readonly<Record<string, AttributeValue>>;

/** The known parts of the input, and of a failed condition's item. */
interface DynamoShape {
  readonly Item?: ItemMap;
  readonly ConsistentRead?: boolean;
  readonly TransactItems?: readonly unknown[];
  readonly RequestItems?: Readonly<
    Record<string, readonly unknown[] | { readonly Keys?: readonly unknown[] }>
  >;
}

/**
 * If no response reports the units. A failed condition is billed by the size of the item there is or of the
 * one to be written, the larger one (DynamoDB developer guide, "Write operations").
 */
function leastUnits(name: string, input: DynamoShape, error: unknown): number {
  const { Item, TransactItems, RequestItems } = input;
  if (TransactItems) return 2 * TransactItems.length;
  if (RequestItems)
    return Object.values(RequestItems)
      .map((entries) => ('Keys' in entries ? (entries.Keys?.length ?? 0) : (entries as unknown[]).length))
      .reduce((sum, length) => sum + length, 0);
  if (DYNAMO_UNITS[name] === 'read') return input.ConsistentRead ? 1 : 0.5;
  const { Item: found } = (error ?? {}) as DynamoShape;
  return Math.max(1, ...[Item, found].map((item) => Math.ceil(item ? itemBytes(item) / 1024 : 0)));
}

/** Names and values of attributes (DynamoDB developer guide, "Item sizes and formats"). */
const itemBytes = (item: ItemMap): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes({ S, N, B }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (B !== undefined) return B.length;
  return N === undefined ? 1 : Math.ceil(N.length / 2) + 1;
}

// ---------------------------------------------------------------------------------------------------- SQS

/** A request of SQS is up to 64 KB of payload (aws.amazon.com/sqs/pricing). */
const CHUNK_BYTES = 64 * 1024;

const isFifo = (input: object): boolean =>
  ((input as { QueueUrl?: string }).QueueUrl ?? '').endsWith('.fifo');

interface SqsPayload {
  readonly MessageBody?: string;
  readonly Entries?: readonly { readonly MessageBody?: string }[];
  readonly Messages?: readonly { readonly Body?: string }[];
}

function sqsRequests({ input, output }: Attempt): number {
  const { MessageBody, Entries = [] } = input as SqsPayload;
  const { Messages = [] } = (output ?? {}) as SqsPayload;
  return requestsOf([
    MessageBody,
    ...Entries.map(({ MessageBody }) => MessageBody),
    ...Messages.map(({ Body }) => Body),
  ]);
}

/** Requests that a batch of messages with these bodies is billed as. */
function requestsOf(bodies: readonly (string | undefined)[]): number {
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body ?? ''), 0);
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}

/**
 * Returns the requests billed for a function's event of messages with these bodies: Lambda's poller has
 * received them by one request, and deletes the processed ones by another.
 */
export const polledRequests = (bodies: readonly string[]): number => requestsOf(bodies) + 1;

// ----------------------------------------------------------------------------------------------------- S3

/** Deletes are free. Of the one for many objects, a POST, no source was found to say so: it counts. */
function s3Requests(name: string): Usage {
  if (/^(Delete(?!Objects$)|Abort)/.test(name)) return {};
  return /^(Put|Copy|Create|Upload|Complete|List|DeleteObjects)/.test(name) ? { s3Puts: 1 } : { s3Gets: 1 };
}
