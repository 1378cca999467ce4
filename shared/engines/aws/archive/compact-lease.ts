/** Who compacts a crawl, and what he is about to do: one item of CrawlState. */
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { COMPACTION, type Item, itemKey, N, S } from '../state/tables.ts';
import { type JoinPlan, layOut, type Source } from './compact-layout.ts';

export interface CompactStateContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  readonly table: string;
  readonly crawl: CrawlId;
}

/** Thrown where another process has the crawl's compaction now. Nothing needs to be undone: stop. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';

  constructor(crawl: CrawlId) {
    super(`another process compacts the crawl ${crawl}`);
  }
}

/**
 * The right to compact a crawl, which one process has at a time, and the one plan of the crawl. A process
 * that held on beyond its time can make no plan any more; what it does for the old one does no harm, as that
 * has one outcome.
 */
export interface CompactLease {
  /** The plan that was begun and not ended, if there is one. */
  readonly plan: JoinPlan | undefined;
  /** Whether the plan's joined file and index are there: then it cannot be dropped any more. */
  readonly isStored: boolean;
  /** Holds the lease for another while, if it ends soon. Throws {@link LeaseLost}. */
  keep(): Promise<void>;
  /** Throws {@link LeaseLost}. */
  begin(plan: JoinPlan): Promise<void>;
  /** Says that joined file and index are there. False if the plan is not, any more. */
  markStored(plan: JoinPlan): Promise<boolean>;
  /** Ends a plan, done or given up. Throws {@link LeaseLost}. */
  end(plan: JoinPlan): Promise<void>;
  /** Lets others in, who will find a plan that was not ended. Never rejects. */
  release(): Promise<void>;
}

/** Longer than any step between two calls of `keep`: a copy of 256 MiB, with retries. */
const LEASE_MS = 5 * 60_000;

/** Undefined while another process has it. */
export async function takeLease(context: CompactStateContext): Promise<CompactLease | undefined> {
  const item = new LeaseItem(context);
  const found = await item.hold('attribute_not_exists(holder) OR leaseUntil < :now OR holder = :me', {
    ':now': N(context.clock.now()),
  });
  return found && new HeldLease(context, item, found);
}

/** The lease's item, as this process may write it. */
class LeaseItem {
  readonly holder: string;
  readonly #context: CompactStateContext;
  #leaseUntil = 0;

  constructor(context: CompactStateContext) {
    this.#context = context;
    this.holder = context.clock.uuid();
  }

  get key() {
    return { TableName: this.#context.table, Key: itemKey(this.#context.crawl, COMPACTION) };
  }

  get me(): Item {
    return { ':me': S(this.holder) };
  }

  /** Undefined if the condition does not hold. */
  async hold(condition: string, values: Item): Promise<Item | undefined> {
    const until = this.#context.clock.now() + LEASE_MS;
    const item = await this.update({
      set: 'SET holder = :me, leaseUntil = :until',
      condition,
      values: { ...this.me, ':until': N(until), ...values },
    });
    if (item) this.#leaseUntil = until;
    return item;
  }

  endsSoon(): boolean {
    return this.#leaseUntil - this.#context.clock.now() <= LEASE_MS / 2;
  }

  /** The item after the change; undefined if the condition does not hold and the item is not `otherwise`. */
  async update({ set, condition, values, otherwise }: Change): Promise<Item | undefined> {
    const { dynamo, clock } = this.#context;
    const command = new UpdateItemCommand({
      ...this.key,
      UpdateExpression: set,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes = {} } = await withRetry('compacting', () => dynamo.send(command), { clock });
      return Attributes;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item && otherwise?.(error.Item) ? error.Item : undefined;
    }
  }

  /** As above, as the process that holds the lease. */
  async updateHeld(change: Change): Promise<void> {
    if (await this.update(change)) return;
    throw new LeaseLost(this.#context.crawl);
  }
}

interface Change {
  readonly set: string;
  readonly condition: string;
  readonly values: Item;
  /** An item with which the change counts as made, though the condition does not hold. */
  readonly otherwise?: (item: Item) => boolean;
}

class HeldLease implements CompactLease {
  readonly plan: JoinPlan | undefined;
  readonly isStored: boolean;
  readonly #context: CompactStateContext;
  readonly #item: LeaseItem;
  #hasPlan: boolean;

  constructor(context: CompactStateContext, item: LeaseItem, found: Item) {
    this.#context = context;
    this.#item = item;
    this.plan = found.planFile && decodePlan(found);
    this.isStored = found.isStored?.BOOL === true;
    this.#hasPlan = this.plan !== undefined;
  }

  async keep(): Promise<void> {
    if (!this.#item.endsSoon()) return;
    if (!(await this.#item.hold('holder = :me', {}))) throw new LeaseLost(this.#context.crawl);
  }

  async begin(next: JoinPlan): Promise<void> {
    this.#hasPlan = true;
    await this.#item.updateHeld({
      set: 'SET planFile = :file, planSources = :sources',
      condition: 'holder = :me',
      values: { ...this.#item.me, ':file': S(next.file), ':sources': { B: encodePlan(next) } },
    });
  }

  async markStored({ file }: JoinPlan): Promise<boolean> {
    const marked = await this.#item.update({
      set: 'SET isStored = :yes',
      condition: 'planFile = :file',
      values: { ':file': S(file), ':yes': { BOOL: true } },
    });
    return marked !== undefined;
  }

  async end({ file }: JoinPlan): Promise<void> {
    await this.#item.updateHeld({
      set: 'REMOVE planFile, planSources, isStored',
      condition: 'holder = :me AND planFile = :file',
      values: { ...this.#item.me, ':file': S(file) },
      // Done by this very call, whose answer was lost.
      otherwise: (found) => found.holder?.S === this.#item.holder && found.planFile === undefined,
    });
    this.#hasPlan = false;
  }

  async release(): Promise<void> {
    const { dynamo } = this.#context;
    const held = {
      ...this.#item.key,
      ConditionExpression: 'holder = :me',
      ExpressionAttributeValues: this.#item.me,
    };
    const released = this.#hasPlan
      ? dynamo.send(new UpdateItemCommand({ ...held, UpdateExpression: 'REMOVE holder, leaseUntil' }))
      : dynamo.send(new DeleteItemCommand(held));
    // The lease ends by itself.
    await released.catch(() => {});
  }
}

/** The order is the plan's: another version of the layout could make another one. */
const encodePlan = ({ sources }: JoinPlan): Uint8Array =>
  gzipSync(JSON.stringify(sources.map(({ file, bytes }) => [file, bytes])));

function decodePlan({ planFile, planSources }: Item): JoinPlan {
  const json = gunzipSync(planSources?.B as Uint8Array).toString('utf8');
  const sources = (JSON.parse(json) as [string, number][]).map(([file, bytes]): Source => ({ file, bytes }));
  return layOut(planFile?.S as string, sources);
}
