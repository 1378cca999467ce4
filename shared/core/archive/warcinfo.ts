/** The record that a WARC file begins with: who made it, when, how (ISO 28500:2017, section 6.2). */
import { sha1LabelOf } from './digest.ts';
import { END_OF_FIELDS, encodeRecord, fieldValue, warcDate } from './warc-record.ts';

export interface Warcinfo {
  /** The file's final name, without folder. */
  readonly filename: string;
  /** When the file was begun: ms since the epoch. */
  readonly date: number;
  /** Name and version: `Strand/0.1`. */
  readonly software: string;
  /** URL or mail address at which the crawl's operator can be reached. */
  readonly operator?: string;
  /** The robots policy followed: `obey`, `ignore`. */
  readonly robots?: string;
  /** The crawl that the file is part of. */
  readonly crawl?: string;
  readonly userAgent?: string;
  readonly description?: string;
  /** The record's id (`recordId`). */
  readonly id: string;
}

/**
 * The warcinfo record as one gzip member. Its fields' names are those of section 6.2; unknown ones are left
 * out.
 */
export function encodeWarcinfo(info: Warcinfo): Uint8Array[] {
  const lines: [name: string, value: string | undefined][] = [
    ['software', info.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
    ['operator', info.operator],
    ['robots', info.robots],
    ['isPartOf', info.crawl],
    ['http-header-user-agent', info.userAgent],
    ['description', info.description],
  ];
  const given = lines.filter(([, value]) => value);
  const text = given.map(([name, value]) => `${name}: ${fieldValue(value!)}\r\n`).join('');
  const block = Buffer.from(`${text}${END_OF_FIELDS}`);
  const fields = {
    'WARC-Type': 'warcinfo',
    'WARC-Record-ID': info.id,
    'WARC-Date': warcDate(info.date),
    'WARC-Filename': info.filename,
    'WARC-Block-Digest': sha1LabelOf(block),
    'Content-Type': 'application/warc-fields',
  };
  return encodeRecord(fields, block);
}
