/** A record of a WARC file that a WET or WAT file is made of. */
import { fieldOf, type WarcRecordHead } from '../../../core/archive/read-warc.ts';

export interface SourceRecord {
  readonly record: WarcRecordHead;
  /** Name of the WARC file; where the record's gzip member begins, and its length in bytes. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** Length of the record's own head in bytes. */
  readonly headLength: number;
  /** The record's block, or its beginning if it is too large. */
  readonly block: Uint8Array;
  readonly isCut: boolean;
}

/** Makes record ids, such as `<urn:uuid:...>`. */
export type NewId = () => string;

/** WARC-Target-URI; older writers put it in angle brackets. */
export const targetOf = (record: WarcRecordHead): string | undefined =>
  fieldOf(record, 'WARC-Target-URI')?.replace(/^<(.*)>$/, '$1');

export const isHttpResponse = (record: WarcRecordHead): boolean =>
  fieldOf(record, 'WARC-Type') === 'response' &&
  /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
