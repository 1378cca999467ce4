/** The parts of ledgers: small ones in rows of UrlSeen, larger ones in S3 with a row that points to them. */
import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { LedgerStore } from '../../../ports/ledger-store.ts';
import { deleteObjects } from '../archive/delete-objects.ts';
import { withRetry } from '../retry.ts';
import { type BatchContext, writeItems } from './dynamo-batch.ts';
import { queryItems } from './dynamo-pages.ts';
import { hostPartition, type Item, itemKey, N, partObject, S, type StateNames } from './tables.ts';

export type PartStore = Pick<LedgerStore, 'putPart' | 'readPart' | 'listParts' | 'deleteParts'>;

export interface PartStoreOptions extends BatchContext {
  readonly s3: S3Client;
  readonly names: Pick<StateNames, 'urlSeen' | 'bucket'>;
  /** Larger parts go to S3. */
  readonly maxRowBytes: number;
}

export function createPartStore({ dynamo, s3, names, clock, maxRowBytes }: PartStoreOptions): PartStore {
  const { urlSeen: table, bucket } = names;
  const retry = <T>(what: string, call: () => Promise<T>) => withRetry(what, call, { clock });

  async function getRow(key: Item, isConsistent: boolean): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: isConsistent });
    return (await retry('reading a part', () => dynamo.send(command))).Item;
  }

  async function getObject(key: string, range?: string): Promise<Uint8Array> {
    // The body is read inside: a connection that breaks meanwhile is an error like any other.
    return retry('reading a part', async () => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: range }));
      if (!Body) throw new Error(`S3 gave no body for ${key}`);
      return Body.transformToByteArray();
    });
  }

  /** Stores the row, or finds it there: then as it is there. */
  async function putRow(key: Item, attributes: Item): Promise<Item> {
    const command = new PutItemCommand({
      TableName: table,
      Item: { ...key, ...attributes },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await retry('storing a part', () => dynamo.send(command));
      return attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException && error.Item) return error.Item;
      throw error;
    }
  }

  /** Stores the object, or finds that it is there with the same bytes. */
  async function putObject(key: string, bytes: Uint8Array): Promise<boolean> {
    const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, IfNoneMatch: '*' });
    try {
      await retry('storing a part', () => s3.send(command));
      return true;
    } catch (error) {
      if (!isStatus(error, 412) && !isStatus(error, 409)) throw error;
      // 412: it is there. 409: another request for the key was under way, and may have won (S3 User Guide,
      // "Conditional writes"). As names are not used twice, both mean an earlier attempt of our own.
      return Buffer.compare(await getObject(key), bytes) === 0;
    }
  }

  return {
    async putPart(crawl, host, name, bytes) {
      const key = itemKey(hostPartition(crawl, host), name);
      const differs = () => new Error(`the part ${name} of ${host}'s ledger is there already, and differs`);
      if (bytes.length <= maxRowBytes) {
        const row = await putRow(key, { bytes: { B: bytes } });
        if (!row.bytes?.B || Buffer.compare(row.bytes.B, bytes) !== 0) throw differs();
        return;
      }
      // The row first: whatever a crash leaves is listed, and swept like any part that no head names.
      const object = partObject(crawl, host, name);
      const row = await putRow(key, { object: S(object), size: N(bytes.length) });
      if (row.object?.S !== object || row.size?.N !== String(bytes.length)) throw differs();
      if (!(await putObject(object, bytes))) throw differs();
    },

    async readPart(crawl, host, name, offset = 0, length) {
      const key = itemKey(hostPartition(crawl, host), name);
      // Parts do not change, so the reading at half the price can only miss one that is young.
      const row = (await getRow(key, false)) ?? (await getRow(key, true));
      if (!row) throw new Error(`the part ${name} of ${host}'s ledger is not there`);
      const size = row.bytes?.B?.length ?? Number(row.size?.N);
      const end = length === undefined ? size : Math.min(size, offset + length);
      if (offset >= end) return new Uint8Array(0);
      if (row.bytes?.B) return row.bytes.B.subarray(offset, end);
      const isWhole = offset === 0 && end === size;
      return getObject(row.object?.S as string, isWhole ? undefined : `bytes=${offset}-${end - 1}`);
    },

    async listParts(crawl, host) {
      const found: string[] = [];
      const rows = queryItems(
        { dynamo, clock },
        {
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': S(hostPartition(crawl, host)) },
          ProjectionExpression: 'sk',
          ConsistentRead: true,
        },
      );
      for await (const { sk } of rows) found.push(sk?.S as string);
      return found;
    },

    async deleteParts(crawl, host, partNames) {
      const unique = [...new Set(partNames)];
      // Without asking which of them are objects: to delete costs nothing in S3, to read a row does. Objects
      // before rows: what a crash leaves is listed, and deleted the next time.
      const objects = unique.map((name) => partObject(crawl, host, name));
      await deleteObjects({ s3, bucket, clock }, 'deleting parts', objects);
      const partition = hostPartition(crawl, host);
      await writeItems(
        { dynamo, clock },
        table,
        unique.map((name) => ({ DeleteRequest: { Key: itemKey(partition, name) } })),
      );
    },
  };
}

const isStatus = (error: unknown, status: number): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
