import { createHash, type Hash, hash as hashOf } from 'node:crypto';
import { freeMemory } from '../../core/base/free-memory.ts';
import type { Body } from '../../core/outcome/body.ts';
import { STEADY_BODY_BYTES } from '../../core/outcome/fetch-request.ts';
import { BodyBlocks, BodyFile } from './body-file.ts';

/** Bodies up to this stay in memory ... */
const MAX_MEMORY_BYTES = 1024 * 1024;
/** ... while all bodies together take no more than this; beyond, only those up to {@link STEADY_BODY_BYTES}. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/**
 * The storage for the bodies of a process: memory with one bound, even for a thousand large bodies of a hundred crawls,
 * and a file for bodies beyond it.
 */
export interface BodySpace {
  usedBytes: number;
  readonly maxBytes: number;
  readonly file: BodyFile;
}

/** The file is made in `tempFolder`, which is made when it is first needed. */
export const newBodySpace = (tempFolder: string, maxBytes = MAX_TOTAL_BYTES): BodySpace => ({
  usedBytes: 0,
  maxBytes,
  file: new BodyFile(tempFolder),
});
/** Smaller pieces are gathered: a body sent in chunks of one byte must not cost an object for each. */
const SMALL_PIECE = 4096;
const GATHER_BYTES = 16_384;
const READ_BYTES = 262_144;

/**
 * Takes a body's pieces as they arrive, and becomes the {@link Body}. The pieces are its own: kept, not copied, and
 * freed when they are in a file, though not before the step is over, as several may be parts of one read buffer.
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
 * Holds a body in memory up to {@link MAX_MEMORY_BYTES}, less where there is little left in `space`; a larger one in the
 * file.
 */
export const createBodySpool = (space: BodySpace, maxMemoryBytes = MAX_MEMORY_BYTES): BodySpool =>
  new PieceSpool(space, maxMemoryBytes);

class PieceSpool implements BodySpool {
  readonly #space: BodySpace;
  readonly #maxMemoryBytes: number;
  /** Hash of a body in a file; a body in memory is hashed by one call. */
  #hash: Hash | undefined;
  #pieces: Uint8Array[] = [];
  #inMemory = 0;
  #gathered: Buffer | undefined;
  #gatheredSize = 0;
  #size = 0;
  #stored: BodyBlocks | undefined;

  constructor(space: BodySpace, maxMemoryBytes: number) {
    this.#space = space;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  get size(): number {
    return this.#size;
  }

  append(piece: Uint8Array): void {
    this.#hash?.update(piece);
    this.#keep(piece);
    this.#size += piece.length;
    if (this.#stored !== undefined) {
      // Only the gathered bytes wait, which are a copy.
      if (this.#pieces.length > 0) this.#writeOut(this.#stored);
      return;
    }
    this.#inMemory += piece.length;
    this.#space.usedBytes += piece.length;
    if (this.#isTooLarge()) this.#spill();
  }

  finish(): Body {
    this.#closeGathered();
    if (this.#stored === undefined || this.#hash === undefined)
      return memoryBody(this.#pieces, this.#size, sha1Of(this.#pieces), this.#space);
    this.#writeOut(this.#stored);
    return fileBody(this.#stored, this.#size, this.#hash.digest());
  }

  discard(): void {
    this.#pieces = [];
    this.#space.usedBytes -= this.#inMemory;
    this.#inMemory = 0;
    this.#gathered = undefined;
    this.#stored?.release().catch(() => {});
  }

  #isTooLarge(): boolean {
    const { usedBytes, maxBytes } = this.#space;
    return (
      this.#inMemory > this.#maxMemoryBytes || (usedBytes > maxBytes && this.#inMemory > STEADY_BODY_BYTES)
    );
  }

  #keep(piece: Uint8Array): void {
    const isFirst = this.#pieces.length === 0 && this.#stored === undefined;
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
    this.#stored = new BodyBlocks(this.#space.file);
    this.#hash = createHash('sha1');
    for (const piece of this.#pieces) this.#hash.update(piece);
    if (this.#gathered !== undefined) this.#hash.update(this.#gathered.subarray(0, this.#gatheredSize));
    this.#writeOut(this.#stored);
    this.#space.usedBytes -= this.#inMemory;
    this.#inMemory = 0;
  }

  #writeOut(to: BodyBlocks): void {
    const written = this.#pieces;
    this.#pieces = [];
    for (const piece of written) to.append(piece);
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

function memoryBody(parts: Uint8Array[], size: number, sha1: Uint8Array, space: BodySpace): Body {
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
      if (pieces !== undefined) space.usedBytes -= size;
      pieces = undefined;
    },
  };
}

function fileBody(stored: BodyBlocks, size: number, sha1: Uint8Array): Body {
  return {
    size,
    sha1,
    bytes: () => stored.read(0, size),
    async *chunks() {
      for (let at = 0; at < size; at += READ_BYTES)
        yield await stored.read(at, Math.min(READ_BYTES, size - at));
    },
    dispose: () => stored.release(),
  };
}

function throwDisposed(): never {
  throw new Error('The body was disposed of');
}
