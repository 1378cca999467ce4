/** Writes lines of JSON as a stack's workers store them: items, links that were left out. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { StoredLines } from '../../../shared/engines/aws/archive/stack-items.ts';
import { withRetry } from '../../../shared/engines/aws/retry.ts';

const OBJECT_CHARS = 8 * 1024 * 1024;
/** Sorts before all that workers store, which begins with the time. */
const STAMP = '00000000000000';

const compress = promisify(gzip);

/**
 * Stores the values below the prefix, some megabytes in an object. Equal values get equal names: safe to repeat.
 * Returns the number of values.
 */
export async function storeLines(
  { context, run }: StoredLines,
  prefix: string,
  values: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<number> {
  const { s3, bucket, clock } = context;
  let [count, objects, chars] = [0, 0, 0];
  let lines: string[] = [];
  const store = async () => {
    if (lines.length === 0) return;
    const Key = `${prefix}${STAMP}-copied-${String(objects++).padStart(6, '0')}.jsonl.gz`;
    const Body = await compress(`${lines.join('\n')}\n`);
    const command = new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: 'application/gzip' });
    await run(() => withRetry(`storing ${Key}`, () => s3.send(command), { clock }));
    lines = [];
    chars = 0;
  };
  for await (const value of values) {
    const line = JSON.stringify(value);
    lines.push(line);
    chars += line.length;
    count++;
    if (chars >= OBJECT_CHARS) await store();
  }
  await store();
  return count;
}
