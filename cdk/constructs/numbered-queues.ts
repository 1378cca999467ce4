import { Fn, Stack } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Queues of a kind, as many as the operator says. */
export interface NumberedQueues {
  readonly queues: readonly sqs.Queue[];
  /** Their URLs, with `*` for the number: written out, many would not fit into a function's environment. */
  readonly urls: { readonly pattern: string; readonly count: number };
  /**
   * Their ARNs likewise, as one pattern for all: an inline policy holds 10,240 characters. Empty without queues.
   */
  readonly arns: string[];
}

/**
 * They have names of their own, `STACK-turns-0.fifo`, since the settings name them by a pattern. `id` is what
 * their logical ids begin with.
 */
export function numberedQueues(
  scope: Construct,
  { id, count }: { readonly id: string; readonly count: number },
  nameOf: (shard: number | '*') => string,
  props: Omit<sqs.QueueProps, 'queueName'>,
): NumberedQueues {
  const queues = Array.from(
    { length: count },
    (_, shard) => new sqs.Queue(scope, `${id}${shard}`, { ...props, queueName: nameOf(shard) }),
  );
  const [first] = queues;
  if (!first) return { queues, urls: { pattern: '', count }, arns: [] };
  // The beginning of a queue's URL is known at deployment only, and is not the same everywhere.
  const start = Fn.select(0, Fn.split(nameOf(0), first.queueUrl));
  return {
    queues,
    urls: { pattern: Fn.join('', [start, nameOf('*')]), count },
    arns: [Stack.of(scope).formatArn({ service: 'sqs', resource: nameOf('*') })],
  };
}
