import type { RecordLocation } from '../../../core/archive/record-location.ts';

/** Memory that a payload takes, in bytes, about. */
export const ENTRY_BYTES = 40;

/** 8 of the 20 bytes of a digest are kept: the caller compares the whole digest of the record. */
const DIGEST_WORDS = 2;

/**
 * The places of the payloads of one host, by SHA-1. Columns of numbers, as a host may have a million: objects would take
 * ten times as much. Of several payloads of one digest the first stays.
 */
export class PayloadTable {
  readonly #capacity: number;
  /** Open addressing: the number of an entry, from 1; 0: none. At most half of them are taken. */
  readonly #slots: Uint32Array;
  readonly #digests: Uint32Array;
  readonly #files: Uint32Array;
  readonly #offsets: Float64Array;
  readonly #lengths: Uint32Array;
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  #size = 0;

  /** `capacity`: entries at most. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, capacity) * 2)));
    this.#digests = new Uint32Array(capacity * DIGEST_WORDS);
    this.#files = new Uint32Array(capacity);
    this.#offsets = new Float64Array(capacity);
    this.#lengths = new Uint32Array(capacity);
  }

  /** False if the table is full. */
  add(sha1: Uint8Array, { file, offset, length }: RecordLocation): boolean {
    const [slot, found] = this.#slotOf(sha1);
    if (found >= 0) return true;
    if (this.#size === this.#capacity) return false;
    const entry = this.#size++;
    for (let word = 0; word < DIGEST_WORDS; word++)
      this.#digests[entry * DIGEST_WORDS + word] = wordOf(sha1, word);
    this.#files[entry] = this.#numberOf(file);
    this.#offsets[entry] = offset;
    this.#lengths[entry] = length;
    this.#slots[slot] = entry + 1;
    return true;
  }

  /** The index of a payload whose digest begins as this one. */
  find(sha1: Uint8Array): RecordLocation | undefined {
    const [, entry] = this.#slotOf(sha1);
    if (entry < 0) return undefined;
    return {
      file: this.#names[this.#files[entry] as number] as string,
      offset: this.#offsets[entry] as number,
      length: this.#lengths[entry] as number,
    };
  }

  /** The slot that the digest has or would get, and its entry; -1: none. Digests are as good as random. */
  #slotOf(sha1: Uint8Array): [slot: number, entry: number] {
    const mask = this.#slots.length - 1;
    for (let slot = wordOf(sha1, 0) & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] as number) - 1;
      if (entry < 0 || this.#isOf(entry, sha1)) return [slot, entry];
    }
  }

  #isOf(entry: number, sha1: Uint8Array): boolean {
    for (let word = 0; word < DIGEST_WORDS; word++)
      if (this.#digests[entry * DIGEST_WORDS + word] !== wordOf(sha1, word)) return false;
    return true;
  }

  #numberOf(file: string): number {
    const known = this.#numbers.get(file);
    if (known !== undefined) return known;
    this.#numbers.set(file, this.#names.length);
    return this.#names.push(file) - 1;
  }
}

const wordOf = (sha1: Uint8Array, word: number): number =>
  new DataView(sha1.buffer, sha1.byteOffset, sha1.byteLength).getUint32(word * 4);
