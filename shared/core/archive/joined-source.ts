import type { RecordLocation } from './record-location.ts';

/**
 * Where a WARC file stands that was joined into a larger one: `bytes` from `offset` of `file`. Never changes: joined
 * files are not joined again.
 */
export interface JoinedSource {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Where a record of the source is now. Throws if the source has no record there. */
export function placeInJoined(
  { file, offset, length }: RecordLocation,
  source: JoinedSource,
): RecordLocation {
  if (offset + length > source.bytes) {
    throw new Error(
      `Expected a record within the ${source.bytes} bytes of ${file}, got ${length} bytes at ${offset}`,
    );
  }
  return { file: source.file, offset: source.offset + offset, length };
}
