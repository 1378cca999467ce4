/** A bucket of S3 as a destination of documents: an object for each. */
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { idOf } from '../../shared/services/outputs/sink/bulk.ts';
import {
  type DocumentSink,
  type SinkChange,
  SinkFailed,
  urlOf,
} from '../../shared/services/outputs/sink/sink.ts';

/** Requests at once. */
const AT_ONCE = 16;

export interface S3SinkOptions {
  readonly bucket: string;
  /** Empty, or with a slash at the end. */
  readonly prefix: string;
  readonly client?: Pick<S3Client, 'send' | 'destroy'>;
}

/** Objects are named `PREFIX<SHA-256 of the URL>.json`. The SDK tries again what fails, and takes credentials as always. */
export function s3Sink({
  bucket,
  prefix,
  client = new S3Client({ maxAttempts: 8 }),
}: S3SinkOptions): DocumentSink {
  async function store(change: SinkChange): Promise<void> {
    const at = { Bucket: bucket, Key: `${prefix}${idOf(urlOf(change))}.json` };
    if (change.kind === 'delete') await client.send(new DeleteObjectCommand(at));
    else {
      const Body = JSON.stringify(change.document);
      await client.send(new PutObjectCommand({ ...at, Body, ContentType: 'application/json' }));
    }
  }

  return {
    async write(changes) {
      const left = changes.values();
      const lane = async () => {
        for (const change of left) await store(change);
      };
      try {
        await Promise.all(Array.from({ length: AT_ONCE }, lane));
      } catch (error) {
        throw new SinkFailed(`S3 did not take documents: ${messageOf(error)}`, { cause: error });
      }
      return [];
    },
    close: async () => client.destroy(),
  };
}
