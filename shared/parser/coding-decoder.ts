/** Undoes one content coding: small bodies in one synchronous call, large ones by a stream. */
import zlib from 'node:zlib';
import { freeMemory, leastOwnBytes } from '../free-memory.ts';
import type { BoundedOutput } from './bounded-output.ts';
import { isBinary } from './media-type.ts';

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * Names of codings in Content-Encoding (RFC 9110, section 8.4.1, with the aliases there; RFC 7932; RFC 8878).
 */
export const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Bodies up to this size are kept and decoded by one synchronous call, which for 9 KB of gzip costs a
 * fraction of what a stream does (below 0.1 ms). Most pages are that small.
 */
const MAX_SYNC_BYTES = 256 * 1024;
/**
 * A synchronous call that would give more is given up for a stream: it would block other turns for too long.
 */
const MAX_SYNC_OUTPUT = 8 * 1024 * 1024;
/**
 * Returns the size of the pieces for a decoder that must save as much as possible of a broken body. The
 * output of the piece with the break is lost, so small ones save more; a small body is cut into smaller ones,
 * since it is over sooner.
 */
const salvagedPiece = (bodyBytes: number) => Math.max(16, Math.min(1024, bodyBytes >> 8));

export interface CodingOutcome {
  readonly isWhole: boolean;
  readonly isTooLarge: boolean;
  readonly error?: string;
}

/**
 * `end` resolves, never rejects. What is written may change afterwards; after the output is full it is
 * ignored.
 */
export function createCodingDecoder(coding: Coding, output: BoundedOutput) {
  let pieces: Uint8Array[] = [];
  let length = 0;
  /** The output, if it came in one piece. */
  let whole: Uint8Array | undefined;
  /** The receiver of the pieces once they are no longer kept. */
  let sink: { write(chunk: Uint8Array): void; end(): Promise<string | undefined> } | undefined;

  const takeKept = (): Uint8Array => {
    const [first = new Uint8Array(0), ...others] = pieces;
    pieces = [];
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  };
  const keep = (chunk: Uint8Array) => {
    pieces.push(new Uint8Array(chunk));
    length += chunk.length;
    if (length <= MAX_SYNC_BYTES) return;
    const start = takeKept();
    sink = hasCoding(coding, start) ? createStreamDecoder(coding, start, output) : asItIs;
    sink.write(start);
  };
  const asItIs = { write: output.write, end: async () => NOT_CODED };

  const endKept = async (): Promise<string | undefined> => {
    const kept = pieces;
    const body = takeKept();
    if (body.length === 0) return undefined;
    const decoded = decodeAtOnce(coding, body, output.room());
    if (decoded !== undefined && !isChance(coding, body, decoded)) {
      for (const bytes of [body, ...kept]) freeMemory(bytes);
      whole = decoded;
      output.write(decoded);
      return undefined;
    }
    if (!hasCoding(coding, body)) {
      output.write(body);
      return NOT_CODED;
    }
    const stream = createStreamDecoder(coding, body, output);
    const step = salvagedPiece(body.length);
    for (let at = 0; at < body.length; at += step) stream.write(body.subarray(at, at + step));
    return await stream.end();
  };

  return {
    write(chunk: Uint8Array): void {
      if (sink === undefined) keep(chunk);
      else sink.write(new Uint8Array(chunk));
    },
    async end(): Promise<CodingOutcome> {
      const error = await (sink === undefined ? endKept() : sink.end());
      return {
        isWhole: error === undefined || error === NOT_CODED,
        isTooLarge: output.isFull(),
        error: error && `${coding}: ${error}`,
      };
    },
    /** Call it after the end, when the output is no longer read. */
    free(): void {
      if (whole !== undefined) freeMemory(whole);
      whole = undefined;
    },
  };
}

const NOT_CODED = 'declared, but the body is not in it';

/**
 * The whole content, or undefined if the body is not whole, not sound, or gives more than is wanted at once.
 */
function decodeAtOnce(coding: Coding, body: Uint8Array, room: number): Buffer | undefined {
  const maxOutputLength = Math.max(1, Math.min(room, MAX_SYNC_OUTPUT));
  try {
    switch (coding) {
      case 'gzip':
        return zlib.gunzipSync(body, { maxOutputLength, chunkSize: gzipChunkSize(body) });
      case 'deflate':
        return isZlib(body)
          ? zlib.inflateSync(body, { maxOutputLength })
          : zlib.inflateRawSync(body, { maxOutputLength });
      case 'br':
        return zlib.brotliDecompressSync(body, { maxOutputLength });
      case 'zstd':
        return zlib.zstdDecompressSync(body, { maxOutputLength, params: ZSTD_PARAMS });
    }
  } catch {
    return undefined;
  }
}

/**
 * Room for the whole content, whose size (modulo 2^32) a gzip body ends with: half the time of growing
 * buffers. In a buffer of its own, which can be freed.
 */
function gzipChunkSize(body: Uint8Array): number {
  const { buffer, byteOffset, length } = body;
  const size = length < 18 ? 0 : new DataView(buffer, byteOffset, length).getUint32(length - 4, true);
  return Math.max(leastOwnBytes(), Math.min(size + 1, 32 * length, 1024 * 1024));
}

/**
 * Decodes pieces as they come. Whatever could be decoded before the body's end or a fault is put out; `end`
 * gives the fault. Compressed pieces wait in memory for their turn, decoded ones never.
 */
function createStreamDecoder(coding: Coding, start: Uint8Array, output: BoundedOutput) {
  const stream = createStream(coding, start);
  let fault: string | undefined;
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.on('data', (chunk: Uint8Array) => {
    output.write(chunk);
    if (output.isFull()) stream.destroy();
  });
  stream.on('error', (error) => {
    fault = error.message;
  });

  return {
    write(chunk: Uint8Array): void {
      if (!stream.destroyed) stream.write(chunk);
    },
    async end(): Promise<string | undefined> {
      // Ended only when all is decoded: the last piece's output would be lost with the fault that the end may
      // be.
      if (!stream.destroyed) stream.write(new Uint8Array(0), () => stream.end());
      await closed;
      return output.isFull() ? undefined : fault;
    },
  };
}

function createStream(coding: Coding, start: Uint8Array) {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip();
    case 'deflate':
      return isZlib(start) ? zlib.createInflate() : zlib.createInflateRaw();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress({ params: ZSTD_PARAMS });
  }
}

/** RFC 9659: a window of at most 8 MiB, so that a decoder needs no more memory. */
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

/**
 * Whether bytes that did not decode, or not yet, seem to be in the coding. Two of them do not say so: text is
 * not.
 */
function hasCoding(coding: Coding, bytes: Uint8Array): boolean {
  if (coding === 'gzip') return bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (coding === 'zstd')
    return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
  return isBinary(bytes.subarray(0, 512));
}

/**
 * A text may begin like a whole, empty stream: `?` is one in `br`, which has no signature and ignores what
 * follows.
 */
function isChance(coding: Coding, body: Uint8Array, decoded: Uint8Array): boolean {
  return decoded.length < body.length && body.length > 16 && !hasCoding(coding, body);
}

/** RFC 1950, section 2.2: the method is 8, and the header a multiple of 31. */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
