/** The crawls whose end is still to be announced: those that run, and those whose events were not received. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { partitionItems } from './dynamo-pages.ts';
import { type Item, itemKey, N, S, UNANNOUNCED } from './tables.ts';

export interface UnannouncedCrawl {
  readonly crawl: CrawlId;
  /** A new value each time that the crawl is entered. */
  readonly entry: string;
  /** How often its events were sent and not received. */
  readonly tries: number;
  /** When they are to be sent again, in ms since the epoch. */
  readonly retryAt: number;
  /** How often the call of the project's `onFinish` was begun, and whether one has come back. */
  readonly finishTries: number;
  readonly isFinishDone: boolean;
}

/** How far the call of `onFinish` is. */
export type FinishNote = Pick<UnannouncedCrawl, 'crawl' | 'entry' | 'finishTries' | 'isFinishDone'>;

/** A try without success. */
export type DelayNote = Pick<UnannouncedCrawl, 'crawl' | 'entry' | 'tries' | 'retryAt'>;

export interface UnannouncedContext {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

export class UnannouncedCrawls {
  readonly #context: UnannouncedContext;

  constructor(context: UnannouncedContext) {
    this.#context = context;
  }

  /** The write that enters the crawl, for a transaction. Forgets earlier tries. */
  entry(crawl: CrawlId): { readonly Put: PutItemCommandInput } {
    const { table, clock } = this.#context;
    return { Put: { TableName: table, Item: { ...itemKey(UNANNOUNCED, crawl), entry: S(clock.uuid()) } } };
  }

  /** Removes the crawl, unless it was entered again meanwhile. */
  async strike({ crawl, entry }: Pick<UnannouncedCrawl, 'crawl' | 'entry'>): Promise<void> {
    const { dynamo, table, clock } = this.#context;
    const command = new DeleteItemCommand({
      TableName: table,
      Key: itemKey(UNANNOUNCED, crawl),
      ...isAt(entry),
    });
    await unlessChanged(withRetry('noting that a crawl is announced', () => dynamo.send(command), { clock }));
  }

  /** Notes a try without success, unless the crawl was struck or entered again meanwhile. */
  delay({ tries, retryAt, ...of }: DelayNote): Promise<void> {
    return this.#set(of, { tries: N(tries), retryAt: N(retryAt) });
  }

  /** Notes the call of `onFinish`, unless the crawl was struck or entered again meanwhile. */
  noteFinish({ finishTries, isFinishDone, ...of }: FinishNote): Promise<void> {
    return this.#set(of, { finishTries: N(finishTries), isFinishDone: { BOOL: isFinishDone } });
  }

  async #set({ crawl, entry }: Pick<UnannouncedCrawl, 'crawl' | 'entry'>, attributes: Item): Promise<void> {
    const { dynamo, table, clock } = this.#context;
    const names = Object.keys(attributes);
    const condition = isAt(entry);
    const command = new UpdateItemCommand({
      TableName: table,
      Key: itemKey(UNANNOUNCED, crawl),
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
      ...condition,
      ExpressionAttributeValues: {
        ...condition.ExpressionAttributeValues,
        ...Object.fromEntries(names.map((name) => [`:${name}`, attributes[name]!])),
      },
    });
    await unlessChanged(withRetry('noting how an end is announced', () => dynamo.send(command), { clock }));
  }

  async list(): Promise<UnannouncedCrawl[]> {
    const { dynamo, table, clock } = this.#context;
    const found: UnannouncedCrawl[] = [];
    const entries = partitionItems({ dynamo, clock }, { table, partition: UNANNOUNCED });
    for await (const item of entries) found.push(unannouncedOf(item));
    return found;
  }

  async load(crawl: CrawlId): Promise<UnannouncedCrawl | undefined> {
    const { dynamo, table, clock } = this.#context;
    const command = new GetItemCommand({
      TableName: table,
      Key: itemKey(UNANNOUNCED, crawl),
      ConsistentRead: true,
    });
    const { Item } = await withRetry('loading how an end is announced', () => dynamo.send(command), {
      clock,
    });
    return Item && unannouncedOf(Item);
  }
}

/** The condition that the crawl is there as it was entered then. */
const isAt = (entry: string) => ({
  ConditionExpression: '#entry = :entry',
  ExpressionAttributeNames: { '#entry': 'entry' },
  ExpressionAttributeValues: { ':entry': S(entry) },
});

async function unlessChanged(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

const unannouncedOf = ({ sk, entry, tries, retryAt, finishTries, isFinishDone }: Item): UnannouncedCrawl => ({
  crawl: sk?.S as string,
  entry: entry?.S ?? '',
  tries: Number(tries?.N ?? 0),
  retryAt: Number(retryAt?.N ?? 0),
  finishTries: Number(finishTries?.N ?? 0),
  isFinishDone: isFinishDone?.BOOL === true,
});
