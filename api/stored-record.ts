/** WARC records as the library gives them. */
import { parseHttpHead } from '../shared/core/archive/parse-http-head.ts';
import type { OpenedRecord } from '../shared/core/archive/read-member.ts';
import { fieldOf, recordHeadLength, type WarcRecordHead } from '../shared/core/archive/read-warc.ts';
import { decodeBody } from '../shared/core/parser/decode-body.ts';
import { codingOf, MAX_BYTES } from '../shared/services/exports/archived-payloads.ts';
import type { StoredHttp, StoredRecord, WarcRecordInfo } from './archive-types.ts';

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

function storedRecord(record: WarcRecordHead, content: Uint8Array): StoredRecord {
  const info = recordInfo(record);
  const isHttp = /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
  const http = isHttp && info.type !== 'request' ? parseHttp(content) : undefined;
  return { ...info, content, ...(http && { http }) };
}

/** The HTTP response in a record's content; undefined if it is none. */
function parseHttp(content: Uint8Array): StoredHttp | undefined {
  const headLength = recordHeadLength(content);
  if (headLength === undefined) return undefined;
  const { httpStatus, statusText, headers } = parseHttpHead(content.subarray(0, headLength));
  if (httpStatus === 0) return undefined;
  const body = content.subarray(headLength);
  return {
    status: httpStatus,
    statusText,
    headers,
    body,
    decode: (maxBytes = MAX_BYTES) => decodeBody(body, codingOf(headers), maxBytes),
  };
}
