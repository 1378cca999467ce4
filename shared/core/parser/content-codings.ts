/** The content codings of a body (RFC 9110, section 8.4): their names, and their signatures in a body. */
import zlib from 'node:zlib';
import { GZIP_HEAD_BYTES, gzipHeadLength } from './gzip-head.ts';
import { MIME_SNIFFED_BYTES, sniffMimeType } from './media-type.ts';

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** RFC 9110, section 8.4.1, with the aliases there; RFC 7932; RFC 8878. */
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/** Bodies with more codings are not decoded: no server has a reason to apply them. */
const MAX_CODINGS = 3;

export interface DeclaredCodings {
  /** The codings to undo, the last one first. */
  readonly codings: readonly Coding[];
  /** For people: the field has names that are not codings, as `utf-8` or `aws-chunked`, or too many codings. */
  readonly unknown?: string;
}

const NO_CODINGS: DeclaredCodings = { codings: [] };
/** By the value as nearly all servers write it. */
const SINGLE_CODINGS: ReadonlyMap<string, DeclaredCodings> = new Map(
  [...CODINGS].map(([name, coding]) => [name, { codings: [coding] }]),
);

/** Reads the value of Content-Encoding. */
export function declaredCodings(contentEncoding = ''): DeclaredCodings {
  const single = contentEncoding === '' ? NO_CODINGS : SINGLE_CODINGS.get(contentEncoding);
  if (single !== undefined) return single;
  const declared = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const codings = declared.flatMap((name) => CODINGS.get(name) ?? []).reverse();
  const isKnown = codings.length === declared.length && codings.length <= MAX_CODINGS;
  if (isKnown) return { codings };
  const unknown = `Content-Encoding: ${contentEncoding.slice(0, 100)}`;
  return { codings: codings.length > MAX_CODINGS ? [] : codings, unknown };
}

/** The bytes that {@link isItself} looks at. */
export const SHOWN_BYTES = MIME_SNIFFED_BYTES;

/**
 * Whether the first bytes are those of a text, or of a type that they name: such a body has no coding, whatever its
 * server declares. Browsers show such pages.
 */
export function isItself(start: Uint8Array): boolean {
  const type = sniffMimeType(start.subarray(0, SHOWN_BYTES));
  return type !== 'application/octet-stream' && type !== 'application/x-gzip';
}

/** Whether bytes that did not decode, or not yet, seem to be in the coding. */
export function hasCoding(coding: Coding, bytes: Uint8Array): boolean {
  if (coding === 'gzip') return bytes[0] === 0x1f && bytes[1] === 0x8b;
  return coding === 'zstd' ? isZstdFrame(bytes) : !isItself(bytes);
}

