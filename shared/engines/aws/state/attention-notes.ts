/** The figures by which the waker finds troubles of the whole stack, and which troubles were announced. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { partitionItems } from './dynamo-pages.ts';
import { ATTENTION, EXPIRES_AT, itemKey, N, S } from './tables.ts';

/** Requests, those of them that count against their hosts, and US dollars. */
export type Figures = readonly [requests: number, errors: number, cost: number];

/** The figures of all crawls, up to `at`, since the sample before. */
export interface Sample {
  readonly at: number;
  readonly figures: Figures;
}

export interface WatchState {
  /** When `crawls` was read. */
  readonly at: number;
  /** The figures since their beginning of the crawls that were looked at. */
  readonly crawls: Readonly<Record<CrawlId, Figures>>;
  /** The notes of the last hour, oldest first. */
  readonly samples: readonly Sample[];
}

export interface AttentionNotes {
  /** The state as stored last, and when each trouble was announced. */
  load(): Promise<{ readonly state?: WatchState; readonly announced: ReadonlyMap<string, number> }>;
  store(state: WatchState): Promise<void>;
  /** Notes that the trouble is announced now. False if another process did so in the last `repeatMs`. */
  claim(trouble: string, repeatMs: number): Promise<boolean>;
  /** The trouble is over: when it comes again, it is announced again. */
  forget(trouble: string): Promise<void>;
}

export interface AttentionContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

const STATE = 'state';
const TROUBLE_PREFIX = 'trouble#';
const KEPT_MS = 30 * 86_400_000;

export function createAttentionNotes({ dynamo, clock, table }: AttentionContext): AttentionNotes {
  /** By trouble, a claim that failed, though it may have been taken: the same one is made again. */
  const unanswered = new Map<string, string>();
  const expires = () => N(Math.ceil((clock.now() + KEPT_MS) / 1000));
  return {
    async load() {
      const notes = partitionItems({ dynamo, clock }, { table, partition: ATTENTION });
      const announced = new Map<string, number>();
      let state: WatchState | undefined;
      for await (const { sk, saidAt, json } of notes) {
        const name = sk?.S ?? '';
        if (name === STATE) state = JSON.parse(json?.S ?? '{}');
        else announced.set(name.slice(TROUBLE_PREFIX.length), Number(saidAt?.N));
      }
      return { announced, ...(state && { state }) };
    },
    async store(state) {
      const Item = {
        ...itemKey(ATTENTION, STATE),
        json: S(JSON.stringify(state)),
        [EXPIRES_AT]: expires(),
      };
      const command = new PutItemCommand({ TableName: table, Item });
      await withRetry('noting figures of the stack', () => dynamo.send(command), { clock });
    },
    async claim(trouble, repeatMs) {
      const now = clock.now();
      const claim = unanswered.get(trouble) ?? clock.uuid();
      unanswered.delete(trouble);
      const command = new UpdateItemCommand({
        TableName: table,
        Key: itemKey(ATTENTION, TROUBLE_PREFIX + trouble),
        UpdateExpression: `SET saidAt = :now, claim = :claim, ${EXPIRES_AT} = :expires`,
        // The SDK repeats a call whose answer is lost: it must not take its own claim for another process's.
        ConditionExpression: 'attribute_not_exists(saidAt) OR saidAt <= :before OR claim = :claim',
        ExpressionAttributeValues: {
          ':now': N(now),
          ':before': N(now - repeatMs),
          ':claim': S(claim),
          ':expires': expires(),
        },
      });
      try {
        await withRetry('noting a trouble', () => dynamo.send(command), { clock });
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        unanswered.set(trouble, claim);
        throw error;
      }
    },
    async forget(trouble) {
      const Key = itemKey(ATTENTION, TROUBLE_PREFIX + trouble);
      const command = new DeleteItemCommand({ TableName: table, Key });
      await withRetry('noting the end of a trouble', () => dynamo.send(command), { clock });
    },
  };
}
