/**
 * Items in S3. Published: gzipped lines of JSON under `items/CRAWL/`, an object for each turn that had items.
 * Each item is there once, so other programs can read the folder as it is.
 *
 * A turn stages its items as an object with a name of its own under `staged-items/`, and its head carries the
 * name: that says which of several attempts was committed. Publishing copies that object, then deletes the
 * staged one. So a staged object that is not there was published. If a process dies between commit and
 * publication, its messages come back, and the host's next turn publishes what the head carries. Objects of
 * attempts that were never committed stay until the bucket's lifecycle rule deletes them.
 */
import { gzipSync } from 'node:zlib';
import { CopyObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { ItemStore } from '../../../crawler/ports/item-store.ts';
import { withRetry } from '../retry.ts';
import type { ObjectContext } from './archive-object.ts';
import { deleteObjects } from './delete-objects.ts';
import { isMissing } from './is-missing.ts';
import { changesPrefix, itemsPrefix, stagedChangesPrefix, stagedItemsPrefix } from './item-folders.ts';

/** Names of published objects that a process remembers, so as not to request them from S3 at the host's next turn. */
const MAX_REMEMBERED = 10_000;

export interface ItemObjectsOptions extends ObjectContext {
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random' | 'uuid'>;
  /** Does the write of each object. Default: it is just done. */
  readonly storing?: <T>(crawl: CrawlId, write: () => Promise<T>) => Promise<T>;
}

/** The folders of a crawl, with their slashes. */
interface Folders {
  readonly staged: (crawl: CrawlId) => string;
  readonly published: (crawl: CrawlId) => string;
}

/** The {@link ItemStore} port on S3. Throws what S3 throws, and after a throttle that lasts, an `Error`. */
export const createItemObjects = (options: ItemObjectsOptions): ItemStore =>
  boundMethods<ItemStore>(new ItemObjects(options, { staged: stagedItemsPrefix, published: itemsPrefix }));

/** As above, for changes of pages. A published object is deleted when it was sent. */
export const createChangeObjects = (options: Omit<ItemObjectsOptions, 'storing'>): ItemStore =>
  boundMethods<ItemStore>(
    new ItemObjects(options, { staged: stagedChangesPrefix, published: changesPrefix }),
  );

class ItemObjects implements ItemStore {
  readonly #options: ItemObjectsOptions;
  readonly #folders: Folders;
  readonly #published = new Set<string>();

  constructor(options: ItemObjectsOptions, folders: Folders) {
    this.#options = options;
    this.#folders = folders;
  }

  async stage(
    crawl: CrawlId,
    _host: HostKey,
    _version: number,
    lines: readonly string[],
  ): Promise<string | undefined> {
    if (lines.length === 0) return undefined;
    const { s3, bucket, clock, storing = justDone } = this.#options;
    const name = `${stampOf(clock.now())}-${clock.uuid()}.jsonl.gz`;
    const key = this.#folders.staged(crawl) + name;
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: gzipSync(`${lines.join('\n')}\n`),
      ContentType: 'application/gzip',
    });
    await storing(crawl, () => withRetry(`storing ${key}`, () => s3.send(command), { clock }));
    return name;
  }

  async publish(crawl: CrawlId, _host: HostKey, _version: number, name?: string): Promise<void> {
    if (name === undefined || this.#published.has(name)) return;
    const { s3, bucket, clock, storing = justDone } = this.#options;
    const [from, to] = [this.#folders.staged(crawl) + name, this.#folders.published(crawl) + name];
    const command = new CopyObjectCommand({
      Bucket: bucket,
      Key: to,
      CopySource: `${bucket}/${encodeURIComponent(from)}`,
    });
    try {
      await storing(crawl, () => withRetry(`publishing ${to}`, () => s3.send(command), { clock }));
      await deleteObjects(this.#options, `deleting ${from}`, [from]);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.#remember(name);
  }

  #remember(name: string): void {
    this.#published.add(name);
    if (this.#published.size > MAX_REMEMBERED)
      this.#published.delete(this.#published.values().next().value as string);
  }
}

const justDone = <T>(_: CrawlId, write: () => Promise<T>): Promise<T> => write();

/** `YYYYMMDDhhmmss`, as the names of such objects begin. */
export const stampOf = (time: number): string => new Date(time).toISOString().replace(/\D/g, '').slice(0, 14);
