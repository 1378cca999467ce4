/** The state that hooks keep, in CrawlState: an item for each value. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { SharedState, SharedValues, StateChange } from '../../../crawler/ports/shared-state.ts';
import { queryItems } from '../table/query.ts';
import type { Written } from '../table/table.ts';
import { type HeadPut, StateCommits } from './state-commits.ts';
import { StateValues } from './state-values.ts';
import { type StateTable, statePartition } from './tables.ts';

export interface HookStateOptions extends StateTable {
  /** Characters of values that are kept, of all crawls together. Default 32,000,000. */
  readonly maxChars?: number;
}

/** Values are read again after this time, and this much more for each 100,000 characters: reading is paid by size. */
const REFRESH_MS = 5000;
const REFRESH_MS_PER_CHAR = 1000 / 100_000;
/** Values that a process keeps, of all crawls together, in characters; and its crawls. */
const MAX_CHARS = 32_000_000;
const MAX_CRAWLS = 1000;

interface Known {
  readonly values: StateValues;
  readonly commits: StateCommits;
  readAt: number;
  reading?: Promise<void> | undefined;
}

/** The {@link SharedState} port on DynamoDB. */
export class HookState implements SharedState {
  readonly #options: HookStateOptions;
  readonly #maxChars: number;
  readonly #known = new Map<CrawlId, Known>();

  constructor(options: HookStateOptions) {
    this.#options = options;
    this.#maxChars = options.maxChars ?? MAX_CHARS;
  }

  async read(crawl: CrawlId): Promise<SharedValues> {
    const known = this.#of(crawl);
    const { values, readAt } = known;
    const age = this.#options.clock.now() - readAt;
    if (age >= 0 && age < REFRESH_MS + values.chars * REFRESH_MS_PER_CHAR) return values;
    await this.#refresh(crawl, known);
    return values;
  }

  /** Reads all values as they are now. */
  async readNow(crawl: CrawlId): Promise<SharedValues> {
    const known = this.#of(crawl);
    await known.reading;
    await this.#refresh(crawl, known);
    return known.values;
  }

  /**
   * Makes the changes, in their order, each once. With a head: together with it, or not at all if the head's condition
   * does not hold.
   */
  async change(crawl: CrawlId, changes: readonly StateChange[], head?: HeadPut): Promise<Written> {
    const known = this.#of(crawl);
    // A change may not leave a value as it is that was never read.
    if (known.readAt < 0) await this.#refresh(crawl, known);
    return known.commits.add({ head, changes });
  }

  #refresh(crawl: CrawlId, known: Known): Promise<void> {
    known.reading ??= (async () => {
      const readAt = this.#options.clock.now();
      const items = queryItems(this.#options, { partition: statePartition(crawl) });
      try {
        await known.values.refresh(items);
        known.readAt = readAt;
        this.#dropOldest();
      } finally {
        known.reading = undefined;
      }
    })();
    return known.reading;
  }

  /** The one used last stands last. */
  #of(crawl: CrawlId): Known {
    let known = this.#known.get(crawl);
    if (known === undefined) {
      const values = new StateValues();
      const commits = new StateCommits({ ...this.#options, crawl, values });
      known = { values, commits, readAt: Number.NEGATIVE_INFINITY };
    }
    this.#known.delete(crawl);
    this.#known.set(crawl, known);
    if (this.#known.size > MAX_CRAWLS) this.#dropOldest();
    return known;
  }

  /** Keeps the crawl used last, whatever it has. */
  #dropOldest(): void {
    let chars = 0;
    for (const { values } of this.#known.values()) chars += values.chars;
    for (const [crawl, { values }] of this.#known) {
      if (this.#known.size <= 1 || (chars <= this.#maxChars && this.#known.size <= MAX_CRAWLS)) return;
      this.#known.delete(crawl);
      chars -= values.chars;
    }
  }
}
