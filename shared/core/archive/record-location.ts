/**
 * Where a record is: a WARC file (its name, without folder), the offset and length in bytes of its gzip
 * member.
 */
export interface RecordLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}
