/** DynamoDB's refusals, as the SDK throws them. */
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

const $metadata = { httpStatusCode: 400 };

export const invalid = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', $metadata, message });

/** The JSON of the request has another type than the service expects. */
export const unreadable = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({ name: 'SerializationException', $fault: 'client', $metadata, message });

export const noTable = (name: string): ResourceNotFoundException =>
  new ResourceNotFoundException({ $metadata, message: `Requested resource not found: table ${name}` });

export const CONDITION_FAILED = 'The conditional request failed';

/** With the item that is there, if it was requested. */
export const conditionFailed = (
  Item: Record<string, AttributeValue> | undefined,
): ConditionalCheckFailedException =>
  new ConditionalCheckFailedException({ $metadata, message: CONDITION_FAILED, ...(Item && { Item }) });

export function cancelled(reasons: CancellationReason[]): TransactionCanceledException {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    $metadata,
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
  });
}

/** Refuses options that the model does not know: ignoring an option would make it another service. */
export function refuseOthers(input: object, known: ReadonlySet<string>): void {
  for (const name in input)
    if (!known.has(name) && (input as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw invalid(`${name} is not part of the model`);
}
