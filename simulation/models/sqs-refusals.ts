/** The refusals of SQS for a call as a whole, by the SDK's names. */
import { SQSServiceException } from '@aws-sdk/client-sqs';
import type { SendInput } from './sqs-commands.ts';
import type { Refusal } from './sqs-model.ts';

/** The sender's fault: the same call again would be refused again. */
export function refused(name: string, message: string): SQSServiceException {
  return new SQSServiceException({
    name,
    message,
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
  });
}

/** Entries of a batch, and bytes of a message and of a batch (SQS developer guide, message quotas). */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1024 * 1024;
const MAX_ID_LENGTH = 128;
/** The most messages of one receive. */
export const MAX_RECEIVED = 10;
const MAX_WAIT_S = 20;
const MAX_VISIBILITY_S = 43_200;

/** Throws unless it is a batch as SQS takes it. Returns its entries. */
export function entriesOf<E extends { readonly Id?: string }>(input: {
  readonly Entries?: readonly E[];
}): readonly (E & { readonly Id: string })[] {
  const { Entries: entries = [] } = input;
  if (entries.length === 0)
    throw refused('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MAX_ENTRIES)
    throw refused(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${entries.length}.`,
    );
  const ids = entries.map(({ Id }) => Id);
  if (!ids.every((id) => id !== undefined && /^[\w-]{1,80}$/.test(id)))
    throw refused('InvalidBatchEntryId', 'An entry has no id, or one of characters that it may not have.');
  if (new Set(ids).size < ids.length)
    throw refused('BatchEntryIdsNotDistinct', 'Two or more entries of the request have the same id.');
  return entries as readonly (E & { readonly Id: string })[];
}

/**
 * Throws unless they are messages that the queue takes; recorded on AWS for whole batches: one such entry
 * fails all.
 */
export function checkMessages(entries: readonly SendInput[], isFifo: boolean, isBatch: boolean): void {
  let bytes = 0;
  for (const { MessageBody, MessageGroupId, MessageDeduplicationId, MessageAttributes } of entries) {
    if (!MessageBody) throw missing('MessageBody');
    if (isFifo) checkFifoIds(MessageGroupId, MessageDeduplicationId);
    bytes += Buffer.byteLength(MessageBody) + (MessageAttributes ? attributeBytes(MessageAttributes) : 0);
  }
  if (bytes <= MAX_BYTES) return;
  throw isBatch
    ? refused('BatchRequestTooLong', `Batch requests cannot be longer than ${MAX_BYTES} bytes.`)
    : refused('InvalidParameterValue', `Message must be shorter than ${MAX_BYTES} bytes.`);
}

function checkFifoIds(group: string | undefined, deduplicationId: string | undefined): void {
  if (!group) throw missing('MessageGroupId');
  if (!deduplicationId)
    throw refused(
      'InvalidParameterValue',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  for (const id of [group, deduplicationId])
    if (id.length > MAX_ID_LENGTH || !/^[\x21-\x7e]*$/.test(id))
      throw refused(
        'InvalidParameterValue',
        `Expected an id of up to ${MAX_ID_LENGTH} alphanumeric and punctuation characters, got ${id}`,
      );
}

const missing = (name: string) =>
  refused('MissingParameter', `The request must contain the parameter ${name}.`);

const attributeBytes = (attributes: NonNullable<SendInput['MessageAttributes']>): number =>
  Object.entries(attributes).reduce(
    (sum, [name, { StringValue = '' }]) => sum + Buffer.byteLength(name) + Buffer.byteLength(StringValue),
    0,
  );

/** Why a single message is refused while others of its batch are not. */
export function refusalOf(
  { MessageBody = '', DelaySeconds = 0 }: SendInput,
  isFifo: boolean,
): Refusal | undefined {
  if (isFifo ? DelaySeconds !== 0 : !(DelaySeconds >= 0 && DelaySeconds <= 900))
    return {
      code: 'InvalidParameterValue',
      message: `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(MessageBody))
    return { code: 'InvalidMessageContents', message: 'Invalid characters were found in the message body.' };
  return undefined;
}

/** Throws unless a receive may ask for that. */
export function checkReceive(max: number, waitS: number, visibilityS: number): void {
  const isGood = max >= 1 && max <= MAX_RECEIVED && waitS >= 0 && waitS <= MAX_WAIT_S;
  if (isGood && !visibilityRefusal(visibilityS)) return;
  throw refused(
    'InvalidParameterValue',
    `Expected 1 to ${MAX_RECEIVED} messages, 0 to ${MAX_WAIT_S} s of waiting and 0 to ${MAX_VISIBILITY_S} s of visibility, got ${max}, ${waitS} and ${visibilityS}`,
  );
}

/** Why no message can be hidden for so long. */
export function visibilityRefusal(seconds: number): Refusal | undefined {
  if (seconds >= 0 && seconds <= MAX_VISIBILITY_S) return undefined;
  return {
    code: 'InvalidParameterValue',
    message: `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and ${MAX_VISIBILITY_S}, if provided.`,
  };
}
