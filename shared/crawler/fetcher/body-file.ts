import { randomUUID } from 'node:crypto';
import { close, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const readFile = promisify(read);
const closeFile = promisify(close);

/** A body takes whole blocks of the file. */
const BLOCK_BYTES = 64 * 1024;

interface OpenFile {
  readonly descriptor: number;
  /** Blocks that the file has had, and those of them that no body holds. */
  blocks: number;
  readonly free: number[];
}

/**
 * The temporary file that all large bodies of a process share: they need one file descriptor, however many they are, so that
 * none must wait for one while it holds a connection. Made in `folder` for the first body, closed after the last one. It
 * loses its name as soon as it is open, so a crash leaves nothing behind.
 */
export class BodyFile {
  readonly #folder: string;
  #open: OpenFile | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws if the file cannot be made. */
  takeBlock(): number {
    this.#open ??= { descriptor: openNameless(this.#folder), blocks: 0, free: [] };
    return this.#open.free.pop() ?? this.#open.blocks++;
  }

  async freeBlocks(blocks: readonly number[]): Promise<void> {
    const open = this.#open;
    if (open === undefined || blocks.length === 0) return;
    for (const block of blocks) open.free.push(block);
    if (open.free.length < open.blocks) return;
    this.#open = undefined;
    await closeFile(open.descriptor);
  }

  /** Only for a caller that holds a block of it. */
  get descriptor(): number {
    if (this.#open === undefined) throw new Error('The temporary file of bodies is closed');
    return this.#open.descriptor;
  }
}

/** The blocks of one body. */
export class BodyBlocks {
  readonly #file: BodyFile;
  readonly #blocks: number[] = [];
  #size = 0;
  #isReleased = false;
  /** Blocks that were freed under a read could by then be another body's. */
  readonly #reading = new Set<Promise<unknown>>();

  constructor(file: BodyFile) {
    this.#file = file;
  }

  /**
   * Throws if the file cannot be made or written; then `release` is all that may follow. Synchronous: the bytes go to the
   * page cache at about 1 ms a MiB, few bodies are that large, and memory stays bounded without stopping and starting the
   * socket.
   */
  append(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#size === this.#blocks.length * BLOCK_BYTES) this.#blocks.push(this.#file.takeBlock());
      const { position, length } = this.#runAt(this.#size, piece.length - at);
      const written = writeSync(this.#file.descriptor, piece, at, length, position);
      at += written;
      this.#size += written;
    }
  }

  /** Returns `length` bytes from `start`. */
  async read(start: number, length: number): Promise<Uint8Array> {
    const piece = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      const bytesRead = await this.#readInto(piece, at, start + at);
      if (bytesRead === 0)
        throw new Error(`Expected ${this.#size} bytes in a body's temporary file, got ${start + at}`);
      at += bytesRead;
    }
    return piece;
  }

  /** Frees the blocks when the reads in progress have ended. Safe to repeat. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await Promise.allSettled(this.#reading);
    await this.#file.freeBlocks(this.#blocks);
  }

  async #readInto(piece: Buffer, at: number, start: number): Promise<number> {
    if (this.#isReleased) throw new Error('The body was disposed of');
    const { position, length } = this.#runAt(start, piece.length - at);
    const reading = readFile(this.#file.descriptor, piece, at, length, position);
    this.#reading.add(reading);
    try {
      return (await reading).bytesRead;
    } finally {
      this.#reading.delete(reading);
    }
  }

  /**
   * The offset in the file of the body's bytes from `start`, up to `most` of them, as far as its blocks follow one
   * another.
   */
  #runAt(start: number, most: number): { readonly position: number; readonly length: number } {
    const first = Math.floor(start / BLOCK_BYTES);
    const block = this.#blocks[first] as number;
    const offset = start - first * BLOCK_BYTES;
    let length = BLOCK_BYTES - offset;
    for (let next = 1; length < most && this.#blocks[first + next] === block + next; next++)
      length += BLOCK_BYTES;
    return { position: block * BLOCK_BYTES + offset, length: Math.min(length, most) };
  }
}

function openNameless(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `bodies-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
