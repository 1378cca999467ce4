/** WARC objects in S3: a whole one with one PUT, or one that is made as it is uploaded. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';

/** S3 User Guide, "Multipart upload limits". */
const MAX_PARTS = 10_000;

export interface ObjectContext {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
}

/**
 * Named in the upload and its parts: with the SDK's default, which only parts get, S3 says at completion that
 * parts are missing (aws-sdk-go-v2 issue 3005).
 */
export const CHECKSUM = { ChecksumAlgorithm: 'CRC32' } as const;
export const CONTENT_TYPE = 'application/warc';
/** An object's captures (`archive/capture-filter.ts`) are in its metadata. */
const CAPTURES = 'captures';
/** Objects smaller than this are read as soon as their metadata, and have no filter. */
export const FILTERED_BYTES = 256 * 1024;

const metadataOf = (captures: string | undefined) =>
  captures === undefined ? {} : { Metadata: { [CAPTURES]: captures } };

/** Safe to repeat: nobody else uses the key. `captures`: the filter of the object's captures. */
export async function putWarcObject(
  { s3, bucket, clock }: ObjectContext,
  key: string,
  bytes: Uint8Array,
  captures?: string,
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: bytes,
    ContentType: CONTENT_TYPE,
    ...metadataOf(bytes.length < FILTERED_BYTES ? undefined : captures),
  });
  await withRetry(`storing ${key}`, () => s3.send(command), { clock });
}

/** An object that grows by parts, and does not exist before `complete` resolves. Calls must not overlap. */
export interface WarcUpload {
  /** Holds the bytes until a part is full, then uploads that. */
  add(bytes: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  /** Aborts the upload. Never rejects: a lifecycle rule of the bucket aborts uploads that are left over. */
  abort(): Promise<void>;
}

/** Returns the filter of the object's captures; undefined if it has none. Fails if the object does not exist. */
export async function capturesIn(
  { s3, bucket, clock }: ObjectContext,
  key: string,
): Promise<string | undefined> {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
  const { Metadata } = await withRetry(`looking into ${key}`, () => s3.send(command), { clock });
  return Metadata?.[CAPTURES];
}

/** All parts but the last one have `partBytes` or more. `captures`: the filter of the object's captures. */
export async function beginWarcUpload(
  { s3, bucket, clock }: ObjectContext,
  key: string,
  partBytes: number,
  captures?: string,
): Promise<WarcUpload> {
  const target = { Bucket: bucket, Key: key };
  const retry = <T>(call: () => Promise<T>) => withRetry(`uploading ${key}`, call, { clock });
  const begun = await retry(() =>
    s3.send(
      new CreateMultipartUploadCommand({
        ...target,
        ...CHECKSUM,
        ContentType: CONTENT_TYPE,
        ...metadataOf(captures),
      }),
    ),
  );
  const upload = { ...target, UploadId: begun.UploadId };
  const parts: { PartNumber: number; ETag?: string; ChecksumCRC32?: string }[] = [];
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let size = 0;

  async function uploadHeld(): Promise<void> {
    const PartNumber = parts.length + 1;
    if (PartNumber > MAX_PARTS) throw new Error(`${key} has no room for more than ${MAX_PARTS} parts`);
    const command = new UploadPartCommand({
      ...upload,
      ...CHECKSUM,
      PartNumber,
      Body: Buffer.concat(held, heldBytes),
    });
    const { ETag, ChecksumCRC32 } = await retry(() => s3.send(command));
    parts.push({ PartNumber, ETag, ChecksumCRC32 });
    size += heldBytes;
    held = [];
    heldBytes = 0;
  }

  return {
    async add(bytes) {
      // The caller may use its array again.
      held.push(Uint8Array.from(bytes));
      heldBytes += bytes.length;
      if (heldBytes >= partBytes) await uploadHeld();
    },

    async complete() {
      if (heldBytes > 0) await uploadHeld();
      try {
        const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } });
        await retry(() => s3.send(command));
      } catch (error) {
        // Completed already, and the answer was lost?
        const found = await s3.send(new HeadObjectCommand(target)).catch(() => undefined);
        if (found?.ContentLength !== size) throw error;
      }
    },

    async abort() {
      await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    },
  };
}
