import { hash } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../ports/clock.ts';
import { withRetry } from '../retry.ts';
import { CLAIM, CLAIM_PREFIX, EXPIRES_AT, itemKey, N, S } from '../state/tables.ts';

/**
 * Whether the caller is the first to claim a message as it was received, by its receipt handle. Later calls
 * with the same handle get `false`, in any process; a message that is received again has another handle.
 */
export type ClaimReceipt = (receiptHandle: string) => Promise<boolean>;

export interface EventClaimsOptions {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

/** A receipt handle is good for the 12 hours that a message may be hidden for, and clocks differ. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Claims as items of CrawlState, one write unit each, which DynamoDB deletes a day later. Lambda may invoke a
 * function twice with the same event (developer guide, "Using Lambda with Amazon SQS": each message is
 * processed at least once), and SQS accepts the receipt handles of both invocations.
 */
export function createEventClaims({ dynamo, table, clock }: EventClaimsOptions): ClaimReceipt {
  return async (receiptHandle) => {
    const holder = clock.uuid();
    const command = new PutItemCommand({
      TableName: table,
      Item: {
        ...itemKey(`${CLAIM_PREFIX}${hash('sha256', receiptHandle)}`, CLAIM),
        holder: S(holder),
        [EXPIRES_AT]: N(Math.ceil((clock.now() + KEPT_MS) / 1000)),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await withRetry('claiming the messages of an event', () => dynamo.send(command), { clock });
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The answer to the first try of this very call was lost.
      return error.Item?.holder?.S === holder;
    }
  };
}
