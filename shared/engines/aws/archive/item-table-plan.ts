/** Which items of a crawl are in its tables, and which table is made next: one item of CrawlState. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { ITEM_TABLES } from '../state/tables.ts';
import { itemKey, S } from '../table/item.ts';
import { getItem, updateItem } from '../table/table.ts';
import { type CompactStateContext, LeaseLost } from './compact-lease.ts';

/** The objects of items that are in tables. */
export interface TabledItems {
  /** Objects whose names sort up to this one, ... */
  readonly until: string;
  /** ... but for these: they were staged, and not published yet. */
  readonly late: readonly string[];
}

/** A table that is being made: of the objects after those that are in tables, ... */
export interface ItemTablePlan extends TabledItems {
  /** ... and of these, which were late and are there now. */
  readonly found: readonly string[];
}

interface ItemTablesState extends TabledItems {
  /** The tables that are made. The next one has this number. */
  readonly tables: number;
  readonly plan?: ItemTablePlan | undefined;
}

const NOTHING_TABLED: ItemTablesState = { until: '', late: [], tables: 0 };

/** The state, as one process replaces it: where another one has replaced it meanwhile, it throws {@link LeaseLost}. */
export interface ItemTablesStore {
  readonly state: ItemTablesState;
  replace(state: ItemTablesState): Promise<void>;
}

export async function openItemTables(context: CompactStateContext): Promise<ItemTablesStore> {
  const { clock, crawl } = context;
  const key = itemKey(crawl, ITEM_TABLES);
  const item = await getItem(context, key);
  let writtenBy = item?.writtenBy;
  let state = item?.tabled?.B ? decoded(item.tabled.B) : NOTHING_TABLED;

  return {
    get state() {
      return state;
    },
    async replace(next) {
      const by = S(clock.uuid());
      const { isWritten } = await updateItem(context, key, {
        update: 'SET tabled = :tabled, writtenBy = :by',
        condition: writtenBy ? 'writtenBy = :before' : 'attribute_not_exists(writtenBy)',
        values: { tabled: { B: encoded(next) }, by, ...(writtenBy && { before: writtenBy }) },
        isOurs: (found) => found.writtenBy?.S === by.S,
      });
      if (!isWritten) throw new LeaseLost(crawl);
      writtenBy = by;
      state = next;
    },
  };
}

const encoded = (state: ItemTablesState): Uint8Array => gzipSync(JSON.stringify(state));

const decoded = (bytes: Uint8Array): ItemTablesState =>
  JSON.parse(gunzipSync(bytes).toString('utf8')) as ItemTablesState;
