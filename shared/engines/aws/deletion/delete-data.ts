/** Deletes what a crawl has stored. Nothing may work on the crawl any more. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { isDomainKey } from '../../../core/frontier/domain-state.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import { warcFolder } from '../archive/archives.ts';
import { deleteObjects } from '../archive/delete-objects.ts';
import { isUploadGone } from '../archive/is-missing.ts';
import {
  changesPrefix,
  itemsPrefix,
  skipsPrefix,
  stagedChangesPrefix,
  stagedItemsPrefix,
} from '../archive/item-folders.ts';
import { itemTablesPrefix, tablesPrefix } from '../archive/table-folders.ts';
import { exportsPrefix, exportWorkPrefix } from '../exports/export-folders.ts';
import { ExportJobs } from '../exports/export-jobs.ts';
import { withRetry } from '../retry.ts';
import {
  allHostShards,
  allJarPartitions,
  CRAWL,
  DIRECTORY,
  HEAD,
  hostPartition,
  hostShardOf,
  partsPrefix,
  RUNNING,
  type StateNames,
  type StateTable,
  statePartition,
  UNANNOUNCED,
  UNJOINED,
} from '../state/tables.ts';
import { deleteItems } from '../table/batch.ts';
import { type Item, itemKey } from '../table/item.ts';
import { queryItems } from '../table/query.ts';

export interface DeleteContext extends Omit<StateTable, 'table'> {
  readonly s3: S3Client;
  readonly names: Pick<StateNames, 'crawlState' | 'urlSeen' | 'bucket'>;
  readonly ledgers: Pick<LedgerStore, 'hosts'>;
}

/** The numbers of hosts, of rows of their ledgers, and of objects that were deleted. */
export interface DeletedData {
  hosts: number;
  rows: number;
  objects: number;
}

export interface DeleteDataOptions {
  /** Whether WARC files, their indexes, items and exports are deleted, too. */
  readonly archive: boolean;
  /** The time by which to stop. The rest is for the next call. Default: never. */
  readonly deadline?: number;
  /** Called now and then. The object is the same one each time. */
  readonly onProgress?: (deleted: Readonly<DeletedData>) => void;
}

/** Hosts whose ledgers are deleted at once. */
const HOSTS_AT_ONCE = 20;

/** Returns whether all is deleted. Safe to repeat after any failure: the crawl's record is deleted last. */
export async function deleteCrawlData(
  context: DeleteContext,
  crawl: CrawlId,
  options: DeleteDataOptions,
): Promise<boolean> {
  return new DataDeletion(context, crawl, options).run();
}

class DataDeletion {
  readonly #context: DeleteContext;
  readonly #crawl: CrawlId;
  readonly #options: DeleteDataOptions;
  readonly #exports: ExportJobs;
  readonly #deleted: DeletedData = { hosts: 0, rows: 0, objects: 0 };

  constructor(context: DeleteContext, crawl: CrawlId, options: DeleteDataOptions) {
    this.#context = context;
    this.#crawl = crawl;
    this.#options = options;
    const { crawlState: table, bucket } = context.names;
    this.#exports = new ExportJobs({ ...context, table, bucket });
  }

