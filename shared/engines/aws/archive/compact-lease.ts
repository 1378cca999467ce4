/** Who compacts a crawl, and what he is about to do: one item of CrawlState. */
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
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
  const { dynamo, clock, table, crawl } = context;
  const holder = clock.uuid();
  let leaseUntil = 0;
  let hasPlan = false;

  /** False, or `otherwise` of the item as it is, if the condition does not hold. */
  async function update(
    expression: string,
    condition: string,
    values: Item,
    otherwise: (item: Item) => boolean = () => false,
  ): Promise<Item | undefined> {
    const command = new UpdateItemCommand({
      TableName: table,
      Key: itemKey(crawl, COMPACTION),
      UpdateExpression: expression,
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
      return error.Item && otherwise(error.Item) ? error.Item : undefined;
    }
  }

  /** The same, as the process that holds the lease. */
  async function updateHeld(...parameters: Parameters<typeof update>): Promise<void> {
    if (await update(...parameters)) return;
    throw new LeaseLost(crawl);
  }

  async function hold(condition: string, values: Item): Promise<Item | undefined> {
    const until = clock.now() + LEASE_MS;
    const item = await update('SET holder = :me, leaseUntil = :until', condition, {
      ':me': S(holder),
      ':until': N(until),
      ...values,
    });
    if (item) leaseUntil = until;
    return item;
  }

  const item = await hold('attribute_not_exists(holder) OR leaseUntil < :now OR holder = :me', {
    ':now': N(clock.now()),
  });
  if (!item) return undefined;
  const plan = item.planFile && decodePlan(item);
  hasPlan = plan !== undefined;

  return {
    plan,
    isStored: item.isStored?.BOOL === true,

    async keep() {
      if (leaseUntil - clock.now() > LEASE_MS / 2) return;
      if (!(await hold('holder = :me', {}))) throw new LeaseLost(crawl);
    },

    async begin(next) {
      hasPlan = true;
      const values = { ':me': S(holder), ':file': S(next.file), ':sources': { B: encodePlan(next) } };
      await updateHeld('SET planFile = :file, planSources = :sources', 'holder = :me', values);
    },

    async markStored({ file }) {
      const values = { ':file': S(file), ':yes': { BOOL: true } };
      return (await update('SET isStored = :yes', 'planFile = :file', values)) !== undefined;
    },

    async end({ file }) {
      const values = { ':me': S(holder), ':file': S(file) };
      await updateHeld(
        'REMOVE planFile, planSources, isStored',
        'holder = :me AND planFile = :file',
        values,
        // Done by this very call, whose answer was lost.
        (found) => found.holder?.S === holder && found.planFile === undefined,
      );
      hasPlan = false;
    },

    async release() {
      const isHeld = {
        ConditionExpression: 'holder = :me',
        ExpressionAttributeValues: { ':me': S(holder) },
      };
      const key = { TableName: table, Key: itemKey(crawl, COMPACTION) };
      const released = hasPlan
        ? dynamo.send(
            new UpdateItemCommand({ ...key, ...isHeld, UpdateExpression: 'REMOVE holder, leaseUntil' }),
          )
        : dynamo.send(new DeleteItemCommand({ ...key, ...isHeld }));
      // The lease ends by itself.
      await released.catch(() => {});
    },
  };
}

/** The order is the plan's: another version of the layout could make another one. */
const encodePlan = ({ sources }: JoinPlan): Uint8Array =>
  gzipSync(JSON.stringify(sources.map(({ file, bytes }) => [file, bytes])));

function decodePlan({ planFile, planSources }: Item): JoinPlan {
  const json = gunzipSync(planSources?.B as Uint8Array).toString('utf8');
  const sources = (JSON.parse(json) as [string, number][]).map(([file, bytes]): Source => ({ file, bytes }));
  return layOut(planFile?.S as string, sources);
}
