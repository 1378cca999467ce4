/** The cost of all crawls in a day (UTC), kept by the waker where the deployer has set a limit for it. */
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import { withRetry } from '../retry.ts';
import { EXPIRES_AT, type Item, itemKey, N, S, SPEND } from './tables.ts';

export interface SpendContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

/** US dollars: a crawl's cost when it was first seen that day, and when it was last seen. */
type Costs = Map<CrawlId, readonly [first: number, last: number]>;

const KEPT_MS = 40 * 86_400_000;

/**
 * Takes in the present costs of crawls. Returns the US dollars that all crawls have cost today. A crawl counts from the
 * first call of the day on that names it, and to the last one.
 */
export async function noteSpend(context: SpendContext, now: ReadonlyMap<CrawlId, number>): Promise<number> {
  const { dynamo, clock, table } = context;
  // The day may end before the costs are stored: they are still this day's.
  const key = keyOfToday(context);
  const { costs } = await load(context, key);
  for (const [crawl, cost] of now) costs.set(crawl, [costs.get(crawl)?.[0] ?? cost, cost]);
  const sum = sumOf(costs);
  if (now.size === 0) return sum;
  const command = new PutItemCommand({
    TableName: table,
    Item: {
      ...key,
      costs: S(JSON.stringify(Object.fromEntries(costs))),
      [EXPIRES_AT]: N(Math.ceil((clock.now() + KEPT_MS) / 1000)),
    },
  });
  await withRetry('noting the cost of the day', () => dynamo.send(command), { clock });
  return sum;
}

/** Returns the US dollars that all crawls have cost today, as the waker last noted it. */
export const spentToday = async (context: SpendContext): Promise<number> =>
  (await load(context, keyOfToday(context))).spent;

async function load(
  { dynamo, clock, table }: SpendContext,
  key: Item,
): Promise<{ costs: Costs; spent: number }> {
  const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true });
  const { Item } = await withRetry('loading the cost of the day', () => dynamo.send(command), { clock });
  const costs: Costs = new Map(Object.entries(JSON.parse(Item?.costs?.S ?? '{}')));
  return { costs, spent: sumOf(costs) };
}

const keyOfToday = ({ clock }: SpendContext): Item =>
  itemKey(SPEND, new Date(clock.now()).toISOString().slice(0, 10));

const sumOf = (costs: Costs): number =>
  [...costs.values()].reduce((sum, [first, last]) => sum + Math.max(0, last - first), 0);
