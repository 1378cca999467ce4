/**
 * The cost of all crawls in a day (UTC): one item, to which each process of the stack adds what it has used. Kept where the
 * deployer has set a limit for it.
 */
import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { messageOf } from '../../../core/base/error-message.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { EXPIRES_AT, type Item, itemKey, N, SPEND } from './tables.ts';

export interface SpendContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

export interface SpendCounterOptions extends SpendContext {
  /** US dollars of the day's limit. */
  readonly maxCostPerDay: number;
  /** Returns the US dollars that this process has used since the last call. */
  readonly takeCost: () => number;
  /** Called with costs that could not be stored yet. */
  readonly warn?: ((message: string) => void) | undefined;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 40 * DAY_MS;
/** Less is not worth the write, which costs a three-hundredth of this; and no more than a part of a small limit. */
const LEAST_COST = 0.0002;
const LEAST_PARTS = 1000;

/**
 * Returns a function that adds this process's cost since the last call to the day's cost, if that is worth a write. It
 * never rejects: an amount that could not be stored is added the next time. An addition whose answer was lost may count
 * twice.
 */
export function createSpendCounter(options: SpendCounterOptions): () => Promise<void> {
  const { dynamo, clock, table, maxCostPerDay, takeCost, warn } = options;
  const least = Math.min(LEAST_COST, maxCostPerDay / LEAST_PARTS);
  let held = 0;
  return async () => {
    held += takeCost();
    if (held < least) return;
    const amount = held;
    held = 0;
    const command = new UpdateItemCommand({
      TableName: table,
      Key: keyOfToday(options),
      UpdateExpression: `SET ${EXPIRES_AT} = :expires ADD spent :amount`,
      ExpressionAttributeValues: {
        ':expires': N(Math.ceil((clock.now() + KEPT_MS) / 1000)),
        ':amount': N(amount),
      },
    });
    try {
      await withRetry('adding to the cost of the day', () => dynamo.send(command), { clock });
    } catch (error) {
      held += amount;
      warn?.(`the cost of the day is behind: ${messageOf(error)}`);
    }
  };
}

/** Returns the US dollars that all crawls have cost today, as far as the processes have stored it. */
export async function spentToday(context: SpendContext): Promise<number> {
  const { dynamo, clock, table } = context;
  const command = new GetItemCommand({ TableName: table, Key: keyOfToday(context), ConsistentRead: true });
  const { Item } = await withRetry('loading the cost of the day', () => dynamo.send(command), { clock });
  return Number(Item?.spent?.N ?? 0);
}

/** When the next day (UTC) begins. */
export const nextDayAt = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS;

const keyOfToday = ({ clock }: SpendContext): Item =>
  itemKey(SPEND, new Date(clock.now()).toISOString().slice(0, 10));