/** RFC 8878, sections 3.1.1 and 3.1.2: also a frame that is skipped. */
const isZstdFrame = ([a = 0, b, c, d]: Uint8Array): boolean =>
  (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) ||
  ((a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18);

/** The fault of a body that does not have the declared coding; it was passed on as it is. */
export const NOT_CODED = 'declared, but the body is not in it';

/** RFC 9659: a window of at most 8 MiB, so that a decoder needs no more memory. */
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

/** Node's error code for a body whose end is missing. */
export const CUT = 'unexpected end of file';
/** The fault of a body whose writer has flushed all, and not closed it: it is whole unless its transfer broke off. */
export const UNCLOSED = 'it was not closed';
export const BAD_HEAD = 'incorrect header';
export const BAD_SUM = 'incorrect data check';

/**
 * The members that a body consists of: of gzip and zstd there may be several (RFC 1952, section 2.2; RFC 8878, section
 * 3.1). Each has a head, compressed data and a tail. A wrong checksum in the tail alone is accepted, as in browsers. If
 * further bytes follow, it is a fault: damaged data may seem to end.
 */
export interface Members {
  /** The length of the head at the beginning of `bytes`: undefined if there is none, `more` if it does not end there. */
  headLength(bytes: Uint8Array): number | 'more' | undefined;
  readonly tailLength: number;
  readonly areSeveral: boolean;
  readonly sum?: Sum;
  /** Whether data without an end may be whole: its writer has flushed all, and only has not closed it. */
  readonly isFlushed: (lastBytes: Uint8Array) => boolean;
  createStream(): zlib.InflateRaw | zlib.BrotliDecompress;
  decodeSync(data: Uint8Array, options: SyncOptions): Buffer;
}

/** The sum of a member's content. */
interface Sum {
  /** Adds bytes to the sum of those before them. */
  of(bytes: Uint8Array, before: number | undefined): number;
  /** Whether the tail has the sum, as far as it is there. */
  isRight(tail: Uint8Array, sum: number): boolean;
}

export interface SyncOptions {
  readonly maxOutputLength: number;
  /** Decodes as much as there is of data without an end. */
  readonly isPart?: boolean;
  /** Instead of the bytes, `{ buffer, engine }` is returned, which the types of Node lack. */
  readonly info?: true;
}

/** `start`: the first bytes of the body. */
export function membersOf(coding: Coding, start: Uint8Array): Members {
  switch (coding) {
    case 'gzip':
      return GZIP;
    case 'deflate':
      // Some servers leave out the wrapper of zlib.
      return isZlib(start) ? ZLIB : RAW;
    case 'br':
      return BROTLI;
    case 'zstd':
      return ZSTD;
  }
}

const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = zlib.constants;
const { ZSTD_e_flush, ZSTD_e_end } = zlib.constants;

const noHead = () => 0;

/** Deflated data without a wrapper (RFC 1951). */
const RAW: Members = {
  headLength: noHead,
  tailLength: 0,
  areSeveral: false,
  // An empty stored block: section 3.2.4.
  isFlushed: (last) => last.length >= 4 && Buffer.from(last.subarray(-4)).readUInt32BE() === 0xffff,
  createStream: () => zlib.createInflateRaw(),
  decodeSync: (data, { isPart, ...options }) =>
    zlib.inflateRawSync(data, { ...options, finishFlush: isPart ? Z_SYNC_FLUSH : Z_FINISH }),
};

const ZLIB: Members = {
  ...RAW,
  headLength: () => 2,
  tailLength: 4,
  sum: { of: adler32, isRight: (tail, sum) => tail.length < 4 || Buffer.from(tail).readUInt32BE() === sum },
};

const GZIP: Members = {
  ...RAW,
  headLength(bytes) {
    const length = gzipHeadLength(bytes);
    if (length === undefined || (length === 0 && isStartOfGzip(bytes))) return 'more';
    return length || undefined;
  },
  tailLength: 8,
  areSeveral: true,
  sum: {
    of: (bytes, before) => zlib.crc32(bytes, before),
    isRight: (tail, sum) => tail.length < 4 || Buffer.from(tail).readUInt32LE() === sum,
  },
};

const isStartOfGzip = (bytes: Uint8Array): boolean =>
  bytes.length < GZIP_HEAD_BYTES && bytes.every((byte, i) => i >= 3 || byte === [0x1f, 0x8b, 8][i]);

const BROTLI: Members = {
  headLength: noHead,
  tailLength: 0,
  areSeveral: false,
  isFlushed: () => false,
  createStream: () => zlib.createBrotliDecompress(),
  decodeSync: (data, { isPart, ...options }) =>
    zlib.brotliDecompressSync(data, {
      ...options,
      finishFlush: isPart ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH,
    }),
};

const ZSTD: Members = {
  // Each frame begins with its magic number, which is a part of the data.
  headLength: (bytes) => (bytes.length < 4 ? 'more' : isZstdFrame(bytes) ? 0 : undefined),
  tailLength: 0,
  areSeveral: true,
  isFlushed: () => false,
  createStream: () => zlib.createZstdDecompress({ params: ZSTD_PARAMS }),
  decodeSync: (data, { isPart, ...options }) =>
    zlib.zstdDecompressSync(data, {
      ...options,
      params: ZSTD_PARAMS,
      finishFlush: isPart ? ZSTD_e_flush : ZSTD_e_end,
    }),
};

/** RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array, before = 1): number {
  let a = before & 0xffff;
  let b = before >>> 16;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}

/** RFC 1950, section 2.2: the method is 8, and the header a multiple of 31. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

/**
 * Bodies with more members for their size are not decoded to their end: each member costs what a stream costs.
 */
export const maxMembers = (bodyBytes: number): number => 1000 + bodyBytes / 4096;
export const TOO_MANY_MEMBERS = 'too many members';

/**
 * Returns the size of the pieces in which a broken body is decoded. The output of the piece with the break is lost, so small
 * ones save more; a small body is cut into smaller ones, since it is over sooner.
 */
export const salvagedPiece = (bodyBytes: number): number => Math.max(16, Math.min(1024, bodyBytes >> 8));
