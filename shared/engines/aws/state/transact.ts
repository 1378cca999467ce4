/**
 * Transactions on items of CrawlState that must be changed together. Each item costs twice as much as a write of its
 * own.
 */
import {
  type CancellationReason,
  type DynamoDBClient,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { RETRY_ATTEMPTS, retryWaitMs, withRetry } from '../retry.ts';

export interface TransactContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
}

const CONDITION_FAILED = 'ConditionalCheckFailed';

/**
 * Writes all of the items, or none. Resolves to undefined if all were written, else to the items whose condition
 * failed, by their index in `items`: the stored attributes, if the item requests them. A conflict with another write is
 * tried again.
 */
export async function transact(
  { dynamo, clock }: TransactContext,
  what: string,
  items: readonly TransactWriteItem[],
): Promise<ReadonlyMap<number, CancellationReason['Item']> | undefined> {
  const command = new TransactWriteItemsCommand({ TransactItems: [...items] });
  for (let attempt = 1; ; attempt++) {
    try {
      await withRetry(what, () => dynamo.send(command), { clock });
      return undefined;
    } catch (error) {
      const { CancellationReasons: reasons } = error as { CancellationReasons?: CancellationReason[] };
      if (reasons === undefined) throw error;
      const failed = reasons.flatMap(({ Code, Item }, i) =>
        Code === CONDITION_FAILED ? [[i, Item] as const] : [],
      );
      if (failed.length > 0) return new Map(failed);
      if (!reasons.every(isPassing)) throw error;
      if (attempt >= RETRY_ATTEMPTS)
        throw new Error(`${what}: in conflict ${attempt} times over`, { cause: error });
    }
    await clock.sleep(retryWaitMs(attempt, clock.random()));
  }
}

/** Codes of items whose transaction may be tried again as it is (API reference of TransactWriteItems). */
const PASSING = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
const isPassing = ({ Code = 'None' }: CancellationReason): boolean => PASSING.has(Code);
