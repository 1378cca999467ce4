/**
 * Growing and reading byte strings of varints (LEB128, up to 2^53) and ASCII text: the ledger's and messages'
 * raw material.
 */
import { inflateRawSync } from 'node:zlib';
import { messageOf } from '../base/error-message.ts';

export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 to 2^32 - 1, in four bytes. */
  uint32(value: number): void {
    this.#room(4);
    this.#length = this.#buffer.writeUInt32BE(value, this.#length);
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#room(8);
    while (value >= 0x80) {
      this.#buffer[this.#length++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
    this.#buffer[this.#length++] = value;
  }

  /** A whole number of either sign, small ones short. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Latin-1 text from `from`, without its length. */
  latin1(text: string, from = 0): void {
    const part = from === 0 ? text : text.slice(from);
    this.#room(part.length);
    this.#length += this.#buffer.write(part, this.#length, 'latin1');
  }

  /** UTF-8 text after its length. */
  text(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** Returns the bytes written; valid until the next write. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Thrown for bytes that no writer of ours made: a damaged part or message. */
export class CorruptBytes extends Error {
  override name = 'CorruptBytes';
}

/** Thrown for stored state that cannot be read; the message names it and says what to do. */
export class DamagedState extends CorruptBytes {
  override name = 'DamagedState';
}

/** Thrown for bytes that a newer version of the program made: the present one was deployed again after it. */
export class NewerFormat extends CorruptBytes {
  override name = 'NewerFormat';
}

/** Throws {@link NewerFormat} for a version above `known`, and {@link CorruptBytes} for one below. */
export function checkVersion(what: string, version: number, known: number): void {
  if (version === known) return;
  const message = `${what} version ${version}: this program knows version ${known}`;
  throw version > known ? new NewerFormat(message) : new CorruptBytes(message);
}

export class ByteReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#buffer.length;
  }

  byte(): number {
    const value = this.#buffer[this.#at++];
    if (value === undefined) throw new CorruptBytes(`ends at byte ${this.#at - 1}, more was expected`);
    return value;
  }

  uint32(): number {
    return Buffer.from(this.raw(4)).readUInt32BE();
  }

  varint(): number {
    let byte = this.byte();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      if (scale > 2 ** 49) throw new CorruptBytes(`a number at byte ${this.#at} is too long`);
      byte = this.byte();
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  raw(length: number): Uint8Array {
    if (this.#at + length > this.#buffer.length)
      throw new CorruptBytes(
        `${length} bytes expected at byte ${this.#at}, ${this.#buffer.length - this.#at} there`,
      );
    this.#at += length;
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  latin1(length: number): string {
    const bytes = this.raw(length);
    return this.#buffer.toString('latin1', this.#at - bytes.length, this.#at);
  }

  text(): string {
    return Buffer.from(this.raw(this.varint())).toString('utf8');
  }
}

/**
 * Undoes `deflateRawSync`. `name` says what the bytes are. Throws {@link CorruptBytes}, also for more than
 * `maxBytes`.
 */
export function inflateOwn(bytes: Uint8Array, maxBytes: number, name: string): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new CorruptBytes(`${name} cannot be decompressed: ${messageOf(cause)}`, { cause });
  }
}
