/** Which items of a crawl are in its tables, and which table is made next: one item of CrawlState. */
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { ITEM_TABLES, itemKey, S } from '../state/tables.ts';
import { LeaseLost } from './compact-lease.ts';

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

export interface ItemTablesState extends TabledItems {
  /** The tables that are made. The next one has this number. */
  readonly tables: number;
  readonly plan?: ItemTablePlan | undefined;
}

const NOTHING_TABLED: ItemTablesState = { until: '', late: [], tables: 0 };

interface StateContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  readonly table: string;
  readonly crawl: CrawlId;
}

/** The state, as one process replaces it: where another one has replaced it meanwhile, it throws {@link LeaseLost}. */
export interface ItemTablesStore {
  readonly state: ItemTablesState;
  replace(state: ItemTablesState): Promise<void>;
}

export async function openItemTables({
  dynamo,
  clock,
  table,
  crawl,
}: StateContext): Promise<ItemTablesStore> {
  const key = { TableName: table, Key: itemKey(crawl, ITEM_TABLES) };
  const load = new GetItemCommand({ ...key, ConsistentRead: true });
  const { Item } = await withRetry('looking for tables of items', () => dynamo.send(load), { clock });
  let writtenBy = Item?.writtenBy?.S;
  let state = Item?.tabled?.B ? decoded(Item.tabled.B) : NOTHING_TABLED;

  return {
    get state() {
      return state;
    },
    async replace(next) {
      const by = clock.uuid();
      const command = new UpdateItemCommand({
        ...key,
        UpdateExpression: 'SET tabled = :tabled, writtenBy = :by',
        ConditionExpression:
          writtenBy === undefined ? 'attribute_not_exists(writtenBy)' : 'writtenBy = :before',
        ExpressionAttributeValues: {
          ':tabled': { B: encoded(next) },
          ':by': S(by),
          ...(writtenBy !== undefined && { ':before': S(writtenBy) }),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await withRetry('noting tables of items', () => dynamo.send(command), { clock });
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Written by this very call, whose answer was lost.
        if (error.Item?.writtenBy?.S !== by) throw new LeaseLost(crawl);
      }
      writtenBy = by;
      state = next;
    },
  };
}

const encoded = (state: ItemTablesState): Uint8Array => gzipSync(JSON.stringify(state));

const decoded = (bytes: Uint8Array): ItemTablesState =>
  JSON.parse(gunzipSync(bytes).toString('utf8')) as ItemTablesState;
