/**
 * Transactions on items of a table that must be changed together. Each item costs twice as much as a write of its own.
 */
import { type CancellationReason, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { RETRY_ATTEMPTS, retryWaitMs, withRetry } from '../retry.ts';
import { isOwnWrite, type Table, type Write } from './table.ts';

export const CONDITION_FAILED = 'ConditionalCheckFailed';
/** Codes of items whose transaction may be tried again as it is (API reference of TransactWriteItems). */
const PASSING = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Writes all of the items, or none. False: the condition of one does not hold. A conflict with another write is tried
 * again.
 */
export async function transact(table: Table, writes: readonly Write[]): Promise<boolean> {
  const { clock } = table;
  for (let attempt = 1; ; attempt++) {
    const reasons = await tryTransact(table, writes);
    if (reasons === undefined) return true;
    const isFailed = ({ Code }: CancellationReason) => Code === CONDITION_FAILED;
    if (reasons.some(isFailed))
      return reasons.some((reason, i) => isFailed(reason) && isOwnWrite(writes[i], reason.Item));
    if (attempt >= RETRY_ATTEMPTS)
      throw new Error(`writing ${table.table}: in conflict ${attempt} times over`);
    await clock.sleep(retryWaitMs(attempt, clock.random()));
  }
}

/** As above, once. Why nothing was written, for each item; undefined: all was written. */
export async function tryTransact(
  { dynamo, table, clock }: Table,
  writes: readonly Write[],
): Promise<readonly CancellationReason[] | undefined> {
  const TransactItems = writes.map(({ isOurs: _, ...item }) => item);
  const command = new TransactWriteItemsCommand({ TransactItems });
  try {
    await withRetry(`writing ${table}`, () => dynamo.send(command), { clock });
    return undefined;
  } catch (error) {
    const { CancellationReasons: reasons } = error as { CancellationReasons?: CancellationReason[] };
    const isKnown = ({ Code = 'None' }: CancellationReason) => PASSING.has(Code) || Code === CONDITION_FAILED;
    if (reasons?.every(isKnown)) return reasons;
    throw error;
  }
}
