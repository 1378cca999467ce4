/** Making a joined WARC object out of its sources, within S3 where it can be, and its index. */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { withRetry } from '../retry.ts';
import { CHECKSUM, CONTENT_TYPE } from './archive-object.ts';
import { ahead } from './compact-ahead.ts';
import { type JoinPart, type JoinPlan, partsOf } from './compact-layout.ts';
import { type FolderContext, sizeOf } from './compact-objects.ts';
import { readRange } from './read-range.ts';

export interface UploadSteps {
  /** Comes before each part. What it throws ends the upload. */
  readonly step: () => Promise<void>;
  /** Comes before the object appears. */
  readonly beforeComplete: () => Promise<void>;
}

/** A gathered part has up to 10 MiB. */
const PARTS_AT_ONCE = 4;
/**
 * Named at the beginning, so that S3 makes the checksum of copied parts too (API reference, CopyPartResult),
 * and one of the whole object of them all.
 */
const WHOLE_CHECKSUM = { ...CHECKSUM, ChecksumType: 'FULL_OBJECT' } as const;

/**
 * Makes the joined object, whole or not at all. Of two that do so at once one makes it, and the other takes
 * it for its own: same name, same bytes. Unfinished uploads of the name, of a process that ended, are freed.
 */
export async function uploadJoined(
  context: FolderContext,
  plan: JoinPlan,
  { step, beforeComplete }: UploadSteps,
): Promise<void> {
  const { s3, bucket, folder, clock } = context;
  const target = { Bucket: bucket, Key: folder + plan.file };
  const retry = <T>(call: () => Promise<T>) => withRetry(`joining ${plan.file}`, call, { clock });

  await freeUploads(context, plan);
  const created = new CreateMultipartUploadCommand({
    ...target,
    ...WHOLE_CHECKSUM,
    ContentType: CONTENT_TYPE,
  });
  const upload = { ...target, UploadId: (await retry(() => s3.send(created))).UploadId };

  async function store(part: JoinPart, PartNumber: number): Promise<CompletedPart> {
    await step();
    if ('copied' in part) {
      const { copied, from, to } = part;
      const command = new UploadPartCopyCommand({
        ...upload,
        PartNumber,
        CopySource: encodeURI(`${bucket}/${folder}${copied.file}`),
        CopySourceRange: `bytes=${from}-${to - 1}`,
      });
      const { CopyPartResult: { ETag, ChecksumCRC32 } = {} } = await retry(() => s3.send(command));
      return { PartNumber, ETag, ChecksumCRC32 };
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of ahead(part.gathered, 4, ({ file, bytes }) =>
      readRange(context, file, 0, bytes),
    ))
      pieces.push(piece);
    const command = new UploadPartCommand({
      ...upload,
      ...CHECKSUM,
      PartNumber,
      Body: Buffer.concat(pieces),
    });
    const { ETag, ChecksumCRC32 } = await retry(() => s3.send(command));
    return { PartNumber, ETag, ChecksumCRC32 };
  }

  async function complete(Parts: CompletedPart[]): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts },
      IfNoneMatch: '*',
    });
    try {
      await retry(() => s3.send(command));
    } catch (error) {
      // There already: by this very call, whose answer was lost, or by another process.
      if ((await sizeOf(context, plan.file)) !== plan.bytes) throw error;
      // In the second case the parts are still there, and paid for.
      await abort();
    }
  }

  const abort = () => s3.send(new AbortMultipartUploadCommand(upload)).catch(() => {});

  try {
    const parts: CompletedPart[] = [];
    for await (const part of ahead(partsOf(plan, context.sizes).entries(), PARTS_AT_ONCE, ([i, part]) =>
      store(part, i + 1),
    ))
      parts.push(part);
    await beforeComplete();
    await complete(parts);
  } catch (error) {
    await abort();
    throw error;
  }
}

/** The file's uploads that ended processes have left. */
async function freeUploads({ s3, bucket, folder, clock }: FolderContext, { file }: JoinPlan): Promise<void> {
  const target = { Bucket: bucket, Key: folder + file };
  const listing = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: target.Key });
  const { Uploads = [] } = await withRetry(`joining ${file}`, () => s3.send(listing), { clock });
  for (const { UploadId } of Uploads)
    await s3.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {});
}

/**
 * Plain text: replay tools take it as it is, and a URL is found by a few ranged GETs. Some 1% of the WARC's
 * size.
 */
export async function putIndex(
  context: FolderContext,
  file: string,
  lines: readonly string[],
): Promise<void> {
  const { s3, bucket, folder, clock } = context;
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: folder + file,
    Body: Buffer.from(lines.join('')),
    ContentType: 'text/x-cdxj',
  });
  await withRetry(`storing ${file}`, () => s3.send(command), { clock });
}
