import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { inBatches } from '../table/batch.ts';
import type { ObjectContext } from './archive-object.ts';

/** The maximal number of keys of DeleteObjects (S3 API reference). */
const MAX_DELETES = 1000;

/** Errors of one key of a DeleteObjects that may pass: it is tried again. */
const TRANSIENT: ReadonlySet<string> = new Set(['InternalError', 'SlowDown', 'ServiceUnavailable']);

/** Deletes the objects, whether they are there or not. `what` names the work in an error. */
export async function deleteObjects(
  { s3, bucket, clock }: ObjectContext,
  what: string,
  keys: readonly string[],
): Promise<void> {
  const objects = keys.map((Key) => ({ Key }));
  await inBatches({ clock }, { what, entries: objects, maxEntries: MAX_DELETES }, async (Objects) => {
    const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await s3.send(command);
    return Errors.flatMap(({ Key, Code, Message }) => {
      if (Code === 'NoSuchKey') return [];
      if (Code !== undefined && TRANSIENT.has(Code)) return { Key: Key as string };
      throw new Error(`S3 did not delete ${Key}: ${Code} ${Message}`);
    });
  });
}
