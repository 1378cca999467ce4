import { freeMemory } from '../base/free-memory.ts';

export interface KeptBytes {
  readonly bytes: Uint8Array;
  /** Frees the memory that was allocated here. */
  free(): void;
}

/**
 * The pieces of a body until they are enough. The pieces of a body up to `steadyBytes` do not change; the pieces of a
 * longer one are copied.
 */
export class KeptPieces {
  readonly #steadyBytes: number;
  #pieces: Uint8Array[] = [];
  #areCopies = false;
  #length = 0;

  constructor(steadyBytes: number) {
    this.#steadyBytes = steadyBytes;
  }

  /** Bytes added. */
  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (!this.#areCopies && this.#length > this.#steadyBytes) {
      this.#pieces = this.#pieces.map((kept) => new Uint8Array(kept));
      this.#areCopies = true;
    }
    this.#pieces.push(this.#areCopies ? new Uint8Array(piece) : piece);
  }

  /** Returns all bytes, and keeps none. */
  take(): KeptBytes {
    const kept = this.#pieces;
    this.#pieces = [];
    const bytes = kept.length === 1 ? kept[0]! : Buffer.concat(kept);
    const own = this.#areCopies ? kept : [];
    return {
      bytes,
      free() {
        for (const piece of own) freeMemory(piece);
        if (kept.length > 1) freeMemory(bytes);
      },
    };
  }
}
