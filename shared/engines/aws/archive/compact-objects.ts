/** A crawl's WARC objects, as a compaction lists, reads and deletes them. */
import { HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import type { Sizes } from '../../../core/base/sizes.ts';
import { withRetry } from '../retry.ts';
import { isSourceName, type Source } from './compact-layout.ts';
import { deleteObjects } from './delete-objects.ts';
import { isMissing } from './is-missing.ts';
import { type ObjectFolder, readRange } from './read-range.ts';

export interface FolderContext extends ObjectFolder {
  readonly sizes: Sizes;
}

/** An object as listed. */
export interface ListedSource extends Source {
  readonly etag: string;
  readonly modifiedAt: number;
}

/**
 * A GET brings a window (`scanBytes`). Read-ahead of a scan goes a megabyte further, and back again: two of
 * them are held.
 */
const MAX_WINDOWS = 2;

/** Yields the objects that the archive made, by name. A page for each thousand. */
export async function* listSources(context: FolderContext): AsyncGenerator<ListedSource[]> {
  for await (const page of listFiles(context)) yield page.filter(({ file }) => isSourceName(file));
}

/**
 * Yields all objects in the folder, by name; not those in folders of the folder. A page for each thousand. `after`: only
 * those whose names come after it.
 */
export async function* listFiles(context: FolderContext, after?: string): AsyncGenerator<ListedSource[]> {
  const { s3, bucket, folder, clock } = context;
  let ContinuationToken: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: folder,
      ContinuationToken,
      ...(after !== undefined && { StartAfter: folder + after }),
    });
    const page = await withRetry(`listing ${folder}`, () => s3.send(command), { clock });
    yield (page.Contents ?? []).flatMap(({ Key = '', Size = 0, ETag = '', LastModified }) => {
      const file = Key.slice(folder.length);
      if (file.includes('/')) return [];
      return { file, bytes: Size, etag: ETag, modifiedAt: LastModified?.getTime() ?? 0 };
    });
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken);
}

/** The size of the folder's object of that name; undefined if there is none. */
export async function sizeOf(context: FolderContext, file: string): Promise<number | undefined> {
  const { s3, bucket, folder, clock } = context;
  const command = new HeadObjectCommand({ Bucket: bucket, Key: folder + file });
  try {
    const head = await withRetry(`looking for ${file}`, () => s3.send(command), { clock });
    return head.ContentLength;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function deleteFiles(context: FolderContext, files: readonly string[]): Promise<void> {
  const keys = files.map((file) => context.folder + file);
  await deleteObjects(context, 'deleting WARC objects', keys);
}

/**
 * For reading an object of any size from its beginning to its end, some megabytes of it held. `step` comes
 * before each GET.
 */
export function createReader(
  context: FolderContext,
  { file, bytes: size }: Source,
  step: () => Promise<void>,
): ReadAt {
  const windowBytes = context.sizes.scanBytes;
  let windows: { readonly index: number; readonly bytes: Promise<Uint8Array> }[] = [];

  function windowAt(index: number): Promise<Uint8Array> {
    const held = windows.find((window) => window.index === index);
    if (held) return held.bytes;
    const start = index * windowBytes;
    const bytes = step().then(() => readRange(context, file, start, Math.min(size, start + windowBytes)));
    windows = [...windows, { index, bytes }].slice(-MAX_WINDOWS);
    return bytes;
  }

  return async (offset, length) => {
    const end = Math.min(size, offset + length);
    const pieces: Uint8Array[] = [];
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / windowBytes);
      const start = index * windowBytes;
      const piece = (await windowAt(index)).subarray(at - start, end - start);
      pieces.push(piece);
      at += piece.length;
    }
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  };
}
