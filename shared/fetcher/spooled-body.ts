import { createHash, type Hash, hash as hashOf, randomUUID } from 'node:crypto';
import { close, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freeMemory } from '../free-memory.ts';
import type { Body } from './outcome/body.ts';

const readFile = promisify(read);
const closeFile = promisify(close);

/** Bodies up to this stay in memory ... */
const MAX_MEMORY_BYTES = 1024 * 1024;
/** ... while all bodies together take no more than this; beyond, only those up to {@link SMALL_BODY}. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const SMALL_BODY = 32 * 1024;

/** The memory of all bodies of one fetcher, bounded together even for a thousand large bodies. */
export interface BodyMemory {
  used: number;
  readonly most: number;
}

export const newBodyMemory = (most = MAX_TOTAL_BYTES): BodyMemory => ({ used: 0, most });
/** Smaller pieces are gathered: a body sent in chunks of one byte must not cost an object for each. */
const SMALL_PIECE = 4096;
const GATHER_BYTES = 16_384;
const READ_BYTES = 262_144;

/**
 * Takes a body's pieces as they arrive, and becomes the {@link Body}. The pieces are its own: kept, not
 * copied, and freed when they are in a file, though not before the step is over, as several may be parts of
 * what was read at once.
 */
export interface BodySpool {
  /** Bytes taken so far. */
  readonly size: number;
  /** Throws if the temporary file cannot be written. */
  append(piece: Uint8Array): void;
  /** The body of all that was appended. Call it once, and nothing after it. */
  finish(): Body;
  /** Lets go of everything, instead of `finish`. */
  discard(): void;
}

/**
 * Holds a body in memory up to {@link MAX_MEMORY_BYTES}, less where there is little left of `memory`; a
 * larger one in a file in `tempFolder`, which is made when it is first needed. The file loses its name as
 * soon as it is open, so a crash leaves nothing behind; each large body costs a file descriptor until it is
 * disposed of.
 */
export const createBodySpool = (
  tempFolder: string,
  memory: BodyMemory = newBodyMemory(),
  maxMemoryBytes = MAX_MEMORY_BYTES,
): BodySpool => new PieceSpool(tempFolder, memory, maxMemoryBytes);

class PieceSpool implements BodySpool {
  readonly #tempFolder: string;
  readonly #memory: BodyMemory;
  readonly #maxMemoryBytes: number;
  /** Hash of a body in a file; a body in memory is hashed by one call. */
  #hash: Hash | undefined;
  #pieces: Uint8Array[] = [];
  #inMemory = 0;
  #gathered: Buffer | undefined;
  #gatheredSize = 0;
  #size = 0;
  #file: number | undefined;

  constructor(tempFolder: string, memory: BodyMemory, maxMemoryBytes: number) {
    this.#tempFolder = tempFolder;
    this.#memory = memory;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  get size(): number {
    return this.#size;
  }

