import { S3ServiceException } from '@aws-sdk/client-s3';

/** Whether S3 says that the object is not there. (An upload that is gone is another matter.) */
export const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');

/** Whether S3 says that the upload is not there: it was completed, or aborted. */
export const isUploadGone = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'NoSuchUpload';
