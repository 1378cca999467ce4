/**
 * One WARC file while it is being written: `NAME.open`, appended to through a buffer, renamed to `NAME` at
 * its end.
 */
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageFailed } from '../../../storage-failed.ts';
import { OPEN_SUFFIX, syncFolder } from './archive-names.ts';

/**
 * Writes are at most this large, and but for the last before a sync just so: fewer calls, whole disk pages.
 */
const BUFFER_BYTES = 1024 * 1024;

/** One caller at a time: no method may be called before the last call's promise is settled. */
export interface OpenWarcFile {
  /** The final name. */
  readonly name: string;
  /** Bytes added, those in the buffer among them. */
  size(): number;
  /** Copies the pieces, one after the other; writes when the buffer is full. */
  add(pieces: readonly Uint8Array[]): Promise<void>;
  /** Drops what was added after the first `size` bytes. */
  cutTo(size: number): Promise<void>;
  /**
   * Writes all that was added, and fdatasync: durable when it resolves. Resolves with the size. Fails if the
   * file is gone.
   */
  sync(): Promise<number>;
  /** Closes the file, synced before, under its final name; that is durable when it resolves. */
  finish(): Promise<void>;
  /** Closes and removes the file. */
  remove(): Promise<void>;
  /** Lets go of the file as it is. */
  abandon(): Promise<void>;
}

/** Creates the file; fails if it is there already. Its name is durable when this resolves. */
export async function createWarcFile(folder: string, name: string): Promise<OpenWarcFile> {
  const path = join(folder, name + OPEN_SUFFIX);
  const handle = await open(path, 'wx');
  try {
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }

  const identity = await handle.stat({ bigint: true });
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let buffered = 0;
  let written = 0;
  let synced = 0;

  /** At a given place of the file: a write that is done again, or after a cut, cannot leave a gap. */
  async function writeOut(): Promise<void> {
    for (let at = 0; at < buffered; ) {
      const { bytesWritten } = await handle.write(buffer, at, buffered - at, written + at);
      at += bytesWritten;
    }
    written += buffered;
    buffered = 0;
  }

  /** A file that was removed, or whose folder was, takes all that is written and keeps none of it. */
  async function checkPlace(): Promise<void> {
    const found = await stat(path, { bigint: true });
    if (found.ino !== identity.ino || found.dev !== identity.dev)
      throw new StorageFailed(`${path} was replaced by another file while it was written`);
  }

  return {
    name,
    size: () => written + buffered,
    async add(pieces) {
      for (const bytes of pieces) {
        for (let at = 0; at < bytes.length; ) {
          const room = BUFFER_BYTES - buffered;
          const part = at === 0 && bytes.length <= room ? bytes : bytes.subarray(at, at + room);
          buffer.set(part, buffered);
          buffered += part.length;
          at += part.length;
          if (buffered === BUFFER_BYTES) await writeOut();
        }
      }
    },
    async cutTo(size) {
      if (size >= written) {
        buffered = Math.min(buffered, size - written);
        return;
      }
      await handle.truncate(size);
      written = size;
      buffered = 0;
      synced = Math.min(synced, size);
    },
    async sync() {
      await writeOut();
      if (synced < written) await handle.datasync();
      await checkPlace();
      synced = written;
      return written;
    },
    async finish() {
      await handle.close();
      await rename(path, join(folder, name));
      await syncFolder(folder);
    },
    async remove() {
      await handle.close();
      await rm(path);
    },
    abandon: () => handle.close(),
  };
}