  append(piece: Uint8Array): void {
    this.#hash?.update(piece);
    this.#keep(piece);
    this.#size += piece.length;
    if (this.#file !== undefined) {
      // Nothing but what is gathered waits, which is a copy.
      if (this.#pieces.length > 0) this.#writeOut(this.#file);
      return;
    }
    this.#inMemory += piece.length;
    this.#memory.used += piece.length;
    if (this.#isTooLarge()) this.#spill();
  }

  finish(): Body {
    this.#closeGathered();
    if (this.#file === undefined || this.#hash === undefined)
      return memoryBody(this.#pieces, this.#size, sha1Of(this.#pieces), this.#memory);
    this.#writeOut(this.#file);
    return fileBody(this.#file, this.#size, this.#hash.digest());
  }

  discard(): void {
    this.#pieces = [];
    this.#memory.used -= this.#inMemory;
    this.#inMemory = 0;
    this.#gathered = undefined;
    if (this.#file !== undefined) closeFile(this.#file).catch(() => {});
  }

  #isTooLarge(): boolean {
    const { used, most } = this.#memory;
    return this.#inMemory > this.#maxMemoryBytes || (used > most && this.#inMemory > SMALL_BODY);
  }

  #keep(piece: Uint8Array): void {
    const isFirst = this.#pieces.length === 0 && this.#file === undefined;
    if (isFirst || piece.length >= SMALL_PIECE) {
      this.#closeGathered();
      this.#pieces.push(piece);
      return;
    }
    if (this.#gathered === undefined || this.#gatheredSize + piece.length > GATHER_BYTES) {
      this.#closeGathered();
      this.#gathered = Buffer.allocUnsafeSlow(GATHER_BYTES);
    }
    this.#gathered.set(piece, this.#gatheredSize);
    this.#gatheredSize += piece.length;
  }

  #closeGathered(): void {
    if (this.#gathered !== undefined && this.#gatheredSize > 0)
      this.#pieces.push(this.#gathered.subarray(0, this.#gatheredSize));
    this.#gathered = undefined;
    this.#gatheredSize = 0;
  }

  #spill(): void {
    this.#file = openNameless(this.#tempFolder);
    this.#hash = createHash('sha1');
    for (const piece of this.#pieces) this.#hash.update(piece);
    if (this.#gathered !== undefined) this.#hash.update(this.#gathered.subarray(0, this.#gatheredSize));
    this.#writeOut(this.#file);
    this.#memory.used -= this.#inMemory;
    this.#inMemory = 0;
  }

  /**
   * Synchronous: the bytes go to the page cache at about 1 ms a MiB, few bodies are that large, and memory
   * stays bounded without stopping and starting the socket.
   */
  #writeOut(to: number): void {
    const written = this.#pieces;
    this.#pieces = [];
    for (const piece of written) writeWhole(to, piece);
    queueMicrotask(() => {
      for (const piece of written) freeMemory(piece);
    });
  }
}

function sha1Of(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return hashOf('sha1', only, 'buffer');
  const hash = createHash('sha1');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

function memoryBody(parts: Uint8Array[], size: number, sha1: Uint8Array, memory: BodyMemory): Body {
  let pieces: Uint8Array[] | undefined = parts;
  const kept = () => pieces ?? throwDisposed();
  return {
    size,
    sha1,
    bytes: async () => {
      const all = kept();
      if (all.length === 1) return all[0] as Uint8Array;
      const whole = Buffer.concat(all, size);
      pieces = [whole];
      return whole;
    },
    async *chunks() {
      yield* kept();
    },
    dispose: async () => {
      if (pieces !== undefined) memory.used -= size;
      pieces = undefined;
    },
  };
}

function fileBody(fd: number, size: number, sha1: Uint8Array): Body {
  let file: number | undefined = fd;
  // A descriptor closed under a read could by then be another file's.
  const reading = new Set<Promise<unknown>>();

  async function readAt(piece: Buffer, at: number, position: number): Promise<number> {
    const result = readFile(file ?? throwDisposed(), piece, at, piece.length - at, position);
    reading.add(result);
    try {
      return (await result).bytesRead;
    } finally {
      reading.delete(result);
    }
  }

  async function readPiece(position: number, length: number): Promise<Uint8Array> {
    const piece = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      const bytesRead = await readAt(piece, at, position + at);
      if (bytesRead === 0)
        throw new Error(`Expected ${size} bytes in a body's temporary file, got ${position + at}`);
      at += bytesRead;
    }
    return piece;
  }
  return {
    size,
    sha1,
    bytes: () => readPiece(0, size),
    async *chunks() {
      for (let at = 0; at < size; at += READ_BYTES)
        yield await readPiece(at, Math.min(READ_BYTES, size - at));
    },
    dispose: async () => {
      if (file === undefined) return;
      const open = file;
      file = undefined;
      await Promise.allSettled(reading);
      await closeFile(open);
    },
  };
}

function openNameless(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `body-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function writeWhole(file: number, piece: Uint8Array): void {
  for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
}

function throwDisposed(): never {
  throw new Error('The body was disposed of');
}
