import type { HostKey } from '../url/host-key.ts';
import { BLOCK_HEADER_BYTES, blockPayload, readBlockHeader } from './block-list.ts';
import { decodeRecords } from './record-block.ts';
import { type Cursor, cursorAt, isAtEnd } from './run.ts';
import type { UrlRecord } from './url-record.ts';

/** Reads a part, or `length` bytes of it from `offset`. */
export type ReadPart = (name: string, offset?: number, length?: number) => Promise<Uint8Array>;

export interface ReadList {
  /** The list's part. */
  readonly name: string;
  /** Where to begin. */
  readonly start: Cursor;
  /** So much is read at once, and more only if a block and the header of the next one need more. */
  readonly readAheadBytes: number;
}

interface Block {
  readonly records: readonly UrlRecord[];
  /** Where the next block begins. */
  readonly next: Cursor;
}

/** Takes the records of a run's list one after the other, from its cursor on; holds one block in memory. */
export class ListReader {
  readonly #host: HostKey;
  readonly #read: ReadPart;
  readonly #list: ReadList;
  #cursor: Cursor;
  #block: Block | undefined;

  constructor(host: HostKey, read: ReadPart, list: ReadList) {
    this.#host = host;
    this.#read = read;
    this.#list = list;
    this.#cursor = list.start;
  }

  get cursor(): Cursor {
    return this.#cursor;
  }

  /** The record at the cursor, which moves on. Not at the end; calls must not overlap. */
  async take(): Promise<UrlRecord> {
    if (isAtEnd(this.#cursor)) throw new Error(`${this.#list.name} is read to its end`);
    this.#block ??= await this.#readBlock();
    const { records, next } = this.#block;
    const { skip } = this.#cursor;
    const record = records[skip] as UrlRecord;
    const following = records[skip + 1];
    if (following) {
      this.#cursor = { ...this.#cursor, skip: skip + 1, dueAt: following.dueAt };
    } else {
      this.#cursor = next;
      this.#block = undefined;
    }
    return record;
  }

  async #readBlock(): Promise<Block> {
    const { name, readAheadBytes } = this.#list;
    const { offset, bytes } = this.#cursor;
    const wanted = (length: number) => Math.min(length, bytes - offset);
    let ahead = await this.#read(name, offset, wanted(Math.max(readAheadBytes, BLOCK_HEADER_BYTES)));
    const header = readBlockHeader(ahead, 0, offset);
    if (ahead.length < wanted(header.size + BLOCK_HEADER_BYTES))
      ahead = await this.#read(name, offset, wanted(header.size + BLOCK_HEADER_BYTES));
    const end = offset + header.size;
    const following = end < bytes ? readBlockHeader(ahead, header.size, offset) : undefined;
    return {
      records: decodeRecords(this.#host, blockPayload(ahead, header, offset)),
      next: cursorAt(bytes, end, 0, following),
    };
  }
}
