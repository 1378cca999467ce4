/**
 * S3, as far as it promises: an object is there whole or not at all, and reads and lists see what was
 * written last. What the model does not know it refuses, options too.
 */
import type { DeleteObjectsCommandInput } from '@aws-sdk/client-s3';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import { createBuckets, type StoredObject, type Upload } from './s3-buckets.ts';
import { createObjectCalls } from './s3-objects.ts';
import { createUploadCalls } from './s3-uploads.ts';
import type { SimService } from './service.ts';
import type { VirtualTime } from './virtual-time.ts';

export type { StoredObject } from './s3-buckets.ts';

export interface SimS3 extends SimService {
  createBucket(name: string): void;
  /** By key, as they are now. Their bytes are the store's own: not to be changed. */
  objects(bucket: string): ReadonlyMap<string, StoredObject>;
  /** Has `listener` called with the key of each object that is there and about to be deleted. */
  onDelete(listener: (key: string) => void): void;
  /** Multipart uploads that have not ended, by their ids. */
  uploads(bucket: string): ReadonlyMap<string, Pick<Upload, 'key' | 'initiatedAt'>>;
}

export interface SimS3Options {
  readonly time: Pick<VirtualTime, 'now'>;
  readonly faults: Faults;
  readonly random: Random;
  /**
   * Least size of an upload's parts but the last. Default S3's own, 5 MiB; a world of small sizes has a
   * smaller one.
   */
  readonly minPartBytes?: number;
}

export function createSimS3({ time, faults, random, minPartBytes }: SimS3Options): SimS3 {
  const buckets = createBuckets(time.now, random);
  const objects = createObjectCalls(buckets, faults);
  const uploads = createUploadCalls(buckets, minPartBytes);
  const commands: Readonly<Record<string, (input: never) => object>> = {
    PutObjectCommand: objects.put,
    CopyObjectCommand: objects.copy,
    GetObjectCommand: objects.get,
    HeadObjectCommand: objects.head,
    DeleteObjectsCommand: objects.deleteAll,
    ListObjectsV2Command: objects.list,
    CreateMultipartUploadCommand: uploads.create,
    UploadPartCommand: uploads.uploadPart,
    UploadPartCopyCommand: uploads.copyPart,
    CompleteMultipartUploadCommand: uploads.complete,
    AbortMultipartUploadCommand: uploads.abort,
    ListMultipartUploadsCommand: uploads.list,
    ListPartsCommand: uploads.listParts,
  };
  let onDeleted: (key: string) => void = () => {};

  function notifyOfDeleted({ Bucket, Delete }: DeleteObjectsCommandInput): void {
    const there = buckets.named(Bucket).objects;
    for (const { Key = '' } of Delete?.Objects ?? []) if (there.has(Key)) onDeleted(Key);
  }

  return {
    name: 's3',
    clientName: 'S3Client',
    createBucket: buckets.create,
    onDelete(listener) {
      onDeleted = listener;
    },
    objects: (name) => buckets.named(name).objects,
    uploads: (name) => buckets.named(name).uploads,
    handle(command, input) {
      const handler = commands[command];
      if (!handler) throw new Error(`${command} is not part of the model of S3`);
      if (command === 'DeleteObjectsCommand') notifyOfDeleted(input as DeleteObjectsCommandInput);
      return { $metadata: { httpStatusCode: 200 }, ...handler(input as never) };
    },
  };
}
