import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { withRetry } from '../shared/engines/aws/retry.ts';

export interface DeadLetterOptions {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly clock: Clock;
}

const MAX_REASON_BYTES = 1024;

/** Where a message of a FIFO queue came from. */
export interface FifoPlace {
  readonly group: string;
  /** The id of the message: a second dead letter of it is dropped. */
  readonly id: string;
}

/**
 * Puts messages on a dead-letter queue as they came, with the attribute `reason`. `place`: for a FIFO queue. Attributes count for
 * a message's size: one that fills what the queue takes goes there without.
 */
export function createDeadLetter({ client, queueUrl, clock }: DeadLetterOptions) {
  const send = async (input: SendMessageCommandInput): Promise<void> => {
    const command = new SendMessageCommand(input);
    await withRetry('sending a dead letter', () => client.send(command), { clock });
  };
  return async (body: string, reason: string, place?: FifoPlace): Promise<void> => {
    const input = {
      QueueUrl: queueUrl,
      MessageBody: body,
      ...(place && { MessageGroupId: place.group, MessageDeduplicationId: place.id }),
    };
    const MessageAttributes = { reason: { DataType: 'String', StringValue: reasonText(reason) } };
    await send({ ...input, MessageAttributes }).catch((error: unknown) => {
      if (!isRefusedValue(error)) throw error;
      return send(input);
    });
  };
}

/** "Message must be shorter than 1048576 bytes", under a name with or without a prefix. */
const isRefusedValue = (error: unknown): boolean =>
  error instanceof Error && /(^|\.)InvalidParameterValue(Exception)?$/.test(error.name);

/**
 * Reduces a text to a short line of characters that SQS takes, which are those of XML 1.0 (API reference, SendMessage).
 */
function reasonText(reason: string): string {
  const line = reason
    .toWellFormed()
    .replace(/\s+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, '\ufffd')
    .trim();
  const bytes = Buffer.from(line);
  if (bytes.length <= MAX_REASON_BYTES) return line || 'no reason given';
  // Not in the middle of a character.
  let end = MAX_REASON_BYTES;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
