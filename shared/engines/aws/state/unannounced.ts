/** The crawls whose end is still to be announced: those that run, and those whose events were not received. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, getItem, putOf, updateItem, type Write } from '../table/table.ts';
import { type StateTable, UNANNOUNCED } from './tables.ts';

export interface UnannouncedCrawl {
  readonly crawl: CrawlId;
  /** A new value each time that the crawl is entered. */
  readonly entry: string;
  /** How often its events were sent and not received. */
  readonly tries: number;
  /** When they are to be sent again, in ms since the epoch. */
  readonly retryAt: number;
  /** How often the call of the project's `onFinish` was begun, and whether one has come back. */
  readonly finishTries: number;
  readonly isFinishDone: boolean;
}

/** How far the call of `onFinish` is. */
export type FinishNote = Pick<UnannouncedCrawl, 'crawl' | 'entry' | 'finishTries' | 'isFinishDone'>;

/** A try without success. */
export type DelayNote = Pick<UnannouncedCrawl, 'crawl' | 'entry' | 'tries' | 'retryAt'>;

export class UnannouncedCrawls {
  readonly #table: StateTable;

  constructor(table: StateTable) {
    this.#table = table;
  }

  /** The write that enters the crawl, for a transaction. Forgets earlier tries. */
  entry(crawl: CrawlId): Write {
    return putOf(this.#table, { ...itemKey(UNANNOUNCED, crawl), entry: S(this.#table.clock.uuid()) });
  }

  /** Removes the crawl, unless it was entered again meanwhile. */
  async strike({ crawl, entry }: Pick<UnannouncedCrawl, 'crawl' | 'entry'>): Promise<void> {
    await deleteItem(this.#table, itemKey(UNANNOUNCED, crawl), {
      condition: IS_AT_ENTRY,
      values: { entry: S(entry) },
    });
  }

  /** Notes a try without success, unless the crawl was struck or entered again meanwhile. */
  delay({ tries, retryAt, ...of }: DelayNote): Promise<void> {
    return this.#set(of, { tries: N(tries), retryAt: N(retryAt) });
  }

  /** Notes the call of `onFinish`, unless the crawl was struck or entered again meanwhile. */
  noteFinish({ finishTries, isFinishDone, ...of }: FinishNote): Promise<void> {
    return this.#set(of, { finishTries: N(finishTries), isFinishDone: { BOOL: isFinishDone } });
  }

  async #set({ crawl, entry }: Pick<UnannouncedCrawl, 'crawl' | 'entry'>, attributes: Item): Promise<void> {
    const sets = Object.keys(attributes).map((name) => `${name} = :${name}`);
    await updateItem(this.#table, itemKey(UNANNOUNCED, crawl), {
      update: `SET ${sets.join(', ')}`,
      condition: IS_AT_ENTRY,
      values: { ...attributes, entry: S(entry) },
    });
  }

  async list(): Promise<UnannouncedCrawl[]> {
    const found: UnannouncedCrawl[] = [];
    for await (const item of queryItems(this.#table, { partition: UNANNOUNCED }))
      found.push(unannouncedOf(item));
    return found;
  }

  async load(crawl: CrawlId): Promise<UnannouncedCrawl | undefined> {
    const item = await getItem(this.#table, itemKey(UNANNOUNCED, crawl));
    return item && unannouncedOf(item);
  }
}

/** The crawl is there as it was entered then. */
const IS_AT_ENTRY = '#entry = :entry';

const unannouncedOf = ({ sk, entry, tries, retryAt, finishTries, isFinishDone }: Item): UnannouncedCrawl => ({
  crawl: sk?.S as string,
  entry: entry?.S ?? '',
  tries: Number(tries?.N ?? 0),
  retryAt: Number(retryAt?.N ?? 0),
  finishTries: Number(finishTries?.N ?? 0),
  isFinishDone: isFinishDone?.BOOL === true,
});