  async run(): Promise<boolean> {
    const crawl = this.#crawl;
    const { archive } = this.#options;
    const folders = [partsPrefix(crawl), stagedItemsPrefix(crawl), skipsPrefix(crawl)];
    folders.push(stagedChangesPrefix(crawl), changesPrefix(crawl), exportWorkPrefix(crawl));
    // Tables and exports are made of the archive, and stay as long as it does.
    if (archive)
      folders.push(
        ...[`${warcFolder(crawl)}/`, tablesPrefix(crawl)],
        ...[itemsPrefix(crawl), itemTablesPrefix(crawl), exportsPrefix(crawl)],
      );
    if (!(await this.#deleteHosts())) return false;
    for (const folder of folders) if (!(await this.#deleteFolder(folder))) return false;
    for (const folder of [`${warcFolder(crawl)}/`, exportsPrefix(crawl)]) await this.#abortUploads(folder);
    await this.#exports.forget(crawl);
    return this.#deleteRecord();
  }

  get #isLate(): boolean {
    return this.#context.clock.now() >= (this.#options.deadline ?? Infinity);
  }

  async #deleteHosts(): Promise<boolean> {
    let batch: HostKey[] = [];
    for await (const { host } of this.#context.ledgers.hosts(this.#crawl)) {
      batch.push(host);
      if (batch.length < HOSTS_AT_ONCE) continue;
      await this.#deleteBatch(batch);
      batch = [];
      if (this.#isLate) return false;
    }
    await this.#deleteBatch(batch);
    return !this.#isLate;
  }

  /** The entries in the directory last: hosts are found by them, or by their heads. */
  async #deleteBatch(hosts: readonly HostKey[]): Promise<void> {
    const { crawlState, urlSeen } = this.#context.names;
    const partitions = hosts.map((host) => hostPartition(this.#crawl, host));
    await Promise.all(partitions.map((partition) => this.#deletePartition(urlSeen, partition)));
    await this.#deleteItems(
      crawlState,
      partitions.map((partition) => itemKey(partition, HEAD)),
    );
    await this.#deleteItems(
      crawlState,
      hosts.map((host) => itemKey(hostShardOf(this.#crawl, host), host)),
    );
    this.#deleted.hosts += hosts.filter((host) => !isDomainKey(host)).length;
    this.#report();
  }

  async #deletePartition(table: string, partition: string, keep?: string): Promise<void> {
    const query = queryItems({ ...this.#context, table }, { partition, attributes: 'pk, sk' });
    const keys: Item[] = [];
    for await (const { sk } of query) if (sk?.S !== keep) keys.push(itemKey(partition, sk?.S as string));
    await this.#deleteItems(table, keys);
    this.#deleted.rows += keys.length;
  }

  #deleteItems(table: string, keys: readonly Item[]): Promise<void> {
    return deleteItems({ ...this.#context, table }, keys);
  }

  async #deleteFolder(folder: string): Promise<boolean> {
    const { s3, names, clock } = this.#context;
    const command = new ListObjectsV2Command({ Bucket: names.bucket, Prefix: folder });
    // Always the first page: the ones before it are deleted.
    while (!this.#isLate) {
      const { Contents = [] } = await withRetry(`listing ${folder}`, () => s3.send(command), { clock });
      if (Contents.length === 0) return true;
      const keys = Contents.flatMap(({ Key }) => Key ?? []);
      await deleteObjects({ s3, bucket: names.bucket, clock }, `deleting ${folder}`, keys);
      this.#deleted.objects += keys.length;
      this.#report();
    }
    return false;
  }

  /** Uploads that a process has left unfinished: they would become objects, or cost storage. */
  async #abortUploads(folder: string): Promise<void> {
    const { s3, names, clock } = this.#context;
    const bucket = { Bucket: names.bucket };
    const list = new ListMultipartUploadsCommand({ ...bucket, Prefix: folder });
    const { Uploads = [] } = await withRetry(`listing uploads of ${folder}`, () => s3.send(list), { clock });
    for (const { Key, UploadId } of Uploads) {
      const abort = new AbortMultipartUploadCommand({ ...bucket, Key, UploadId });
      await withRetry(`aborting the upload of ${Key}`, () => s3.send(abort), { clock }).catch((error) => {
        if (!isUploadGone(error)) throw error;
      });
    }
  }

  /** Deletes the crawl's own items: its counters, its entries in lists, and the record last. */
  async #deleteRecord(): Promise<boolean> {
    const { crawlState } = this.#context.names;
    // Entries that are left there had no heads.
    for (const shard of [...allHostShards(this.#crawl), ...allJarPartitions(this.#crawl)])
      await this.#deletePartition(crawlState, shard);
    await this.#deletePartition(crawlState, statePartition(this.#crawl));
    await this.#deletePartition(crawlState, this.#crawl, CRAWL);
    const names = [RUNNING, UNANNOUNCED, UNJOINED, DIRECTORY];
    await this.#deleteItems(
      crawlState,
      names.map((name) => itemKey(name, this.#crawl)),
    );
    await this.#deleteItems(crawlState, [itemKey(this.#crawl, CRAWL)]);
    return true;
  }

  #report(): void {
    this.#options.onProgress?.(this.#deleted);
  }
}
