/**
 * The cost of all crawls in a day (UTC): one item, to which each process of the stack adds what it has used. Kept where the
 * deployer has set a limit for it.
 */
import { messageOf } from '../../../core/base/error-message.ts';
import { type Item, itemKey, N } from '../table/item.ts';
import { getItem, updateItem } from '../table/table.ts';
import { EXPIRES_AT, expiresAt, SPEND, type StateTable } from './tables.ts';

export interface SpendCounterOptions extends StateTable {
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
  const { clock, maxCostPerDay, takeCost, warn } = options;
  const least = Math.min(LEAST_COST, maxCostPerDay / LEAST_PARTS);
  let held = 0;
  return async () => {
    held += takeCost();
    if (held < least) return;
    const amount = held;
    held = 0;
    try {
      await updateItem(options, keyOfToday(options), {
        update: `SET ${EXPIRES_AT} = :expires ADD spent :amount`,
        values: { expires: expiresAt(clock.now() + KEPT_MS), amount: N(amount) },
      });
    } catch (error) {
      held += amount;
      warn?.(`the cost of the day is behind: ${messageOf(error)}`);
    }
  };
}

/** Returns the US dollars that all crawls have cost today, as far as the processes have stored it. */
export async function spentToday(table: StateTable): Promise<number> {
  return Number((await getItem(table, keyOfToday(table)))?.spent?.N ?? 0);
}

/** When the next day (UTC) begins. */
export const nextDayAt = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS;

const keyOfToday = ({ clock }: StateTable): Item =>
  itemKey(SPEND, new Date(clock.now()).toISOString().slice(0, 10));
