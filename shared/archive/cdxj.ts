/**
 * CDXJ: the sorted text index of WARC files that replay tools look URLs up in. One line for each capture (a response or
 * revisit record): `SURT TIMESTAMP {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ..., "offset": ...,
 * "filename": ...}`, all values strings, in ASCII; fields that a record does not have are left out. Byte for byte what
 * cdxj-indexer writes with `--sort`, for heads of up to 256 KB.
 */
import { fieldOf, recordHeadLength, type WarcRecordHead } from './read-warc.ts';
import { type ReadAt, scanMembers } from './scan-members.ts';
import { surt } from './surt.ts';

/** A capture as it stands in its file: a line of an index but for its end, which says where. */
export interface Capture {
  /** `SURT TIMESTAMP {"url": ..., ... "digest": ...`. */
  readonly lineStart: string;
  /** Of the gzip member, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/**
 * The captures of a WARC file, every member of which is checked ({@link scanMembers}). `read` is called at most
 * about a megabyte before where it was called last.
 */
export async function* scanCaptures(read: ReadAt): AsyncGenerator<Capture> {
  for await (const { record, offset, length, blockStart } of scanMembers(read))
    if (isCapture(record)) yield { lineStart: lineStartOf(record, blockStart), offset, length };
}

/** The line of the capture in a file of that name, in which its own file begins at `base`. Ends with a line feed. */
export function cdxjLine({ lineStart, offset, length }: Capture, file: string, base = 0): string {
  return `${lineStart}, "length": "${length}", "offset": "${base + offset}", "filename": ${jsonText(file)}}\n`;
}

/** Lines in an index's order: by their bytes, which is the order of strings as they are ASCII. In place. */
export const sortCdxj = (lines: string[]): string[] => lines.sort();

function isCapture(record: WarcRecordHead): boolean {
  const type = fieldOf(record, 'WARC-Type');
  return (type === 'response' || type === 'revisit') && fieldOf(record, 'WARC-Target-URI') !== undefined;
}

function lineStartOf(record: WarcRecordHead, blockStart: Uint8Array): string {
  const url = fieldOf(record, 'WARC-Target-URI')!.replace(/^<(.*)>$/, '$1');
  const isRevisit = fieldOf(record, 'WARC-Type') === 'revisit';
  const isHttp = /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
  const http = isHttp ? summarizeHttp(blockStart) : {};
  const values = {
    url,
    mime: isRevisit ? 'warc/revisit' : http.mime,
    status: http.status,
    digest: fieldOf(record, 'WARC-Payload-Digest'),
  };
  const fields = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : `"${name}": ${jsonText(value)}`,
  );
  return `${surt(url)} ${timestamp(fieldOf(record, 'WARC-Date') ?? '')} {${fields.join(', ')}`;
}

/** `YYYYMMDDhhmmss` of a WARC-Date, which may end after any of its parts (ISO 28500:2017, section 5.4). */
function timestamp(date: string): string {
  const digits = date.replace(/\D/g, '').slice(0, 14);
  return digits + '00000101000000'.slice(digits.length);
}

const jsonText = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

interface HttpSummary {
  readonly status?: string | undefined;
  readonly mime?: string | undefined;
}

/** Of the HTTP response's head at the beginning of the block, as far as it is given; nothing of other text. */
function summarizeHttp(blockStart: Uint8Array): HttpSummary {
  const head = Buffer.from(blockStart.subarray(0, recordHeadLength(blockStart))).toString('latin1');
  const [first = '', ...headers] = head.split(/\r?\n/);
  const status = /^HTTP\/\S+ +(\d{3})(?!\S)/.exec(first)?.[1];
  const type = headers.find((line) => /^content-type:/i.test(line));
  return { status, mime: type && /^[^:]*:\s*([^;\s]*)/.exec(type)?.[1] };
}
