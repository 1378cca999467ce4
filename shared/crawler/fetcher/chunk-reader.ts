import { KnownFailure } from './failure.ts';
import { quoted } from './repair-head.ts';

/** The longest line of a chunked body, as in Chromium. */
const MAX_LINE_BYTES = 16_384;
/** Bytes of a size's line besides extensions: the size, blanks, the line's end. */
const PLAIN_LINE_BYTES = 32;
/** Hexadecimal digits of the largest size: JavaScript's numbers are exact up to 2^53. */
const MAX_DIGITS = 13;
/** A size's line without its LF, as RFC 9112, section 7.1.1, has it. */
const STRICT_SIZE = /^[0-9a-f]+(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?\r$/i;
/** The line as browsers read it: some servers and load balancers pad the size with blanks. */
const READABLE_SIZE = /^([0-9a-f]+)[\t\r ]*(?:;.*)?$/is;
const LF = 0x0a;
const CR = 0x0d;
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

/**
 * Reads the framing of a chunked body (RFC 9112, section 7.1) as browsers do, and writes it for a strict parser: without
 * blanks behind sizes, extensions and trailers, and with CRLF for LF. A body that has none of that is passed on as it
 * came, without a copy.
 */
export class ChunkReader {
  readonly #maxExtraBytes: number;
  #part: 'size' | 'data' | 'dataEnd' | 'trailers' | 'end' = 'size';
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  /** The begin of a line. */
  #held: Buffer = NOTHING;
  #dataBytes = 0;
  #extraBytes = 0;
  #isStrict = true;
  #fault: KnownFailure | undefined;

  /** `maxExtraBytes`: of all trailers, and of extensions beyond as many bytes as there are of data. */
  constructor(maxExtraBytes: number) {
    this.#maxExtraBytes = maxExtraBytes;
  }

  /** False: the framing is not strict HTTP, so another reader may find another end of the body. */
  get isStrict(): boolean {
    return this.#isStrict;
  }

  /** All data has come; trailers may be due. */
  get hasLastChunk(): boolean {
    return this.#part === 'trailers' || this.#part === 'end';
  }

  /** Why nothing more can be read. */
  get fault(): KnownFailure | undefined {
    return this.#fault;
  }

  /**
   * Returns what the parser may have of the body so far, up to a {@link fault}. Keeps nothing of `bytes`. What follows
   * the body is passed on as it is.
   */
  read(bytes: Buffer): Buffer {
    const input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = NOTHING;
    const pieces: Buffer[] = [];
    /** Where those bytes begin that are passed on as they are, and where they end. */
    let from = 0;
    let at = 0;
    while (at < input.length && this.#part !== 'end') {
      if (this.#part === 'data') {
        at += this.#skipData(input.length - at);
        continue;
      }
      const end = this.#findLineEnd(input, at);
      if (end === 0) return joined(pieces, input.subarray(from, at));
      const line = this.#readLine(input, at, end);
      if (line !== undefined) {
        pieces.push(input.subarray(from, at), line);
        from = end;
      }
      if (this.#fault !== undefined) return joined(pieces, NOTHING);
      at = end;
    }
    return joined(pieces, from === 0 ? input : input.subarray(from));
  }

  #skipData(most: number): number {
    const size = Math.min(this.#left, most);
    this.#left -= size;
    this.#dataBytes += size;
    if (this.#left === 0) this.#part = 'dataEnd';
    return size;
  }

  /** Returns where the line ends, behind its LF; 0 if it does not: then it is held, unless it is too long. */
  #findLineEnd(input: Buffer, at: number): number {
    const most = Math.min(input.length, at + MAX_LINE_BYTES);
    for (let i = at; i < most; i++) if (input[i] === LF) return i + 1;
    const line = input.subarray(at, most);
    if (most - at === MAX_LINE_BYTES || !this.#canBegin(line)) this.#fail(line);
    else this.#held = Buffer.from(line);
    return 0;
  }

  /** Whether a line may begin with these bytes. If not, the rest of the line is not awaited. */
  #canBegin(line: Buffer): boolean {
    if (this.#part === 'trailers') return true;
    return this.#part === 'dataEnd' ? line.length === 1 && line[0] === CR : digitOf(line[0] as number) >= 0;
  }

  /** Reads a line, which ends after its LF. Returns the line's replacement, if it needs one. */
  #readLine(input: Buffer, at: number, end: number): Buffer | undefined {
    if (this.#part === 'size') return this.#readSize(input, at, end);
    const isStrict = end - at > 1 && input[end - 2] === CR;
    const isEmpty = end - at === (isStrict ? 2 : 1);
    if (!isStrict) this.#isStrict = false;
    if (this.#part === 'dataEnd') {
      if (!isEmpty) return this.#fail(input.subarray(at, end));
      this.#part = 'size';
    } else if (isEmpty) this.#part = 'end';
    else return this.#countExtra(end - at, this.#maxExtraBytes) ?? NOTHING;
    return isStrict ? undefined : LINE_END;
  }

  #readSize(input: Buffer, at: number, end: number): Buffer | undefined {
    let size = 0;
    let i = at;
    for (let digit = digitOf(input[i] as number); digit >= 0; digit = digitOf(input[++i] as number))
      size = size * 16 + digit;
    const isPlain = i > at && i - at <= MAX_DIGITS && input[i] === CR && i + 2 === end;
    if (isPlain) {
      this.#beginChunk(size);
      return undefined;
    }
    const line = input.toString('latin1', at, end - 1);
    const digits = READABLE_SIZE.exec(line)?.[1]?.replace(/^0+(?=.)/, '');
    if (digits === undefined || digits.length > MAX_DIGITS) return this.#fail(input.subarray(at, end));
    if (!STRICT_SIZE.test(line)) this.#isStrict = false;
    this.#beginChunk(Number.parseInt(digits, 16));
    return (
      this.#countExtra(Math.max(0, end - at - PLAIN_LINE_BYTES), this.#maxExtraBytes + this.#dataBytes) ??
      Buffer.from(`${digits}\r\n`)
    );
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#part = size === 0 ? 'trailers' : 'data';
  }

  #countExtra(bytes: number, most: number): Buffer | undefined {
    this.#extraBytes += bytes;
    if (this.#extraBytes <= most) return undefined;
    this.#fault = new KnownFailure(
      'malformedResponse',
      `the body has more than ${this.#maxExtraBytes} bytes of chunk extensions and trailers`,
    );
    return NOTHING;
  }

  #fail(line: Buffer): Buffer {
    this.#isStrict = false;
    const wanted = this.#part === 'size' ? 'the size of a chunk' : `the end of a chunk's line`;
    this.#fault = new KnownFailure(
      'malformedResponse',
      `the body's chunks cannot be read: expected ${wanted}, got ${quoted(line.toString('latin1', 0, 60))}`,
    );
    return NOTHING;
  }
}

const joined = (pieces: readonly Buffer[], last: Buffer): Buffer =>
  pieces.length === 0 ? last : Buffer.concat([...pieces, last]);

/** Returns the value of a hexadecimal digit; -1 if it is none. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
