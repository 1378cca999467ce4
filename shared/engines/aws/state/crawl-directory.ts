import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { itemKey } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, deleteOf, putItem, putOf, type Table, type Write } from '../table/table.ts';

export interface CrawlDirectoryOptions extends Table {
  /** The partition key of its entries. */
  readonly name: string;
}

/** Names of crawls. */
export class CrawlDirectory {
  readonly #options: CrawlDirectoryOptions;

  constructor(options: CrawlDirectoryOptions) {
    this.#options = options;
  }

  /** The write of `enter`, for a transaction. */
  entry(crawl: CrawlId): Write {
    return putOf(this.#options, this.#keyOf(crawl));
  }

  /** The write of `strike`, for a transaction. */
  withoutEntry(crawl: CrawlId): Write {
    return deleteOf(this.#options, this.#keyOf(crawl));
  }

  async enter(crawl: CrawlId): Promise<void> {
    await putItem(this.#options, this.#keyOf(crawl));
  }

  async strike(crawl: CrawlId): Promise<void> {
    await deleteItem(this.#options, this.#keyOf(crawl));
  }

  async list(): Promise<CrawlId[]> {
    const found: CrawlId[] = [];
    for await (const { sk } of queryItems(this.#options, { partition: this.#options.name }))
      found.push(sk?.S as string);
    return found;
  }

  #keyOf(crawl: CrawlId) {
    return itemKey(this.#options.name, crawl);
  }
}
