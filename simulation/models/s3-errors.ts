/** S3's refusals, as the SDK throws them. */
import { NoSuchBucket, NoSuchKey, NoSuchUpload, NotFound, S3ServiceException } from '@aws-sdk/client-s3';

const notFound = { httpStatusCode: 404 };

export const noSuchKey = (key: string): S3ServiceException =>
  new NoSuchKey({ $metadata: notFound, message: `The specified key does not exist: ${key}` });

/** To a HEAD, which has no body that could say more. */
export const unknown = (): S3ServiceException =>
  new NotFound({ $metadata: notFound, message: 'UnknownError' });

export const noSuchBucket = (name: string): S3ServiceException =>
  new NoSuchBucket({ $metadata: notFound, message: `The specified bucket does not exist: ${name}` });

export const noSuchUpload = (id: string): S3ServiceException =>
  new NoSuchUpload({ $metadata: notFound, message: `The specified upload does not exist: ${id}` });

/** By the names and statuses of the API reference, "Error responses". */
const STATUSES = {
  ConditionalRequestConflict: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  InvalidArgument: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  NotImplemented: 501,
  PreconditionFailed: 412,
} as const;

export const refused = (name: keyof typeof STATUSES, message: string): S3ServiceException =>
  new S3ServiceException({
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: STATUSES[name] },
    message,
  });

/** Refuses options that the model does not know. */
export function refuseOthers(input: object, known: ReadonlySet<string>): void {
  for (const name in input)
    if (!known.has(name) && (input as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw refused('NotImplemented', `${name} is not part of the model`);
}
