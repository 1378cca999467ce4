import { GetObjectCommand } from '@aws-sdk/client-s3';
import { withRetry } from '../retry.ts';
import type { ObjectContext } from './archive-object.ts';

export interface ObjectFolder extends ObjectContext {
  /** A crawl's folder in the bucket, with its slash. */
  readonly folder: string;
}

/** The object's bytes from `start` up to `end`; fails if it has fewer. */
export async function readRange(
  context: ObjectFolder,
  file: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  if (start >= end) return new Uint8Array(0);
  const { s3, bucket, folder, clock } = context;
  const range = { Bucket: bucket, Key: folder + file, Range: `bytes=${start}-${end - 1}` };
  // The body is read inside: a connection that breaks meanwhile is an error like any other.
  const bytes = await withRetry(
    `reading ${file}`,
    async () => (await s3.send(new GetObjectCommand(range))).Body?.transformToByteArray(),
    { clock },
  );
  if (bytes?.length !== end - start) {
    throw new Error(`Expected ${end - start} bytes of ${file} from ${start}, got ${bytes?.length}`);
  }
  return bytes;
}
