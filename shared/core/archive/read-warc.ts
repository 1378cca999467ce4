/** Reading WARC 1.0 and 1.1 records (ISO 28500) out of gzip members. */
import { gunzipSync } from 'node:zlib';

type Field = readonly [name: string, value: string];

export interface WarcRecordHead {
  /** `1.0` or `1.1`. */
  readonly version: string;
  /** Named fields in their order, names as written. */
  readonly fields: readonly Field[];
  /** Content-Length. */
  readonly blockLength: number;
}

export interface WarcRecord extends WarcRecordHead {
  readonly block: Uint8Array;
}

/** The bytes are not a WARC record. The message names the offset, the expected bytes and the found ones. */
export class NotWarc extends Error {
  override name = 'NotWarc';
  /** Bytes of the file that were read for it, if those were many. */
  readonly readBytes: number;

  constructor(
    message: string,
    { readBytes = 0, ...options }: ErrorOptions & { readonly readBytes?: number } = {},
  ) {
    super(message, options);
    this.readBytes = readBytes;
  }
}

/** Longer heads are refused. Ours have 1 KB; another writer's may hold a very long URL. */
export const MAX_RECORD_HEAD = 256 * 1024;
const HEAD_END = '\r\n\r\n';
/** Follows the block of a record. */
export const RECORD_END = '\r\n\r\n';
const MAX_FIELDS = 1000;

export interface DecodeOptions {
  /** Where the member begins in its file, for messages. */
  readonly offset?: number;
  /** A record larger than this, decompressed, is refused. */
  readonly maxBytes?: number;
}

/** The one record of a gzip member, given the member's bytes and nothing else. Throws {@link NotWarc}. */
export function decodeMember(member: Uint8Array, options: DecodeOptions = {}): WarcRecord {
  const { offset = 0, maxBytes = 64 * 1024 * 1024 } = options;
  const bytes = inflate(member, offset, maxBytes);
  const headLength = recordHeadLength(bytes);
  if (headLength === undefined)
    throw new NotWarc(`Member at ${offset}: expected an empty line after the fields`);
  const head = parseRecordHead(bytes.subarray(0, headLength), offset);
  const end = headLength + head.blockLength;
  if (end > bytes.length) {
    throw new NotWarc(
      `Member at ${offset}: expected a block of ${head.blockLength} bytes, got ${bytes.length - headLength}`,
    );
  }
  if (bytes.subarray(end).toString('latin1') !== RECORD_END) {
    throw new NotWarc(
      `Member at ${offset}: expected CRLF CRLF and the member's end after the block, at ${end} of its bytes, ` +
        `got ${bytes.length - end} bytes: ${JSON.stringify(bytes.toString('latin1', end, end + 12))}`,
    );
  }
  return { ...head, block: bytes.subarray(headLength, end) };
}

const PLAIN_START = Buffer.from('WARC/');
export const PLAIN_START_BYTES = PLAIN_START.length;

/** Whether the bytes begin as a record that is not compressed does. */
export const isPlainRecord = (bytes: Uint8Array): boolean =>
  PLAIN_START.equals(bytes.subarray(0, PLAIN_START_BYTES));

/**
 * Length of the version line, fields and empty line at the start of `bytes`; undefined if they do not end
 * there.
 */
export function recordHeadLength(bytes: Uint8Array): number | undefined {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_RECORD_HEAD)).indexOf(
    HEAD_END,
  );
  return at < 0 ? undefined : at + HEAD_END.length;
}

/** Reads a head, its empty line included. Folded lines (section 4) are joined. Throws {@link NotWarc}. */
export function parseRecordHead(bytes: Uint8Array, offset = 0): WarcRecordHead {
  const [first = '', ...lines] = Buffer.from(bytes).toString('utf8').slice(0, -HEAD_END.length).split('\r\n');
  const version = /^WARC\/(1\.[01])$/.exec(first)?.[1];
  if (!version) {
    throw new NotWarc(
      `Member at ${offset}: expected WARC/1.0 or WARC/1.1, got ${JSON.stringify(first.slice(0, 40))}`,
    );
  }
  if (lines.length > MAX_FIELDS)
    throw new NotWarc(`Member at ${offset}: more than ${MAX_FIELDS} lines of fields`);
  const fields: Field[] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    const colon = line.indexOf(':');
    if (last && /^[ \t]/.test(line)) fields[fields.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
    else if (colon > 0) fields.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
    else
      throw new NotWarc(
        `Member at ${offset}: expected a named field, got ${JSON.stringify(line.slice(0, 40))}`,
      );
  }
  const length = fieldOf({ fields }, 'Content-Length') ?? 'none';
  if (!/^\d{1,15}$/.test(length)) {
    throw new NotWarc(
      `Member at ${offset}: expected a Content-Length, got ${JSON.stringify(length.slice(0, 40))}`,
    );
  }
  return { version, fields, blockLength: Number(length) };
}

/** The first field of that name, in any case. */
export function fieldOf(record: { readonly fields: readonly Field[] }, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return record.fields.find(([given]) => given.toLowerCase() === wanted)?.[1];
}

function inflate(member: Uint8Array, offset: number, maxBytes: number): Buffer {
  try {
    return gunzipSync(member, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const what = isTooLarge ? `larger than ${maxBytes} bytes` : (cause as Error).message;
    throw new NotWarc(
      `Member at ${offset} (${member.length} bytes): expected one whole gzip member: ${what}`,
      {
        cause,
      },
    );
  }
}
