/** The common parts of the models of SQS, DynamoDB and S3. */

/**
 * A service of AWS as far as it is modelled: the calls that the engine makes, at one moment of virtual time
 * each.
 */
export interface SimService {
  readonly name: ServiceName;
  /** As the SDK calls its client: the meter goes by it. */
  readonly clientName: string;
  /**
   * Does the call of that command (`GetItemCommand`) now. Returns its output; throws, or rejects with, the
   * SDK's own exceptions. A promise where the call itself takes time: a long poll.
   */
  handle(command: string, input: unknown): unknown;
}

export type ServiceName = 'sqs' | 'dynamo' | 's3';
