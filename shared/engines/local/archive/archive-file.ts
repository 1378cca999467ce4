/**
 * A WARC file while it is being written: `NAME.open`, appended to through a buffer, renamed to `NAME` at
 * its end.
 */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageFailed } from '../../../core/base/storage-failed.ts';
import { OPEN_SUFFIX, syncFolder } from './archive-names.ts';

/**
 * Writes are at most this large, and but for the last before a sync just so: fewer calls, whole disk pages.
 */
const BUFFER_BYTES = 1024 * 1024;

/** Calls must not overlap: no method may be called before the last call's promise is settled. */
export interface OpenWarcFile {
  /** The final name. */
  readonly name: string;
  /** Bytes added, those in the buffer among them. */
  size(): number;
  /** Copies the pieces if the buffer has room for all of them, and more. False: nothing was done. */
  addToBuffer(pieces: readonly Uint8Array[]): boolean;
  /** Copies the pieces, one after the other; writes when the buffer is full. */
  add(pieces: readonly Uint8Array[]): Promise<void>;
  /** Drops all bytes after the first `size`. */
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
  const handle = await open(join(folder, name + OPEN_SUFFIX), 'wx');
  try {
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new BufferedFile(folder, name, handle, await handle.stat({ bigint: true }));
}

class BufferedFile implements OpenWarcFile {
  readonly name: string;
  readonly #folder: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #identity: BigIntStats;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #buffered = 0;
  #written = 0;
  #synced = 0;

  constructor(folder: string, name: string, handle: FileHandle, identity: BigIntStats) {
    this.name = name;
    this.#folder = folder;
    this.#path = join(folder, name + OPEN_SUFFIX);
    this.#handle = handle;
    this.#identity = identity;
  }

  size(): number {
    return this.#written + this.#buffered;
  }

  addToBuffer(pieces: readonly Uint8Array[]): boolean {
    let size = this.#buffered;
    for (const bytes of pieces) size += bytes.length;
    if (size >= BUFFER_BYTES) return false;
    for (const bytes of pieces) {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
    return true;
  }

  async add(pieces: readonly Uint8Array[]): Promise<void> {
    for (const bytes of pieces) {
      for (let at = 0; at < bytes.length; ) {
        const room = BUFFER_BYTES - this.#buffered;
        const part = at === 0 && bytes.length <= room ? bytes : bytes.subarray(at, at + room);
        this.#buffer.set(part, this.#buffered);
        this.#buffered += part.length;
        at += part.length;
        if (this.#buffered === BUFFER_BYTES) await this.#writeOut();
      }
    }
  }

  async cutTo(size: number): Promise<void> {
    if (size >= this.#written) {
      this.#buffered = Math.min(this.#buffered, size - this.#written);
      return;
    }
    await this.#handle.truncate(size);
    this.#written = size;
    this.#buffered = 0;
    this.#synced = Math.min(this.#synced, size);
  }

  async sync(): Promise<number> {
    await this.#writeOut();
    if (this.#synced < this.#written) await this.#handle.datasync();
    await this.#checkPlace();
    this.#synced = this.#written;
    return this.#written;
  }

  async finish(): Promise<void> {
    await this.#handle.close();
    await rename(this.#path, join(this.#folder, this.name));
    await syncFolder(this.#folder);
  }

  async remove(): Promise<void> {
    await this.#handle.close();
    await rm(this.#path);
  }

  abandon(): Promise<void> {
    return this.#handle.close();
  }

  /** Writes at a given place of the file: a write that is done again, or after a cut, cannot leave a gap. */
  async #writeOut(): Promise<void> {
    for (let at = 0; at < this.#buffered; ) {
      const { bytesWritten } = await this.#handle.write(
        this.#buffer,
        at,
        this.#buffered - at,
        this.#written + at,
      );
      at += bytesWritten;
    }
    this.#written += this.#buffered;
    this.#buffered = 0;
  }

  /** A file that was removed, or whose folder was, takes all that is written and keeps none of it. */
  async #checkPlace(): Promise<void> {
    const found = await stat(this.#path, { bigint: true });
    if (found.ino !== this.#identity.ino || found.dev !== this.#identity.dev)
      throw new StorageFailed(`${this.#path} was replaced by another file while it was written`);
  }
}
