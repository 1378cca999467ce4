/**
 * As much of S3 and DynamoDB as a compaction uses, in memory, for processes that end or stall at any call.
 */
import { crc32 } from 'node:zlib';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

type Item = Record<string, AttributeValue>;

/** The fields that the commands of a compaction have. */
interface S3Input {
  readonly Key: string;
  readonly Prefix: string;
  readonly ContinuationToken?: string;
  readonly StartAfter?: string;
  readonly Range?: string;
  readonly Body: Buffer;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly Delete: { readonly Objects: readonly { readonly Key: string }[] };
  readonly UploadId: string;
  readonly PartNumber: number;
  readonly CopySource: string;
  readonly CopySourceRange?: string;
  readonly MultipartUpload: { readonly Parts: readonly { PartNumber: number; ETag: string }[] };
  readonly IfNoneMatch?: string;
}

interface DynamoInput {
  readonly Key: Item;
  readonly Item: Item;
  readonly UpdateExpression: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems: Readonly<Record<string, { readonly Keys: Item[] } & WriteRequest[]>>;
}

interface StoredObject {
  readonly bytes: Buffer;
  readonly at: Date;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

export interface Cloud {
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  readonly items: Map<string, Item>;
  put(key: string, bytes: Buffer, at?: Date, metadata?: Readonly<Record<string, string>>): void;
  /** Clients of one process. `around` each call may throw, wait, or carry it out. */
  clients(around?: Around): { s3: S3Client; dynamo: DynamoDBClient };
  /** All there is, as text that can be compared. */
  state(): string[];
}

export type Around = (command: string, carryOut: () => unknown) => Promise<unknown>;

const PAGE = 3;

/** `minPart`: the least size in bytes of a part, except the last one. Default: that of S3. */
export function createCloud(minPart = 5 * 1024 * 1024): Cloud {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();
  const items = new Map<string, Item>();
  let serial = 0;

  const put: Cloud['put'] = (key, bytes, at = new Date(0), metadata = undefined) =>
    void objects.set(key, { bytes, at, metadata });

  function object(key: string): StoredObject {
    const found = objects.get(key);
    if (!found) throw s3Error('NoSuchKey', 404);
    return found;
  }

  function upload(id: string): Upload {
    const found = uploads.get(id);
    if (!found) throw s3Error('NoSuchUpload', 404);
    return found;
  }

  const s3: Record<string, (input: S3Input) => unknown> = {
    ListObjectsV2Command({ Prefix, StartAfter = '', ContinuationToken = StartAfter }) {
      const keys = [...objects.keys()]
        .sort()
        .filter((key) => key.startsWith(Prefix) && key > ContinuationToken);
      return {
        Contents: keys.slice(0, PAGE).map((Key) => {
          const { bytes, at } = object(Key);
          return { Key, Size: bytes.length, ETag: etag(bytes), LastModified: at };
        }),
        NextContinuationToken: keys.length > PAGE ? keys[PAGE - 1] : undefined,
      };
    },
    GetObjectCommand({ Key, Range }) {
      const bytes = slice(object(Key).bytes, Range);
      return { Body: { transformToByteArray: async () => bytes } };
    },
    HeadObjectCommand({ Key }) {
      if (!objects.has(Key)) throw s3Error('NotFound', 404);
      return { ContentLength: object(Key).bytes.length, Metadata: object(Key).metadata ?? {} };
    },
    PutObjectCommand({ Key, Body, Metadata }) {
      put(Key, Body, undefined, Metadata);
      return {};
    },
    DeleteObjectsCommand({ Delete }) {
      for (const { Key } of Delete.Objects) objects.delete(Key);
      return {};
    },
    CreateMultipartUploadCommand({ Key }) {
      const UploadId = `upload-${serial++}`;
      uploads.set(UploadId, { key: Key, parts: new Map() });
      return { UploadId };
    },
    UploadPartCommand({ UploadId, PartNumber, Body }) {
      upload(UploadId).parts.set(PartNumber, Body);
      return { ETag: etag(Body) };
    },
    UploadPartCopyCommand({ UploadId, PartNumber, CopySource, CopySourceRange }) {
      const bytes = slice(object(CopySource.slice(CopySource.indexOf('/') + 1)).bytes, CopySourceRange);
      upload(UploadId).parts.set(PartNumber, bytes);
      return { CopyPartResult: { ETag: etag(bytes) } };
    },
    CompleteMultipartUploadCommand({ UploadId, MultipartUpload, IfNoneMatch }) {
      const { key, parts } = upload(UploadId);
      if (IfNoneMatch === '*' && objects.has(key)) throw s3Error('PreconditionFailed', 412);
      const bytes = MultipartUpload.Parts.map(({ PartNumber, ETag }, i, all) => {
        const part = parts.get(PartNumber);
        if (!part || etag(part) !== ETag || PartNumber !== i + 1) throw s3Error('InvalidPart', 400);
        if (part.length < minPart && i < all.length - 1) throw s3Error('EntityTooSmall', 400);
        return part;
      });
      uploads.delete(UploadId);
      put(key, Buffer.concat(bytes));
      return {};
    },
    AbortMultipartUploadCommand({ UploadId }) {
      upload(UploadId);
      uploads.delete(UploadId);
      return {};
    },
    ListMultipartUploadsCommand({ Prefix }) {
      const found = [...uploads].filter(([, { key }]) => key.startsWith(Prefix));
      return { Uploads: found.map(([UploadId, { key }]) => ({ UploadId, Key: key })) };
    },
  };

  const dynamo: Record<string, (input: DynamoInput) => unknown> = {
    UpdateItemCommand(input) {
      const key = keyOf(input.Key);
      check(items.get(key), input);
      const item = { ...(items.get(key) ?? input.Key) };
      const [, set = '', remove = ''] = /^(?:SET (.*?))?(?: ?REMOVE (.*))?$/.exec(input.UpdateExpression)!;
      for (const assignment of set.split(', ').filter(Boolean)) {
        const [name, value] = assignment.split(' = ') as [string, string];
        item[name] = input.ExpressionAttributeValues?.[value] as AttributeValue;
      }
      for (const name of remove.split(', ').filter(Boolean)) delete item[name];
      items.set(key, item);
      return { Attributes: item };
    },
    GetItemCommand({ Key }) {
      return { Item: items.get(keyOf(Key)) };
    },
    PutItemCommand({ Item }) {
      items.set(keyOf(Item), Item);
      return {};
    },
    DeleteItemCommand(input) {
      check(items.get(keyOf(input.Key)), input);
      items.delete(keyOf(input.Key));
      return {};
    },
    BatchGetItemCommand({ RequestItems }) {
      const [[table, { Keys }]] = Object.entries(RequestItems) as [
        [string, DynamoInput['RequestItems'][string]],
      ];
      // One is left over at each call but the last.
      const taken = Keys.length > 1 ? Keys.slice(1) : Keys;
      return {
        Responses: {
          [table]: taken.map((key) => items.get(keyOf(key))).filter((item) => item !== undefined),
        },
        UnprocessedKeys: Keys.length > 1 ? { [table]: { Keys: Keys.slice(0, 1) } } : {},
      };
    },
    BatchWriteItemCommand({ RequestItems }) {
      const [[table, requests]] = Object.entries(RequestItems) as [
        [string, DynamoInput['RequestItems'][string]],
      ];
      const taken = requests.length > 1 ? requests.slice(1) : requests;
      for (const { PutRequest, DeleteRequest } of taken) {
        if (PutRequest) items.set(keyOf(PutRequest.Item as Item), PutRequest.Item as Item);
        else if (DeleteRequest) items.delete(keyOf(DeleteRequest.Key as Item));
      }
      return { UnprocessedItems: requests.length > 1 ? { [table]: requests.slice(0, 1) } : {} };
    },
    QueryCommand({ ExpressionAttributeValues = {} }) {
      const prefix = Object.values(ExpressionAttributeValues).map(({ S }) => S);
      const found = [...items].filter(([key]) => key.startsWith(prefix.join(' ')));
      return { Items: found.map(([, item]) => item) };
    },
  };

  function clients(around: Around = async (_, carryOut) => carryOut()) {
    const client = <T>(handlers: Record<string, (input: T) => unknown>) => ({
      send: async (command: { readonly input: T }) => {
        const { name } = command.constructor;
        const handler = handlers[name];
        if (!handler) throw new Error(`${name} is not expected here`);
        return around(name, () => handler(command.input));
      },
    });
    return {
      s3: client(s3) as unknown as S3Client,
      dynamo: client(dynamo) as unknown as DynamoDBClient,
    };
  }

  return {
    objects,
    uploads,
    items,
    put,
    clients,
    state: () => [
      ...[...objects].map(([key, { bytes }]) => `${key} ${etag(bytes)}`).sort(),
      ...[...items].map(([key, item]) => `${key} ${JSON.stringify(item)}`).sort(),
      ...[...uploads.values()].map(({ key }) => `upload of ${key}`),
    ],
  };
}

const etags = new WeakMap<Buffer, string>();

function etag(bytes: Buffer): string {
  const known = etags.get(bytes) ?? `"${bytes.length}-${crc32(bytes)}"`;
  etags.set(bytes, known);
  return known;
}

const keyOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`;

function slice(bytes: Buffer, range: string | undefined): Buffer {
  if (range === undefined) return bytes;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range)!;
  if (Number(from) >= bytes.length) throw s3Error('InvalidRange', 416);
  return bytes.subarray(Number(from), Number(to) + 1);
}

/** Conditions of comparisons joined by AND, or by OR. */
function check(
  item: Item | undefined,
  { ConditionExpression = '', ExpressionAttributeValues = {} }: Omit<DynamoInput, 'RequestItems'>,
): void {
  if (ConditionExpression === '') return;
  const holds = (term: string): boolean => {
    const absent = /^attribute_not_exists\((\w+)\)$/.exec(term)?.[1];
    if (absent) return item?.[absent] === undefined;
    const [name, operator, value] = term.split(' ') as [string, string, string];
    const [left, right] = [item?.[name], ExpressionAttributeValues[value]];
    if (left === undefined || right === undefined) return false;
    return operator === '<' ? Number(left.N) < Number(right.N) : left.S === right.S;
  };
  const isMet = ConditionExpression.includes(' OR ')
    ? ConditionExpression.split(' OR ').some(holds)
    : ConditionExpression.split(' AND ').every(holds);
  if (isMet) return;
  throw new ConditionalCheckFailedException({
    message: 'the condition does not hold',
    $metadata: {},
    Item: item,
  });
}

const s3Error = (name: string, httpStatusCode: number): S3ServiceException =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode }, message: name });
