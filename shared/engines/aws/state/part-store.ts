/** The parts of ledgers: small ones in rows of UrlSeen, larger ones in S3 with a row that points to them. */
import { GetObjectCommand, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import { LostPart } from '../../../crawler/ports/lost-part.ts';
import { deleteObjects } from '../archive/delete-objects.ts';
import { isMissing } from '../archive/is-missing.ts';
import { withRetry } from '../retry.ts';
import { deleteItems } from '../table/batch.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { getItem, putItem, type Table } from '../table/table.ts';
import { hostPartition, partObject, type StateNames } from './tables.ts';

export type PartStore = Pick<LedgerStore, 'putPart' | 'readPart' | 'listParts' | 'deleteParts'>;

export interface PartStoreOptions extends Omit<Table, 'table'> {
  readonly s3: S3Client;
  readonly names: Pick<StateNames, 'urlSeen' | 'bucket'>;
  /** Larger parts go to S3. */
  readonly maxRowBytes: number;
}

export const createPartStore = (options: PartStoreOptions): PartStore =>
  boundMethods<PartStore>(new RowsAndObjects(options));

class RowsAndObjects implements PartStore {
  readonly #s3: S3Client;
  readonly #table: Table;
  readonly #bucket: string;
  readonly #maxRowBytes: number;

  constructor({ dynamo, s3, names, clock, maxRowBytes }: PartStoreOptions) {
    this.#s3 = s3;
    this.#table = { dynamo, clock, table: names.urlSeen };
    this.#bucket = names.bucket;
    this.#maxRowBytes = maxRowBytes;
  }

  async putPart(...[crawl, host, name, bytes]: Parameters<PartStore['putPart']>): Promise<void> {
    const key = itemKey(hostPartition(crawl, host), name);
    const differs = () => new Error(`the part ${name} of ${host}'s ledger is there already, and differs`);
    if (bytes.length <= this.#maxRowBytes) {
      const row = await this.#putRow(key, { bytes: { B: bytes } });
      if (!row.bytes?.B || Buffer.compare(row.bytes.B, bytes) !== 0) throw differs();
      return;
    }
    // The row first: whatever a crash leaves is listed, and swept like any part that no head names.
    const object = partObject(crawl, host, name);
    const row = await this.#putRow(key, { object: S(object), size: N(bytes.length) });
    if (row.object?.S !== object || row.size?.N !== String(bytes.length)) throw differs();
    if (!(await this.#putObject(object, bytes))) throw differs();
  }

  async readPart(
    ...[crawl, host, name, offset = 0, length]: Parameters<PartStore['readPart']>
  ): Promise<Uint8Array> {
    const key = itemKey(hostPartition(crawl, host), name);
    // Parts do not change, so the reading at half the price can only miss one that is young.
    const row =
      (await getItem(this.#table, key, { isConsistent: false })) ?? (await getItem(this.#table, key));
    if (!row) throw new LostPart(host, name);
    const size = row.bytes?.B?.length ?? Number(row.size?.N);
    const end = length === undefined ? size : Math.min(size, offset + length);
    if (offset >= end) return new Uint8Array(0);
    if (row.bytes?.B) return row.bytes.B.subarray(offset, end);
    const isWhole = offset === 0 && end === size;
    // Not the key in the row: no row leads to the object of another crawl.
    const range = isWhole ? undefined : `bytes=${offset}-${end - 1}`;
    return this.#getObject(partObject(crawl, host, name), range).catch((error) => {
      throw isMissing(error) ? new LostPart(host, name, error) : error;
    });
  }

  async listParts(crawl: CrawlId, host: HostKey): Promise<string[]> {
    const found: string[] = [];
    const rows = { partition: hostPartition(crawl, host), attributes: 'sk' };
    for await (const { sk } of queryItems(this.#table, rows)) found.push(sk?.S as string);
    return found;
  }

  async deleteParts(crawl: CrawlId, host: HostKey, partNames: readonly string[]): Promise<void> {
    const unique = [...new Set(partNames)];
    // Without reading which of them are objects: to delete costs nothing in S3, to read a row does. Objects
    // before rows: parts that a crash leaves are listed, and deleted the next time.
    const objects = unique.map((name) => partObject(crawl, host, name));
    const bucket = { s3: this.#s3, bucket: this.#bucket, clock: this.#table.clock };
    await deleteObjects(bucket, 'deleting parts', objects);
    const partition = hostPartition(crawl, host);
    await deleteItems(
      this.#table,
      unique.map((name) => itemKey(partition, name)),
    );
  }

  async #getObject(key: string, range?: string): Promise<Uint8Array> {
    // The body is read inside: a connection that breaks meanwhile is an error like any other.
    return this.#retry('reading a part', async () => {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key, Range: range });
      const { Body } = await this.#s3.send(command);
      if (!Body) throw new Error(`S3 gave no body for ${key}`);
      return Body.transformToByteArray();
    });
  }

  /** Stores the row, or finds it there: then as it is there. */
  async #putRow(key: Item, attributes: Item): Promise<Item> {
    const condition = 'attribute_not_exists(pk)';
    const { isWritten, found = {} } = await putItem(this.#table, { ...key, ...attributes }, { condition });
    return isWritten ? attributes : found;
  }

  /** Stores the object, or finds that it is there with the same bytes. */
  async #putObject(key: string, bytes: Uint8Array): Promise<boolean> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: bytes, IfNoneMatch: '*' });
    try {
      await this.#retry('storing a part', () => this.#s3.send(command));
      return true;
    } catch (error) {
      if (!isStatus(error, 412) && !isStatus(error, 409)) throw error;
      // 412: it is there. 409: another request for the key was in progress, and may have won (S3 User Guide,
      // "Conditional writes"). As names are not used twice, both mean an earlier attempt of our own.
      return Buffer.compare(await this.#getObject(key), bytes) === 0;
    }
  }

  #retry<T>(what: string, call: () => Promise<T>): Promise<T> {
    return withRetry(what, call, { clock: this.#table.clock });
  }
}

const isStatus = (error: unknown, status: number): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
