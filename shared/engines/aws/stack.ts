/** The engine of a deployed stack, as each of its functions and its operators' command line open it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../ports.ts';
import type { OnCorrupt } from './delivery.ts';
import type { AwsClients, AwsEngine } from './engine.ts';
import type { Meter } from './meter.ts';
import type { StackSettings } from './settings.ts';

export interface OpenStackOptions {
  readonly clock: Clock;
  /** Memory of the function that this is, in MB; none for what runs elsewhere, whose time costs nothing. */
  readonly memoryMb?: number;
  /** Which of the turn queues is received from: the one whose event this is. Default: all in turn. */
  readonly turnQueueUrl?: string;
  readonly onCorrupt?: OnCorrupt;
  readonly warn?: (message: string) => void;
}

export interface OpenedStack {
  /** Everything it uses is metered, by crawl. */
  readonly engine: AwsEngine;
  readonly clients: AwsClients;
  readonly meter: Meter;
  /** Stores what the meter has gathered: to be called at an invocation's end. */
  flushMeter(): Promise<void>;
  close(): void;
}

export declare function openStack(settings: StackSettings, options: OpenStackOptions): OpenedStack;
export { DynamoDBClient, S3Client, SQSClient };
