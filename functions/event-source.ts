import type { SQSEvent } from 'aws-lambda';

/** Returns the URL of the queue that the event is from. Its ARN ends in the queue's name, as the URL. */
export function sourceIn(queueUrls: readonly string[], { Records: [record] }: SQSEvent): string | undefined {
  const name = record?.eventSourceARN.split(':').at(-1);
  return queueUrls.find((url) => url.split('/').at(-1) === name);
}
