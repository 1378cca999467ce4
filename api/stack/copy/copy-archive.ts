/** Copies the WARC files of a crawl with their indexes, between a folder and the bucket of a stack. */
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NotWarc } from '../../../shared/core/archive/read-warc.ts';
import { isWarcName, warcName } from '../../../shared/core/text/stored-names.ts';
import { beginWarcUpload } from '../../../shared/engines/aws/archive/archive-object.ts';
import { warcFolder } from '../../../shared/engines/aws/archive/archives.ts';
import { indexName } from '../../../shared/engines/aws/archive/compact-layout.ts';
import { type FolderContext, sizeOf } from '../../../shared/engines/aws/archive/compact-objects.ts';
import { putIndex } from '../../../shared/engines/aws/archive/compact-upload.ts';
import { announceJoined } from '../../../shared/engines/aws/archive/joined-warcs.ts';
import type { StackArchive, StackArchiveContext } from '../../../shared/engines/aws/archive/stack-archive.ts';
import type { StoredLines } from '../../../shared/engines/aws/archive/stack-items.ts';
import {
  sizeOf as fileSize,
  listWarcFiles,
  type WarcFileEntry,
} from '../../../shared/engines/local/archive/archive-names.ts';
import { indexByScanning } from '../../../shared/engines/local/archive/cdxj-files.ts';
import type { JoinedFiles } from '../../../shared/engines/local/archive/joined-files.ts';
import type { Folders } from '../../../shared/engines/local/folders.ts';

/** Called with the bytes that are copied by now, and with those that there are. */
type OnBytes = (done: number, all: number) => void;

const PART_BYTES = 16 * 1024 * 1024;

export interface BucketFolder extends Pick<StoredLines, 'crawl' | 'run'> {
  readonly context: StackArchiveContext;
}

/** Uploads the archive of a folder in which no process crawls. Files that are there already are left as they are. */
export async function uploadArchive(
  { archive, indexes }: Pick<Folders, 'archive' | 'indexes'>,
  joined: JoinedFiles,
  { context, crawl, run }: BucketFolder,
  onBytes: OnBytes,
): Promise<number> {
  const folder: FolderContext = { ...context, folder: `${warcFolder(crawl)}/` };
  const files = await listWarcFiles(archive);
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const file of files) {
    await run(async () => {
      if ((await sizeOf(folder, file.file)) !== file.bytes) await upload(folder, file);
      const lines = await indexOf(file, indexes);
      if (lines !== undefined) await putIndex(folder, indexName(file.file), lines);
    });
    done += file.bytes;
    onBytes(done, all);
  }
  await run(() => announce(context, crawl, joined));
  return files.length;
}

async function upload(folder: FolderContext, { file, path }: WarcFileEntry): Promise<void> {
  const target = await beginWarcUpload(folder, folder.folder + file, PART_BYTES);
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) await target.add(piece);
    await target.complete();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/** Empty for a damaged file: the stack reads such a file as far as possible. */
async function indexOf(file: WarcFileEntry, indexes: string): Promise<string[] | undefined> {
  const path = join(indexes, indexName(file.file));
  try {
    if (!existsSync(path)) await indexByScanning(file, indexes);
    return [await readFile(path, 'latin1')];
  } catch (error) {
    if (error instanceof NotWarc) return undefined;
    throw error;
  }
}

async function announce({ mapping }: StackArchiveContext, crawl: string, joined: JoinedFiles): Promise<void> {
  for (const [file, sources] of Map.groupBy(joined, ([, source]) => source.file)) {
    const placed = sources.map(([source, { offset, bytes }]) => ({ file: source, offset, bytes }));
    await announceJoined(mapping, crawl, { file, bytes: 0, sources: placed });
  }
}

/**
 * Downloads the archive of a crawl that does not run. Files that are there already, whole, are left as they are; others of
 * an earlier download are removed. Throws `BadStoredName` before the first file is made. Returns which of the files hold others that were joined.
 */
export async function downloadArchive(
  source: StackArchive,
  { archive, indexes }: Pick<Folders, 'archive' | 'indexes'>,
  onBytes: OnBytes,
): Promise<JoinedFiles> {
  const { warcs, readIndex } = await source.list();
  for (const { name } of warcs) warcName(name);
  // Read after the list: files that were joined since are known, and are left out here.
  const known = await source.joined();
  const all = warcs.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name, bytes, read } of warcs) {
    await download(join(archive, name), bytes, read());
    const index = readIndex(name);
    if (index) await download(join(indexes, indexName(name)), undefined, index);
    done += bytes;
    onBytes(done, all);
  }
  const names = new Set(warcs.map(({ name }) => name));
  for (const name of await readdir(archive))
    if (!names.has(name) && isWarcName(name.replace(/\.partial$/, ''))) await rm(join(archive, name));
  return new Map([...known].filter(([, { file }]) => names.has(file)));
}

/** `bytes`: those that the file must have; undefined if that is not known before. */
async function download(
  path: string,
  bytes: number | undefined,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (bytes !== undefined && (await fileSize(path)) === bytes) return;
  const partial = `${path}.partial`;
  const file = await open(partial, 'w');
  try {
    let written = 0;
    for await (const piece of pieces) {
      await file.writeFile(piece);
      written += piece.length;
    }
    if (bytes !== undefined && written !== bytes)
      throw new Error(`Expected ${bytes} bytes of ${path}, got ${written}`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
}
