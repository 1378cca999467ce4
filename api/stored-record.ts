/** WARC records as the library gives them. */
import type { OpenedRecord } from '../shared/archive/read-member.ts';
import { fieldOf, recordHeadLength, type WarcRecordHead } from '../shared/archive/read-warc.ts';
import { decodeBody } from '../shared/parser/decode-body.ts';
import type { StoredHttp, StoredRecord, WarcRecordInfo } from './archive-types.ts';

const MAX_BYTES = 64 * 1024 * 1024;

export function recordInfo(record: WarcRecordHead): WarcRecordInfo {
  const { fields, blockLength } = record;
  const url = fieldOf(record, 'WARC-Target-URI')?.replace(/^<(.*)>$/, '$1');
  const date = fieldOf(record, 'WARC-Date');
  const id = fieldOf(record, 'WARC-Record-ID');
  return {
    type: fieldOf(record, 'WARC-Type') ?? '',
    ...(url !== undefined && { url }),
    ...(date !== undefined && { date }),
    ...(id !== undefined && { id }),
    fields,
    contentLength: blockLength,
  };
}

/** Reads the record's content, and closes it. Throws `RangeError` if it has more than `maxBytes`. */
export async function readOpened(
  { record, block, close }: OpenedRecord,
  maxBytes = MAX_BYTES,
): Promise<StoredRecord> {
  try {
    if (record.blockLength > maxBytes)
      throw new RangeError(`Expected a record of at most ${maxBytes} bytes, got ${record.blockLength}`);
    return storedRecord(record, await bytesOf(block));
  } finally {
    await close();
  }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

export function storedRecord(record: WarcRecordHead, content: Uint8Array): StoredRecord {
  const info = recordInfo(record);
  const isHttp = /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
  const http = isHttp && info.type !== 'request' ? parseHttp(content) : undefined;
  return { ...info, content, ...(http && { http }) };
}

/** The HTTP response in a record's content; undefined if it is none. */
function parseHttp(content: Uint8Array): StoredHttp | undefined {
  const headLength = recordHeadLength(content);
  if (headLength === undefined) return undefined;
  const [first = '', ...lines] = Buffer.from(content.subarray(0, headLength))
    .toString('latin1')
    .split('\r\n');
  const status = /^HTTP\/\S+ +(\d{3})(?: (.*))?$/.exec(first);
  if (!status) return undefined;
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : [];
  });
  const body = content.subarray(headLength);
  const coding = headers.filter(([name]) => name.toLowerCase() === 'content-encoding');
  return {
    status: Number(status[1]),
    statusText: status[2] ?? '',
    headers,
    body,
    decode: (maxBytes = MAX_BYTES) => decodeBody(body, coding.map(([, value]) => value).join(', '), maxBytes),
  };
}
